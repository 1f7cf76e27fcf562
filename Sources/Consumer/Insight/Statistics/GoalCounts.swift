import Contract
import Desk
import Fitness
import Telemetry

/// How often each goal was reached within some days, by day or by month. Only days count that had the goal, from the first
/// day of which anything is recorded up to the person's today.
package struct GoalCounts {
    /// What a row is about.
    package enum Period: String, CaseIterable, Sendable {
        case day, month

        /// How many days a reply is about at most: a year by day, and ten years by month.
        var mostDays: Int {
            switch self {
            case .day: 366
            case .month: 3660
            }
        }

        init(_ request: PeopleRequest) throws(ReplyError) {
            guard let text = try request.optionalText("by", atMost: 16) else {
                self = .day
                return
            }
            guard let period = Self(rawValue: text) else {
                throw ReplyError(.badRequest, "\"by\" has to be day or month", field: "by")
            }
            self = period
        }
    }

    /// How often, of how many days.
    private struct Count {
        var reached = 0
        var days = 0
    }

    private let days: ClosedRange<CalendarDay>
    private let period: Period
    /// In their order: the first day of each row, and what it has of each goal.
    private var rows: [(name: String, counts: [Goal: Count])] = []

    /// - Parameters:
    ///   - reached: which goals were reached; of other days, none were.
    ///   - first: the first day that counts; nil if none does.
    ///   - today: the last one.
    ///   - targets: which goals a day had.
    init(
        in days: ClosedRange<CalendarDay>, by period: Period, _ reached: [CalendarDay: Set<Goal>], since first: CalendarDay?,
        upTo today: CalendarDay, targets: (CalendarDay) -> GoalTargets
    ) {
        (self.days, self.period) = (days, period)
        for number in days.lowerBound.daysSince1970...days.upperBound.daysSince1970 {
            let day = CalendarDay(daysSince1970: number)
            let name = period == .day ? "\(day)" : "\(day.calendarMonth)"
            if rows.last?.name != name { rows.append((name, [:])) }
            guard let first, (first...max(first, today)).contains(day) else { continue }
            let (wanted, met) = (targets(day), reached[day] ?? [])
            for goal in Goal.allCases where wanted[goal] != nil || met.contains(goal) {
                rows[rows.count - 1].counts[goal, default: Count()].days += 1
                if met.contains(goal) { rows[rows.count - 1].counts[goal, default: Count()].reached += 1 }
            }
        }
    }

    /// As the reply has it.
    var json: JSON {
        [
            "from": .string("\(days.lowerBound)"), "to": .string("\(days.upperBound)"), "by": .string(period.rawValue),
            "rows": .array(
                rows.map { row in
                    let goals = Goal.allCases.compactMap { goal in
                        row.counts[goal].map { count in
                            JSON.Member(
                                goal.field,
                                ["reached": .integer(Int64(count.reached)), "days": .integer(Int64(count.days))])
                        }
                    }
                    return .object([
                        JSON.Member(period.rawValue, .string(row.name)), JSON.Member("goals", .object(goals)),
                    ])
                }),
        ]
    }

    /// What a row has.
    static func schema(day: PayloadSchema, month: PayloadSchema) -> PayloadSchema {
        let count = PayloadSchema.object(
            "GoalCount", "On how many days it was reached, of how many that had it, today among them.",
            [.always("reached", .count), .always("days", .count)])
        return .object(
            "GoalCounts", "How often each goal was reached on a day, or in a month.",
            [
                .known("day", day), .known("month", month),
                .always(
                    "goals",
                    .object("GoalCountsByGoal", "By the name of the goal.", Goal.allCases.map { .known($0.field, count) })),
            ])
    }
}
