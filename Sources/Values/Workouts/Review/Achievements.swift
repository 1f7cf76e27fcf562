public import Fitness

/// How much of each of a day's goals was achieved, to be drawn as rings.
public struct Achievements: Hashable, Sendable {
    /// A ring.
    public struct Ring: Hashable, Sendable {
        /// How much of the target the value is, as a fraction, which may be above 1; nil if it is not known.
        public let share: Double?
        /// Whether the goal was reached that day. It stays so if the target is raised later.
        public let isReached: Bool

        /// How much of the ring is drawn, from 0 to 1.
        public var drawn: Double { isReached ? 1 : max(0, min(1, share ?? 0)) }
    }

    /// The day.
    public let day: CalendarDay
    /// A ring for each goal that the day had.
    public let rings: [Goal: Ring]

    /// A day's achievements, by its totals.
    public init(_ totals: DayTotals) {
        day = totals.day
        rings = totals.goals.mapValues { goal in
            Ring(share: goal.percent.flatMap { $0.isFinite ? max(0, $0 / 100) : nil }, isReached: goal.isReached)
        }
    }

    /// Whether every goal that the day had was reached, and it had one.
    public var isComplete: Bool { !rings.isEmpty && rings.values.allSatisfy(\.isReached) }
}
