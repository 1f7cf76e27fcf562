public import Fitness

/// Where a person was at a time. Only what can be on the Earth exists.
public struct TrackPoint: Hashable, Sendable {
    /// Altitudes that are believed, in metres above sea level.
    static let altitudes = -500.0...20_000

    /// Unix milliseconds.
    public let time: Int64
    /// Degrees of latitude and longitude (WGS 84).
    public let place: Place
    /// Metres above sea level; nil if it is not known.
    public let altitude: Double?
    /// How far off the place may be, in metres; nil if it is not known.
    public let accuracy: Double?

    /// A point; nil if there is no such time or place. An altitude or an accuracy that cannot be is taken for unknown.
    public init?(
        time: Int64, latitude: Double, longitude: Double, altitude: Double? = nil, accuracy: Double? = nil
    ) {
        guard WorkoutTimer.times.contains(time), (-90...90).contains(latitude), (-180...180).contains(longitude) else {
            return nil
        }
        self.time = time
        place = Place(latitude: latitude, longitude: longitude)
        self.altitude = altitude.flatMap { Self.altitudes.contains($0) ? $0 : nil }
        self.accuracy = accuracy.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
    }
}

extension Sequence<TrackPoint> {
    /// The points in the order of their times, each time once. Of several points of one time it is the most accurate
    /// that stays: which one does not depend on their order.
    public var inOrder: [TrackPoint] {
        func rank(_ point: TrackPoint) -> [Double] {
            [
                point.accuracy ?? .infinity, point.place.latitude, point.place.longitude, point.altitude ?? .infinity,
            ]
        }
        let sorted = sorted {
            $0.time != $1.time ? $0.time < $1.time : rank($0).lexicographicallyPrecedes(rank($1))
        }
        var last: Int64?
        return sorted.filter { point in
            defer { last = point.time }
            return point.time != last
        }
    }
}
