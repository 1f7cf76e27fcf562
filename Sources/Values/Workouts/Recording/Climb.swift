public import Fitness

/// Metres climbed, one altitude at a time. Over one piece of a path it is `ascentMetres` of its altitudes, to the bit.
///
/// A change of altitude that is faster than anybody climbs, by more than noise, begins the climb again: a receiver's
/// first altitudes may be wrong by a hundred metres.
public struct Climb: Hashable, Sendable {
    private struct Mark: Hashable, Sendable {
        var time: Int64
        var altitude: Double
    }

    private let fastest: Double
    private var ascent = Ascent()
    private var last: Mark?

    /// Nothing climbed yet.
    public init(_ activity: Activity) { fastest = activity.fastestClimbMetresPerSecond }

    /// The sum so far, in metres.
    public var metres: Double { ascent.metres }

    /// Takes an altitude in metres at a time in Unix milliseconds, and returns how many metres it adds. Times must
    /// rise. What is not a number is passed over.
    /// - Parameter noise: less than this does not count, in metres.
    @discardableResult
    public mutating func add(_ altitude: Double, at time: Int64, noise: Double = Ascent.noise) -> Double {
        guard altitude.isFinite else { return 0 }
        if let last {
            let seconds = Double(time - last.time) / 1000
            if abs(altitude - last.altitude) > noise + fastest * seconds { ascent.cut() }
        }
        last = Mark(time: time, altitude: altitude)
        return ascent.add(altitude, hysteresis: noise)
    }

    /// Begins another piece of the path: what was climbed between both does not count.
    public mutating func cut() {
        ascent.cut()
        last = nil
    }
}
