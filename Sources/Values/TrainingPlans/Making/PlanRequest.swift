/// What a plan is for.
public enum TrainingKind: String, CaseIterable, Hashable, Sendable {
    /// Strength, in sets of repetitions.
    case weights
    /// High intensity, by the clock.
    case intervals

    /// Its name.
    public var words: TrainingWords {
        switch self {
        case .weights: TrainingWords("weight training", "Krafttraining")
        case .intervals: TrainingWords("intervals", "Intervalle")
        }
    }

    /// The name of the activity that a workout of it has, whatever its person speaks.
    public var activity: String { words.english }

    /// The kind whose workouts have an activity of that name; nil if there is none.
    public init?(activity: String) {
        guard let kind = Self.allCases.first(where: { $0.activity == activity }) else { return nil }
        self = kind
    }
}

/// All that a plan follows from, besides the catalogue.
public struct PlanRequest: Hashable, Sendable {
    /// How many minutes a plan may be made for.
    public static let minutes = 10...90
    /// High intensity takes at most 60 minutes with its warm-up and cool-down (American College of Sports Medicine,
    /// information on high-intensity interval training: 20 to 60 minutes).
    public static let longestIntervals = 60
    /// Moderate intervals take at most so many minutes: our own decision.
    public static let longestModerateIntervals = 30
    /// How many plans one seed leads to, of each kind.
    public static let numbers = 0...9
    /// How many muscles may come first.
    public static let mostFavoured = 6

    /// What it is for.
    public let kind: TrainingKind
    /// How long it should take, with warm-up and cool-down.
    public let minutes: Int
    /// What is drawn follows from it.
    public let seed: UInt32
    /// Which of the plans of a seed it is.
    public let number: Int
    /// How experienced the person is.
    public let level: TrainingLevel
    /// What is at hand; a body always is.
    public let equipment: Set<Equipment>
    /// Which muscles come first, in their order.
    public let favoured: [Muscle]
    /// What is to be taken into account about the person.
    public let limits: PlanLimits

    /// A request; nil if minutes or number are out of range, or favoured muscles too many or one of them twice.
    public init?(
        _ kind: TrainingKind, minutes: Int, seed: UInt32, number: Int = 0, level: TrainingLevel,
        equipment: Set<Equipment> = [], favoured: [Muscle] = [], limits: PlanLimits
    ) {
        guard Self.minutes.contains(minutes), Self.numbers.contains(number), favoured.count <= Self.mostFavoured,
            Set(favoured).count == favoured.count
        else { return nil }
        (self.kind, self.minutes, self.seed, self.number, self.level) = (kind, minutes, seed, number, level)
        (self.equipment, self.favoured, self.limits) = (equipment.union([.bodyOnly]), favoured, limits)
    }

    /// How long it is going to take, within a tenth: what was asked for, or less where that would be too much.
    public var plannedMinutes: Int {
        guard kind == .intervals else { return minutes }
        return min(minutes, limits.isModerate ? Self.longestModerateIntervals : Self.longestIntervals)
    }

    /// The muscles that had least in a week, those with least first; which of several come first follows from the seed.
    /// None, if all had the same.
    /// - Parameter week: how many sets each muscle had; those that are left out had none.
    public static func favoured(week: [Muscle: Int], seed: UInt32) -> [Muscle] {
        var generator = PlanGenerator(UInt64(seed))
        let missed = generator.shuffled(Muscle.allCases.filter(\.isMissed))
        let most = missed.map { week[$0] ?? 0 }.max() ?? 0
        let least = missed.enumerated().filter { week[$0.element] ?? 0 < most }
        let ordered = least.sorted { one, other in
            let sets = (week[one.element] ?? 0, week[other.element] ?? 0)
            return sets.0 == sets.1 ? one.offset < other.offset : sets.0 < sets.1
        }
        return ordered.prefix(mostFavoured).map(\.element)
    }
}
