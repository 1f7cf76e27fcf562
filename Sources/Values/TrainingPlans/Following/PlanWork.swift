/// What was done of a plan. Only its main part counts: what is warmed, balanced or stretched is not worked.
public struct PlanWork: Hashable, Sendable {
    /// How many sets each muscle had that an exercise works most.
    public var sets: [Muscle: Int] = [:]
    /// For how long, in seconds, rests included.
    public var seconds: [Muscle: Int] = [:]
    /// How many exercises were done, each of them at least for one set.
    public var exercises = 0

    /// Nothing was done.
    public init() {}
}
