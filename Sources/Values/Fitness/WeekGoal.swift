/// What somebody can want to reach in a week, Monday to Sunday.
public enum WeekGoal: String, CaseIterable, Hashable, Sendable, Codable, CodingKeyRepresentable {
    /// Days with every goal of the day reached.
    case days
    /// Minutes of activity: those that are vigorous count twice (`DayWorkout.activityMinutes`).
    case minutes

    /// The goal's name beside those of days: `week_days`, `week_minutes`.
    public var field: String { "week_\(rawValue)" }

    /// What a target may be. There are seven days in a week, and 10,080 minutes.
    public var targets: ClosedRange<Double> { self == .days ? 1...7 : 1...10_080 }
}

/// What the goals of a week are about.
public struct GoalWeek: Hashable, Sendable {
    /// What is known of one of its days.
    public struct Day: Hashable, Sendable {
        /// What was to be reached on it.
        public let wanted: Set<Goal>
        /// What was.
        public let reached: Set<Goal>
        /// Minutes of activity.
        public let minutes: Double

        /// A day from its parts.
        public init(wanted: Set<Goal>, reached: Set<Goal>, minutes: Double) {
            (self.wanted, self.reached, self.minutes) = (wanted, reached, minutes)
        }

        /// Whether everything was reached that was to be.
        var isFull: Bool { !wanted.isEmpty && wanted.isSubset(of: reached) }
    }

    /// How many days have every goal reached.
    public let fullDays: Int
    /// Minutes of activity.
    public let minutes: Double

    /// A week from those of its days that have anything.
    public init(_ days: some Sequence<Day>) {
        (fullDays, minutes) = days.reduce(into: (0, 0.0)) { sums, day in
            sums.0 += day.isFull ? 1 : 0
            sums.1 += day.minutes
        }
    }

    /// How far a goal's value has come: whole days or whole minutes, rounded down.
    public subscript(goal: WeekGoal) -> Double { goal == .days ? Double(fullDays) : minutes.rounded(.down) }
}

/// How many days, or weeks, in a row a goal was reached.
///
/// The one that is under way adds one as soon as the goal is reached, and breaks nothing before it is over.
public struct Streak: Hashable, Sendable {
    /// How many.
    public private(set) var length = 0
    /// Whether those before cannot make it longer.
    public private(set) var isOver = false
    private var hasBegun = false

    /// An empty one.
    public init() {}

    /// One from whether the goal was reached, the latest day last: that one is under way.
    public init(_ reached: [Bool]) {
        for isReached in reached.reversed() { goBack(isReached) }
    }

    /// Goes back to the day or week before; the first one is that which is under way.
    public mutating func goBack(_ isReached: Bool) {
        defer { hasBegun = true }
        guard !isOver else { return }
        if isReached { length += 1 } else if hasBegun { isOver = true }
    }
}

/// What somebody hears of a goal that turns out to be reached.
public enum GoalNews: Hashable, Sendable {
    /// It is of the day, or the week, that is under way.
    case now
    /// It is of the one before: late readings have brought it.
    case before
    /// Nothing.
    case silent

    /// - Parameters:
    ///   - age: how many days, or weeks, are since.
    ///   - isKnown: whether the person knows what has brought it, such as an import.
    public init(age: Int, isKnown: Bool) {
        self = isKnown || !(0...1).contains(age) ? .silent : age == 0 ? .now : .before
    }
}
