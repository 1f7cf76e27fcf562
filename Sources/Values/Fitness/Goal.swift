/// What somebody can want to reach on a day.
public enum Goal: String, CaseIterable, Hashable, Sendable, Codable, CodingKeyRepresentable {
    /// Steps.
    case steps
    /// Metres on foot, by bicycle, swimming, or by other means of one's own strength.
    case distance
    /// Kilocalories beyond rest.
    case energy

    /// The goal's name where names include the unit: `steps`, `distance_m`, `energy_kcal`.
    public var field: String {
        switch self {
        case .steps: "steps"
        case .distance: "distance_m"
        case .energy: "energy_kcal"
        }
    }

    /// The goal with that name; nil if there is none.
    public init?(field: String) {
        guard let goal = Self.allCases.first(where: { $0.field == field }) else { return nil }
        self = goal
    }
}

/// What somebody wants to reach on a day and in a week: steps, metres, kilocalories, days or minutes, above 0.
public struct GoalTargets: Hashable, Sendable, Codable {
    /// What everybody begins with: 10,000 steps.
    public static let first = GoalTargets([.steps: 10_000])

    /// By goal.
    public private(set) var targets: [Goal: Double]
    /// Those of the week.
    public private(set) var weeks: [WeekGoal: Double]
    /// Whether only the distance on foot counts.
    public var isDistanceOnFoot: Bool

    /// These targets. What is not above 0 and finite is none.
    public init(_ targets: [Goal: Double] = [:], weeks: [WeekGoal: Double] = [:], isDistanceOnFoot: Bool = false) {
        self.targets = targets.filter { $0.value > 0 && $0.value.isFinite }
        self.weeks = weeks.filter { $0.value > 0 && $0.value.isFinite }
        self.isDistanceOnFoot = isDistanceOnFoot
    }

    /// One target of the week; nil without such a goal.
    public subscript(goal: WeekGoal) -> Double? {
        get { weeks[goal] }
        set { weeks[goal] = newValue.flatMap { $0 > 0 && $0.isFinite ? $0 : nil } }
    }

    /// One target; nil if there is no such goal.
    public subscript(goal: Goal) -> Double? {
        get { targets[goal] }
        set { targets[goal] = newValue.flatMap { $0 > 0 && $0.isFinite ? $0 : nil } }
    }
}

/// The state of a goal on a day.
public struct GoalDay: Hashable, Sendable, Codable {
    /// When a goal was reached, and what it was then.
    public struct Reached: Hashable, Sendable, Codable {
        /// The target that was reached.
        public var target: Double
        /// Unix milliseconds.
        public var time: Int64

        /// Reached at a time.
        public init(target: Double, time: Int64) {
            (self.target, self.time) = (target, time)
        }
    }

    /// The target; nil if it was reached, and then removed.
    public var target: Double?
    /// How far the person has come; nil if that is not known.
    public var value: Double?
    /// Once a goal is reached it stays reached, whatever the target is changed to later.
    public var reached: Reached?
    /// True for a distance goal that counts only what is done on foot; otherwise nil.
    public var isOnFoot: Bool?

    /// A goal's state from its parts.
    public init(target: Double?, value: Double?, reached: Reached? = nil, isOnFoot: Bool = false) {
        (self.target, self.value, self.reached, self.isOnFoot) = (target, value, reached, isOnFoot ? true : nil)
    }

    /// How much of the target the value is, in percent, which may be above 100; nil if either is not known.
    public var percent: Double? {
        guard let target, target > 0, let value else { return nil }
        return 100 * value / target
    }

    /// Whether the goal was reached on the day. Everything that shows it asks here.
    public var isReached: Bool { reached != nil }

    /// Whether the value is as much as the target.
    public var isEnough: Bool {
        guard let target, let value else { return false }
        return value >= target
    }
}
