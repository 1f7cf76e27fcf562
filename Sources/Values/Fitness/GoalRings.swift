/// How far each day of a month has come towards its goals: what a calendar of rings shows.
public struct GoalRings: Hashable, Sendable {
    /// A goal of a day as a ring, which closes as the goal comes near.
    public struct Ring: Hashable, Sendable {
        /// How far the person has come, in the goal's unit; nil if that is not known.
        public let value: Double?
        /// What the person wanted to reach; nil if the goal was reached, and then removed.
        public let target: Double?
        /// Whether the goal was reached on that day. It stays reached, whatever the target becomes later.
        public let isReached: Bool

        /// A ring from its parts. A target that is not above 0 is none.
        public init(value: Double?, target: Double?, isReached: Bool) {
            self.value = value.flatMap { $0.isFinite ? $0 : nil }
            self.target = target.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
            self.isReached = isReached
        }

        /// The state of a goal as a ring.
        public init(_ goal: GoalDay) {
            self.init(value: goal.value, target: goal.target, isReached: goal.isReached)
        }

        /// How much of the ring is closed, from 0 to 1; 1 only if the goal was reached. Nil if nothing is known.
        public var share: Double? {
            if isReached { return 1 }
            guard let value, let target else { return nil }
            return min(max(value / target, 0), 1.0.nextDown)
        }

        /// In how many quarters the ring is closed, from 0 to 4; 4 only if the goal was reached.
        public var quarters: Int? { share.map { Int($0 * 4) } }
    }

    /// The month.
    public let month: CalendarMonth
    /// The rings of each day; a day without goals has none.
    public let days: [CalendarDay: [Goal: Ring]]

    /// A month's rings; days of other months are left out.
    public init(_ month: CalendarMonth, _ days: [CalendarDay: [Goal: Ring]]) {
        self.month = month
        self.days = days.filter { month.days.contains($0.key) && !$0.value.isEmpty }
    }

    /// The rings of a month, by the totals of its days.
    public init(_ month: CalendarMonth, _ days: some Sequence<DayTotals>) {
        let rings = days.map { ($0.day, $0.goals.mapValues(Ring.init)) }
        self.init(month, Dictionary(rings) { $1 })
    }

    /// The goals that any of the days has, in the order of `Goal`.
    public var goals: [Goal] {
        let found = Set(days.values.flatMap(\.keys))
        return Goal.allCases.filter(found.contains)
    }

    /// On how many days a goal was reached.
    public func reachedDays(_ goal: Goal) -> Int { days.values.count { $0[goal]?.isReached == true } }

    /// The weeks, each from Monday to Sunday; nil stands for a day of another month.
    public var weeks: [[CalendarDay?]] {
        var weeks: [[CalendarDay?]] = []
        var monday = month.days.lowerBound.week.monday
        while monday <= month.days.upperBound {
            weeks.append((0..<7).map { monday.advanced(by: $0) }.map { $0.calendarMonth == month ? $0 : nil })
            monday = monday.advanced(by: 7)
        }
        return weeks
    }
}
