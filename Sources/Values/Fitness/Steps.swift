extension Person {
    /// The length of a step in metres: 0.415 of the height for a man, 0.413 for a woman, 0.414 if the sex is not
    /// known.
    public var stepLengthMetres: Double? {
        let share =
            switch sex {
            case .male: 0.415
            case .female: 0.413
            case nil: 0.414
            }
        return heightCentimetres.map { $0 * share / 100 }
    }
}

/// Steps from a counter that only rises until it restarts at 0 (a new battery, midnight).
public enum StepCounter {
    /// Steps between two counts that are neighbours in time: a count below the one before means that it restarted.
    public static func steps(from earlier: UInt32, to later: UInt32) -> UInt32 {
        later >= earlier ? later - earlier : later
    }

    /// Steps over counts in the order of their times.
    public static func steps(over counts: some Sequence<UInt32>) -> UInt64 {
        var total: UInt64 = 0
        var previous: UInt32?
        for count in counts {
            if let previous { total += UInt64(steps(from: previous, to: count)) }
            previous = count
        }
        return total
    }
}
