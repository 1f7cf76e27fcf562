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
    /// Whether only satellites tell the altitude, as they do to a phone: a file's may come from a barometer or a map.
    public let isOfSatellites: Bool

    /// What is noise of its altitude, in metres.
    var altitudeNoise: Double { isOfSatellites ? Ascent.satelliteNoise : Ascent.noise }

    /// A point; nil if there is no such time or place. An altitude or an accuracy that cannot be is taken for unknown.
    public init?(
        time: Int64, latitude: Double, longitude: Double, altitude: Double? = nil, accuracy: Double? = nil,
        isOfSatellites: Bool = false
    ) {
        guard WorkoutTimer.times.contains(time), (-90...90).contains(latitude), (-180...180).contains(longitude) else {
            return nil
        }
        (self.time, self.isOfSatellites) = (time, isOfSatellites)
        place = Place(latitude: latitude, longitude: longitude)
        self.altitude = altitude.flatMap { Self.altitudes.contains($0) ? $0 : nil }
        self.accuracy = accuracy.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
    }
}

extension Sequence<TrackPoint> {
    /// The points in the order of their times, each time once. Of several points of one time it is the most accurate
    /// that stays: which one does not depend on their order.
    public var inOrder: [TrackPoint] { inOrder(by: { ($0.time, 0) }, \.rank) }
}

extension TrackPoint {
    /// What decides which of several points of one time stays.
    var rank: [Double] { [accuracy ?? .infinity, place.latitude, place.longitude, altitude ?? .infinity] }
}

extension Sequence {
    /// The elements in the order of their keys, each key once: of several with one key, the one with the lowest rank.
    ///
    /// A day's ride has hundreds of thousands, most often in order already: those are not copied.
    func inOrder(by key: (Element) -> (Int64, Int), _ rank: (Element) -> [Double]) -> [Element] {
        var all = Array(self)
        guard zip(all, all.dropFirst()).contains(where: { key($0) >= key($1) }) else { return all }
        all.sort { one, other in
            let keys = (key(one), key(other))
            return keys.0 == keys.1 ? rank(one).lexicographicallyPrecedes(rank(other)) : keys.0 < keys.1
        }
        var count = 1
        for index in all.indices.dropFirst() where key(all[index]) != key(all[count - 1]) {
            all[count] = all[index]
            count += 1
        }
        all.removeLast(all.count - count)
        return all
    }
}
