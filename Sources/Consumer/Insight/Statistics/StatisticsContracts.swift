import Contract
import Days
import Fitness

/// What `statistics/…` ask and answer.
extension RequestContract {
    static let statistics: KeyValuePairs<String, RequestContract> = [
        "statistics/today": RequestContract("The day so far.", answers: DayTotals.daySchema),
        "statistics/day": RequestContract(
            "A day.", asks: [.always("day", .day)], answers: DayTotals.daySchema),
        "statistics/week": RequestContract(
            "The days of a week, Monday to Sunday, and all of them together.",
            asks: [.known("day", .day.about("a day of it; today if it is left out"))],
            answers: .record([
                .always("from", .day), .always("to", .day), .always("days", days(atMost: 7)), summary,
            ])),
        "statistics/month": RequestContract(
            "The days of a month, and all of them together.",
            asks: [.known("month", month.about("this month if it is left out"))],
            answers: .record([.always("month", month), .always("days", days(atMost: 31)), summary])),
        "statistics/year": RequestContract(
            "The months of a year, January to December, and all of them together.",
            asks: [.known("year", year.about("this year if it is left out"))],
            answers: .record([
                .always("year", year),
                .always(
                    "months",
                    .array(of: PeriodTotals.schema("MonthTotals", [.always("month", month)]), atMost: 12)),
                summary,
            ])),
        "statistics/years": RequestContract(
            "Each year in which anything was recorded, the latest \(StatisticsQuestion.mostYears) at most.",
            answers: .record([
                .always(
                    "years",
                    .array(
                        of: PeriodTotals.schema("YearTotals", [.always("year", year)]),
                        atMost: Int64(StatisticsQuestion.mostYears)))
            ])),
        "statistics/summary": RequestContract(
            "All days of a span together, which touches at most \(StatisticsQuestion.mostYears) years.",
            asks: [.always("from", .day), .always("to", .day.about("the same day, or a later one"))],
            answers: PeriodTotals.schema("SummaryTotals", [.always("from", .day), .always("to", .day)])),
        "goals/reached": RequestContract(
            """
            How often each goal was reached, by day (at most \(GoalCounts.Period.day.mostDays) days) or by month (at most \
            \(GoalCounts.Period.month.mostDays)).
            """,
            asks: [
                .always("from", .day), .always("to", .day.about("the same day, or a later one")),
                .known("by", .word(GoalCounts.Period.allCases.map(\.rawValue)).about("day if it is left out")),
            ],
            answers: .record([
                .always("from", .day), .always("to", .day), .always("by", .word(GoalCounts.Period.allCases.map(\.rawValue))),
                .always(
                    "rows",
                    .array(of: GoalCounts.schema(day: .day, month: month), atMost: Int64(GoalCounts.Period.day.mostDays))),
            ])),
        "goals/streaks": RequestContract(
            """
            On how many days, or in how many weeks, each goal was reached in a row, at most ten years. The day or week that is under \
            way adds one once the goal is reached, and breaks nothing before it is over.
            """,
            answers: .record([
                .always("day", .day.about("today")),
                .always(
                    "days",
                    .object("DayStreaks", "By the name of the goal: days in a row.", Goal.allCases.map { .known($0.field, .count) })),
                .always(
                    "weeks",
                    .object("WeekStreaks", "By the name of the goal: weeks in a row.", WeekGoal.allCases.map { .known($0.field, .count) })),
            ])),
    ]

    private static let month = PayloadSchema.text(matching: "^[0-9]{4}-[0-9]{2}$")
    private static let year = PayloadSchema.integer(in: StatisticsQuestion.askedYears)
    private static let summary = PayloadSchema.Field.always("summary", PeriodTotals.schema("PeriodTotals", []))

    private static func days(atMost limit: Int64) -> PayloadSchema { .array(of: DayTotals.daySchema, atMost: limit) }
}

extension PeriodTotals {
    /// What `json` has.
    /// - Parameter own: which period it is.
    fileprivate static func schema(_ name: String, _ own: [PayloadSchema.Field]) -> PayloadSchema {
        let amounts = PayloadSchema.object(
            "PeriodAmounts", "The sum, and mean and maximum of the days that have a value.",
            [.always("total", .number), .always("mean", .number), .always("max", .number)])
        let temperature = PayloadSchema.object(
            "PeriodTemperature", "Degrees Celsius.",
            [.always("mean", .number), .always("min", .number), .always("max", .number)])
        let goal = PayloadSchema.object(
            "PeriodGoal", "On how many days it was reached, and the latest target.",
            [.always("reached", .count), .known("target", .number)])
        return .object(
            name, "What the days of a period have come to.",
            own + [
                .always("recorded_days", .count), .known("steps", amounts), .known("distance_m", amounts),
                .known("distances_m", DistanceKind.schema), .known("energy_kcal", amounts), .known("temperature_c", temperature),
                .known(
                    "heart_rate",
                    .object(
                        "PeriodHeartRate", "Beats per minute, and seconds in the zones 1 to 5.", HeartRateDay.fields)),
                .always(
                    "goals",
                    .object("PeriodGoals", "By the name of the goal.", Goal.allCases.map { .known($0.field, goal) })),
            ])
    }
}
