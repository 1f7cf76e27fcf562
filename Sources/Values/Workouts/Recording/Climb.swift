/// Metres climbed, one altitude at a time. Over one piece of a path it is `ascentMetres` of its altitudes, to the bit.
public struct Climb: Hashable, Sendable {
    /// What counts as noise, in metres.
    static let hysteresis = 3.0

    private var anchor: Double?
    /// The sum so far, in metres.
    public private(set) var metres = 0.0

    /// Nothing climbed yet.
    public init() {}

    /// Takes an altitude in metres, and returns how many metres it adds. What is no number is passed over.
    @discardableResult
    public mutating func add(_ altitude: Double) -> Double {
        guard altitude.isFinite else { return 0 }
        guard let reference = anchor else {
            anchor = altitude
            return 0
        }
        let change = altitude - reference
        guard abs(change) >= Self.hysteresis else { return 0 }
        // The anchor follows only once the change is beyond noise, upwards or downwards.
        anchor = altitude
        guard change > 0 else { return 0 }
        metres += change
        return change
    }

    /// Begins another piece of the path: what was climbed between both does not count.
    public mutating func cut() { anchor = nil }
}
