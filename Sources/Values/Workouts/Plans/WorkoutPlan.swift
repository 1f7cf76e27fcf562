/// What a workout is started from: an activity, with a goal of its own or none.
public struct WorkoutPlan: Hashable, Sendable {
    /// What people call it.
    public let name: String
    /// What is done.
    public let activity: Activity
    /// What the plan sets as the goal; nil if it leaves the person's goal as it is.
    public let goal: WorkoutGoal?
    /// Whether reaching the goal ends the workout.
    public let endsAtGoal: Bool

    /// What everybody can start from. Their goals end nothing.
    public static let predefined: [WorkoutPlan] = {
        let plans: [(String, Activity, WorkoutGoal.Kind, Double)] = [
            ("5 km run", .running, .distance, 5000), ("10 km run", .running, .distance, 10_000),
            ("30 min run", .running, .duration, 1800), ("30 min walk", .walking, .duration, 1800),
            ("1 h walk", .walking, .duration, 3600), ("5,000 steps walk", .walking, .steps, 5000),
            ("20 km ride", .cycling, .distance, 20_000), ("1 h ride", .cycling, .duration, 3600),
        ]
        return plans.compactMap { name, activity, kind, target in
            WorkoutPlan(name, activity, goal: WorkoutGoal(kind, target: target))
        }
    }()

    /// A plan; nil if its name is none.
    public init?(_ name: String, _ activity: Activity, goal: WorkoutGoal? = nil, endsAtGoal: Bool = false) {
        guard WorkoutNames.isKept(name) else { return nil }
        (self.name, self.activity, self.goal) = (name, activity, goal)
        self.endsAtGoal = endsAtGoal && goal != nil
    }

    /// Whether it is one that everybody has.
    public var isPredefined: Bool { Self.predefined.contains(self) }
}

/// What a person can start from: what everybody has, and the person's own plans.
public struct WorkoutPlans: Hashable, Sendable {
    /// How many plans of their own a person may have.
    public static let most = 100

    /// Why a plan was not saved.
    public enum Problem: Error, Hashable, Sendable {
        /// Everybody has a plan of that name.
        case predefined
        /// The person has as many as anybody may have.
        case tooMany
    }

    /// The person's own, in the order in which they were first saved.
    public private(set) var own: [WorkoutPlan] = []

    /// The plans of a person.
    public init(_ own: [WorkoutPlan] = []) {
        // What was saved once was checked then.
        self.own = own
    }

    /// Those that everybody has, and then the person's own.
    public var all: [WorkoutPlan] { WorkoutPlan.predefined + own }

    /// The plan of that name, in upper or lower case; nil if there is none.
    public subscript(name: String) -> WorkoutPlan? { all.first { WorkoutNames.areSame($0.name, name) } }

    /// Saves a plan, in place of the person's own one of that name.
    public mutating func save(_ plan: WorkoutPlan) throws(Problem) {
        guard !WorkoutPlan.predefined.contains(where: { WorkoutNames.areSame($0.name, plan.name) }) else {
            throw .predefined
        }
        if let index = own.firstIndex(where: { WorkoutNames.areSame($0.name, plan.name) }) {
            own[index] = plan
        } else {
            guard own.count < Self.most else { throw .tooMany }
            own.append(plan)
        }
    }

    /// Removes the person's own plan of that name.
    /// - Returns: whether there was one.
    public mutating func remove(named name: String) -> Bool {
        guard let index = own.firstIndex(where: { WorkoutNames.areSame($0.name, name) }) else { return false }
        own.remove(at: index)
        return true
    }
}
