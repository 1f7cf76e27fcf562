/// How fast a distance was covered.
public struct Pace: Hashable, Sendable {
    /// Seconds for a kilometre.
    public let secondsPerKilometre: Double

    /// The pace of a distance in a time; nil unless both are above 0.
    public init?(metres: Double, seconds: Double) {
        guard metres > 0, seconds > 0, metres.isFinite, seconds.isFinite else { return nil }
        secondsPerKilometre = seconds / metres * 1000
    }

    /// The same as a speed.
    public var kilometresPerHour: Double { 3600 / secondsPerKilometre }

    /// Minutes and seconds for a kilometre, such as `5:00`, to the nearest second.
    public var text: String { text(in: .metric) }

    /// Minutes and seconds for a kilometre or a mile, to the nearest second: `5:00`, `8:03`.
    public func text(in units: Units) -> String {
        guard let seconds = Int(exactly: seconds(in: units).rounded()) else { return "-" }
        return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    }

    /// Seconds for a kilometre or a mile.
    public func seconds(in units: Units) -> Double { secondsPerKilometre * units.way / 1000 }
}
