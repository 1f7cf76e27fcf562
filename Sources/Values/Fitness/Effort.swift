// Minutes of activity: 150 to 300 moderate ones a week are recommended, and a vigorous one counts as two (WHO guidelines on physical
// activity and sedentary behaviour, 2020). By heart rate, zones 2 and 3 are moderate, 4 and 5 vigorous; without, the activity's metabolic
// equivalent says it: from 3 and from 6 (Compendium of Physical Activities).

/// How the active time of a workout went, in seconds, as its day must know it.
public struct Effort: Hashable, Sendable {
    /// Without pauses.
    public let active: Int
    /// With a heart rate whose zone is known.
    public let recorded: Int
    /// In the zones 2 and 3.
    public let moderate: Int
    /// In the zones 4 and 5.
    public let vigorous: Int

    /// An effort from its parts. What is below 0 counts as 0.
    public init(active: Int, recorded: Int, moderate: Int, vigorous: Int) {
        func known(_ seconds: Int) -> Int { min(max(0, seconds), Int(Int32.max)) }
        (self.active, self.recorded) = (known(active), known(recorded))
        (self.moderate, self.vigorous) = (known(moderate), known(vigorous))
    }

    /// An effort from how long was active, for how long the heart rate is known, and how long was spent in each of the zones 1 to 5; nil
    /// for zones that are not known.
    public init(active: Int, recorded: Int, zones: [Int]?) {
        guard let zones, zones.count == 5 else {
            self.init(active: active, recorded: 0, moderate: 0, vigorous: 0)
            return
        }
        self.init(active: active, recorded: recorded, moderate: zones[1] + zones[2], vigorous: zones[3] + zones[4])
    }
}

extension DayWorkout {
    /// Minutes of activity of a day: moderate ones once, vigorous ones twice. Nothing counts twice beyond that, as in the day's distance.
    /// - Parameters:
    ///   - workouts: those that began on the day, in any order.
    ///   - others: those that began on days before, and may have gone on.
    public static func activityMinutes(_ workouts: [DayWorkout], others: [DayWorkout] = [], of person: Person) -> Double
    {
        counted(workouts, after: others).reduce(0) { $0 + $1.share * $1.workout.activityMinutes(of: person) }
    }

    private func activityMinutes(of person: Person) -> Double {
        let effort = knownEffort
        let unrecorded = Double(max(0, effort.active - effort.recorded))
        let times = equivalent(effort, of: person).map { $0 >= 6 ? 2.0 : $0 >= 3 ? 1.0 : 0 } ?? 0
        return (Double(effort.moderate) + 2 * Double(effort.vigorous) + times * unrecorded) / 60
    }

    /// Days from before efforts were kept know only when it was.
    private var knownEffort: Effort {
        effort ?? Effort(active: Int((times.upperBound - times.lowerBound) / 1000), recorded: 0, zones: nil)
    }

    /// The metabolic equivalent by its mean speed if the table has that, else by its energy; nil if neither is known.
    private func equivalent(_ effort: Effort, of person: Person) -> Double? {
        let seconds = Double(effort.active)
        guard seconds > 0 else { return nil }
        let bySpeed = metres.flatMap { metres in
            table.flatMap { MetabolicEquivalent.value($0, milesPerHour: metres / seconds * 3600 / Units.metresPerMile) }
        }
        if let bySpeed { return bySpeed }
        guard let kilocalories, let weight = person.weightKilograms else { return nil }
        // The energy is that beyond rest, which is 1.
        return 1 + kilocalories / (weight * seconds / 3600)
    }

    /// The part of the table that has its speeds.
    private var table: MetabolicEquivalent.Activity? {
        switch kind {
        case .foot: activity.lowercased().contains("run") || activity.lowercased().contains("jog") ? .running : .walking
        case .bicycle: .cycling
        default: nil
        }
    }
}
