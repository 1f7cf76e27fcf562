/// What a person wants to reach in one workout.
public struct WorkoutGoal: Hashable, Sendable {
    /// What can be a goal.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// Metres.
        case distance
        /// Seconds, without pauses.
        case duration
        /// Steps.
        case steps
        /// Kilocalories.
        case energy

        /// The name where names include the unit: `distance_m`, `duration_s`, `steps`, `energy_kcal`.
        public var field: String {
            switch self {
            case .distance: "distance_m"
            case .duration: "duration_s"
            case .steps: "steps"
            case .energy: "energy_kcal"
            }
        }

        /// What a target may be, in the kind's unit: up to 1,000 km, 48 hours, a million steps, 50,000 kcal.
        public var targets: ClosedRange<Double> {
            switch self {
            case .distance: 1...1_000_000
            case .duration: 1...172_800
            case .steps: 1...1_000_000
            case .energy: 1...50_000
            }
        }
    }

    /// What is counted.
    public let kind: Kind
    /// How much of it, in the kind's unit.
    public let target: Double

    /// A goal; nil if the target is not finite, is out of the kind's range, or is a part of a step.
    public init?(_ kind: Kind, target: Double) {
        guard kind.targets.contains(target), kind != .steps || target == target.rounded() else { return nil }
        (self.kind, self.target) = (kind, target)
    }

    /// How much of the target a value is, in percent, which may be above 100; nil if the value is not known.
    public func percent(_ value: Double?) -> Double? {
        guard let value, value.isFinite else { return nil }
        let percent = 100 * value / target
        // What is rounded must not differ in this.
        return value >= target ? max(100, percent) : max(0, min(percent, 100.0.nextDown))
    }

    /// Whether a value is the target or more.
    func isReached(by value: Double?) -> Bool { (percent(value) ?? 0) >= 100 }

    /// The first whole number of milliseconds that reaches a target in seconds.
    var milliseconds: Int64 {
        let near = Int64((target * 1000).rounded())
        return (near - 1...near + 1).first { isReached(by: Double($0) / 1000) } ?? near
    }
}

/// A person's goals of workouts: a target of each kind, which one is chosen, and whether it ends a workout. It is off
/// at first.
///
/// Saving a goal chooses it. Nothing changes during a workout.
public struct WorkoutGoals: Hashable, Sendable {
    /// What a change has done.
    public enum Change: String, CaseIterable, Hashable, Sendable {
        /// A target was saved, and is chosen.
        case saved = "Goal Saved Successfully"
        /// A target that was saved before was chosen.
        case selected = "Goal Selected"
        /// The chosen goal will end workouts.
        case enabled = "Workout goal enabled"
        /// It will not.
        case disabled = "Workout goal disabled"
    }

    /// Why nothing has changed.
    public enum Problem: Error, Hashable, Sendable {
        /// There is no target.
        case empty
        /// The target cannot be one.
        case improper(WorkoutGoal.Kind)
        /// No goal is chosen.
        case notChosen
        /// A workout is under way.
        case duringWorkout

        /// The words that a person reads.
        public var message: String {
            switch self {
            case .empty: "Empty Fields"
            case .improper(.distance): "Enter Proper Distance"
            case .improper(.duration): "Enter Proper Duration"
            case .improper(.steps): "Enter Proper Steps"
            case .improper(.energy): "Enter Proper Calories"
            case .notChosen: "Select Goal Type"
            case .duringWorkout: "The goal cannot be changed during a workout: stop or cancel the workout first"
            }
        }
    }

    /// The saved goals.
    public private(set) var saved: [WorkoutGoal.Kind: WorkoutGoal]
    /// The chosen goal; nil if there is none.
    public private(set) var chosen: WorkoutGoal?
    /// Whether the chosen goal ends a workout.
    public private(set) var isEnabled: Bool

    /// Goals as they were kept. What is not chosen cannot be enabled.
    public init(_ saved: [WorkoutGoal] = [], chosen: WorkoutGoal.Kind? = nil, isEnabled: Bool = false) {
        self.saved = Dictionary(saved.map { ($0.kind, $0) }) { $1 }
        self.chosen = chosen.flatMap { [goals = self.saved] in goals[$0] }
        self.isEnabled = isEnabled && self.chosen != nil
    }

    /// The goal that ends a workout; nil if none does.
    public var ending: WorkoutGoal? { isEnabled ? chosen : nil }

    /// Saves a target and chooses it.
    public mutating func save(
        _ kind: WorkoutGoal.Kind?, target: Double?, duringWorkout: Bool
    ) throws(Problem) -> Change {
        guard !duringWorkout else { throw .duringWorkout }
        guard let target else { throw .empty }
        guard let kind else { throw .notChosen }
        guard let goal = WorkoutGoal(kind, target: target) else { throw .improper(kind) }
        saved[kind] = goal
        chosen = goal
        return .saved
    }

    /// Chooses a goal that was saved before.
    public mutating func choose(_ kind: WorkoutGoal.Kind?, duringWorkout: Bool) throws(Problem) -> Change {
        guard !duringWorkout else { throw .duringWorkout }
        guard let kind else { throw .notChosen }
        guard let goal = saved[kind] else { throw .empty }
        chosen = goal
        return .selected
    }

    /// Lets the chosen goal end workouts, or not.
    public mutating func enable(_ isEnabled: Bool, duringWorkout: Bool) throws(Problem) -> Change {
        guard !duringWorkout else { throw .duringWorkout }
        guard !isEnabled || chosen != nil else { throw .notChosen }
        self.isEnabled = isEnabled
        return isEnabled ? .enabled : .disabled
    }
}
