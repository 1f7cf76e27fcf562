/// What a person says of their heart, and what their zones are to be computed from.
public struct HeartRateFacts: Hashable, Sendable {
    /// The heart rates that somebody may name.
    public enum Figure: String, CaseIterable, Hashable, Sendable {
        /// The highest.
        case maximum
        /// At rest.
        case resting
        /// At the lactate threshold.
        case threshold
    }

    /// What zones are computed from.
    public var method: HeartRateZones.Method
    /// Each in beats per minute; those that are not known are missing.
    public var figures: [Figure: Double]
    /// Where the zones 1 to 5 begin, if somebody has chosen that.
    public var limits: [Double]?

    /// What is known of a heart.
    public init(_ method: HeartRateZones.Method = .age, _ figures: [Figure: Double] = [:], limits: [Double]? = nil) {
        (self.method, self.figures, self.limits) = (method, figures, limits)
    }

    /// The person's own maximum.
    public var maximum: Double? { figures[.maximum] }
    /// The heart rate at rest.
    public var resting: Double? { figures[.resting] }
    /// The heart rate at the lactate threshold.
    public var threshold: Double? { figures[.threshold] }
}

// MARK: What may be said

extension HeartRateFacts {
    /// Why something cannot be said of a heart.
    public enum Problem: Error, Hashable, Sendable {
        /// A heart rate that no heart has.
        case impossible(Figure)
        /// What should be higher than another one is not.
        case notAbove(Figure, Figure)
        /// The maximum for the age is not above the heart rate at rest.
        case noReserve
        /// Not five of them.
        case notFiveLimits
        /// One that no heart has.
        case impossibleLimit
        /// Each has to be above the one before.
        case limitsDoNotRise
        /// Zones cannot be computed without it.
        case missing(Figure)
        /// Zones by limits need them.
        case missingLimits
    }

    /// What may be said: what counts as a heart rate at all.
    public static let heartRates = 25.0...240
    /// How many bounds there are.
    public static let zones = 5

    /// What is wrong with it; nil if nothing is.
    /// - Parameter person: who says it. A person whose heart rate at rest is measured need not name it.
    public func problem(of person: Person) -> Problem? {
        for figure in Figure.allCases {
            if let value = figures[figure], !Self.heartRates.contains(value) { return .impossible(figure) }
        }
        for (higher, lower) in [(Figure.maximum, Figure.resting), (.maximum, .threshold), (.threshold, .resting)] {
            if let more = figures[higher], let less = figures[lower], more <= less { return .notAbove(higher, lower) }
        }
        if let limits {
            if limits.count != Self.zones { return .notFiveLimits }
            if !limits.allSatisfy(Self.heartRates.contains) { return .impossibleLimit }
            if zip(limits, limits.dropFirst()).contains(where: { $0 >= $1 }) { return .limitsDoNotRise }
        }
        switch method {
        case .age: return nil
        case .maximum: return maximum == nil ? .missing(.maximum) : nil
        case .threshold: return threshold == nil ? .missing(.threshold) : nil
        case .limits: return limits == nil ? .missingLimits : nil
        case .reserve:
            guard let rest = resting ?? person.restingHeartRate else { return .missing(.resting) }
            guard let most = maximum ?? person.maximumByAge, most > rest else { return .noReserve }
            return nil
        }
    }
}
