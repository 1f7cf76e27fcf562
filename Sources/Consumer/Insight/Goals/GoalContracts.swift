import Contract
import Days
import Fitness

/// What `goals/…` ask and answer.
extension RequestContract {
    private static let goals = PayloadSchema.record([
        .always("goals", DayTotals.goalsSchema),
        .always(
            "week",
            .object(
                "WeekGoals", "How far the goals of this week are, and those that the person has not set.",
                [.always("from", .day.about("Monday")), .always("to", .day)]
                    + WeekGoal.allCases.map { .always($0.field, DayTotals.goalSchema) })),
    ])

    static let goalsGet = RequestContract("How far the goals of the day and of the week are.", answers: goals)

    static let goalsSet = RequestContract(
        """
        Sets goals of each day and of each week, from today on: a goal that is left out stays, and null removes it. Goals of a week are \
        days on which every goal of the day is reached, and minutes of activity.
        """,
        asks: Goal.allCases.map { goal in
            .known(goal.field, .number(in: Goals.limits[goal] ?? 1...1).orNull)
        }
            + WeekGoal.allCases.map { goal in .known(goal.field, .number(in: goal.targets).orNull) } + [
                .known(
                    "distance_on_foot", .bool.about("true to count only what is done on foot; only beside `distance_m`")
                )
            ],
        answers: goals)

    static let goalsShare = RequestContract(
        "What to show others of a goal and a day.",
        asks: [
            .known("goal", .word(Goal.allCases.flatMap(names)).about("steps if it is left out")),
            .known("day", .day.about("today if it is left out")),
        ],
        answers: .record([
            .always("text", .text), .always("svg", .text.about("a picture, less than 8 KiB")),
            .known("link", .text.about("as the settings have it")),
        ]))

    private static func names(_ goal: Goal) -> [String] {
        goal.rawValue == goal.field ? [goal.field] : [goal.rawValue, goal.field]
    }
}
