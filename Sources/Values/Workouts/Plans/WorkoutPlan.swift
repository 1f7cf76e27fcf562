/// What a workout is started from: an activity, with a goal of its own or none.
public struct WorkoutPlan: Hashable, Sendable {
    /// What everybody can start from.
    public static let predefined: [WorkoutPlan] = Activity.known.map { WorkoutPlan(activity: $0) }

    /// What is done.
    public let activity: Activity
    /// What the plan sets as the goal; nil if it leaves the person's goal as it is.
    public let goal: WorkoutGoal?

    /// A plan.
    public init(activity: Activity, goal: WorkoutGoal? = nil) {
        (self.activity, self.goal) = (activity, goal)
    }

    /// Whether it is one that everybody has.
    public var isPredefined: Bool { Self.predefined.contains(self) }
}
