/// Metres climbed, one altitude at a time. A change counts once it differs from the last counted altitude by the
/// hysteresis: anything less is noise.
public struct Ascent: Hashable, Sendable {
    /// What is noise unless something else is set, in metres.
    public static let noise = 3.0
    /// What is noise of an altitude that only satellites tell, in metres: they tell heights worse than places.
    public static let satelliteNoise = 10.0

    private let hysteresis: Double
    private var anchor: Double?
    /// The sum so far, in metres.
    public private(set) var metres = 0.0

    /// Nothing climbed yet.
    /// - Parameter hysteresis: what is noise, in metres.
    public init(hysteresis: Double = Self.noise) { self.hysteresis = hysteresis }

    /// Takes an altitude in metres, and returns how many metres it adds.
    /// - Parameter hysteresis: what is noise of this one, in metres, if that is not what it is of all.
    @discardableResult
    public mutating func add(_ altitude: Double, hysteresis: Double? = nil) -> Double {
        guard let reference = anchor else {
            anchor = altitude
            return 0
        }
        let change = altitude - reference
        guard abs(change) >= hysteresis ?? self.hysteresis else { return 0 }
        // The anchor follows only once the change is beyond noise, upwards or downwards.
        anchor = altitude
        guard change > 0 else { return 0 }
        metres += change
        return change
    }

    /// Begins again: what was climbed between the last altitude and the next one does not count.
    public mutating func cut() { anchor = nil }
}

/// Metres climbed along a series of altitudes in metres, as `Ascent` counts them.
public func ascentMetres(_ altitudes: some Sequence<Double>, hysteresis: Double = Ascent.noise) -> Double {
    var ascent = Ascent(hysteresis: hysteresis)
    for altitude in altitudes { ascent.add(altitude) }
    return ascent.metres
}
