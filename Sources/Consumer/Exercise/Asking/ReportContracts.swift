import Contract
import Fitness
import Workouts

/// What `workouts/report` asks and answers.
extension RequestContract {
    static let workoutsReport = RequestContract(
        "What workouts came to on a day, in a week, in a month or in a year.",
        asks: [
            .known("period", period.about("week if it is left out")),
            .known("day", .day.about("a day of the last period; today if it is left out")),
            .known("count", .integer(in: 1...Int64(ReportSpan.most)).about("of periods; 1 if it is left out")),
            .known("activity", WorkoutNames.activitySchema),
        ],
        answers: .record([
            .always("period", period), .always("by", .word(ReportSpan.Part.allCases.map(\.rawValue))),
            .always("from", .day), .always("to", .day),
            .always(
                "parts",
                .array(
                    of: .object(
                        "ReportPart", "A workout, or the workouts of a day, a week, a month or a year.",
                        [
                            .known("id", .id.about("of a workout")), .known("activity", .text.about("of a workout")),
                            .known("started", .time.about("of a workout")), .known("from", .day), .known("to", .day),
                        ] + totals + [
                            .known(
                                "goals",
                                .object(
                                    "ReportGoals", "A day's goals, which are for all that the person does.",
                                    Goal.allCases.map { .known($0.field, .number) }))
                        ]))),
            .always("total", .object("WorkoutTotals", "Workouts together.", totals)),
        ]))

    private static let period = PayloadSchema.word(ReportSpan.Period.allCases.map(\.rawValue))

    private static let totals: [PayloadSchema.Field] =
        [.always("workouts", .count)]
        + WorkoutSummary.Attribute.allCases.filter(\.hasTotal).map { .known($0.field, .number) }
        + [
            .known(
                "heart_rate",
                .object(
                    "ReportHeartRate", "Beats per minute; a long workout counts more.",
                    [.known("mean", .number), .known("min", .count), .known("max", .count)]))
        ]
}
