import Contract
import Days
import Fitness
import Workouts

/// What people ask of the workouts that are over.
extension RequestContract {
    private static let filter: [PayloadSchema.Field] = [
        .known("from", .time.about("of the first that began then or later")),
        .known("to", .time.about("of those that began before")), .known("activity", WorkoutNames.activitySchema),
    ]

    static let workoutsList = RequestContract(
        "Lists workouts, the latest first.",
        asks: filter + [
            .known("limit", .integer(in: WorkoutHistory.lines).about("50 if it is left out")),
            .known(
                "fields",
                .array(of: .text, atMost: Int64(LineFields.most))
                    .about("names of fields, such as distance_m or heart_rate.mean; all of them if it is left out")),
        ],
        answers: .record([
            .always("workouts", .array(of: WorkoutFigures.lineSchema, atMost: WorkoutHistory.lines.upperBound)),
            .known("next_to", .time.about("the `to` of what follows")),
        ]))

    static let workoutsShow = RequestContract(
        "Everything about a workout.",
        asks: [
            .always("id", .id),
            .known(
                "points",
                .integer(in: WorkoutHistory.points)
                    .about("how many a chart has at most, and the path; 200 if it is left out")),
            .known(
                "units",
                .word(Units.allCases.map(\.rawValue)).about(
                    "imperial: splits by the mile; all values are metric nevertheless")),
        ],
        answers: .object(
            "WorkoutDetail", "A workout that is over, with its charts.",
            WorkoutFigures.fields + [
                .known("note", .text), .known("corrections", .count.about("how many can be undone")),
                .known("part_of", .id.about("the workout that was split")),
                HeartRateZones.field, WorkoutFigures.target, WorkoutFigures.moving,
                WorkoutFigures.counts,
                .known(
                    "recordings",
                    recordings.about("by other devices; what one of these has counts where this one lacks it")),
                .known("pauses", .array(of: pause)), .known("splits", .array(of: split)), WorkoutFigures.best,
                .known("path", .array(of: .array(of: .array(of: .number))).about("pieces of [latitude, longitude]")),
                .known("over_distance", .array(of: station)), .known("heart_rates", .array(of: hearts)),
                .known(
                    "positions_differ",
                    .bool.about(
                        "whether they say a distance that is more than a fifth off from the device's: then nothing is made of them but the path"
                    )),
            ]))

    private static let recordings = PayloadSchema.array(
        of: .object(
            "WorkoutRecording", "Another recording of the same workout.",
            [
                .always("id", .id), .always("activity", .text), .known("name", .text), .always("started", .time),
                .known("ended", .time),
                .known("source", .text.about("what recorded it; not if it was started here")),
                .always("counts", .bool.about("whether it is the one that counts")),
            ]), atMost: Int64(WorkoutHistory.mostRecordings))

    private static let pause = PayloadSchema.object(
        "WorkoutPause", "An interruption.", [.always("from", .time), .always("to", .time)])

    private static let split = PayloadSchema.object(
        "WorkoutSplit", "A kilometre or a mile, or what is left of one at the end.",
        [
            .always("distance_m", .number), .always("seconds", .number), .known("ascent_m", .number),
            .known("heart_rate", .number.about("mean beats per minute")), .known("pace", WorkoutFigures.pace),
        ])

    private static let station = PayloadSchema.object(
        "WorkoutStation", "A point of the charts over distance.",
        [
            .always("distance_m", .number), .known("pace_s", .number.about("seconds for a kilometre")),
            .known("altitude_m", .number),
        ])

    private static let hearts = PayloadSchema.object(
        "WorkoutHeartRatePoint", "A point of the chart of heart rates, in beats per minute.",
        [
            .always("seconds", .number.about("of the workout, without pauses")), .always("mean", .number),
            .always("min", .count), .always("max", .count),
        ])

    static let workoutsDelete = RequestContract(
        "Deletes a workout, with its heart rates and its route, for good.", asks: [.always("id", .id)],
        answers: .record([
            .always("message", .text),
            .known("deleted", .count.about("how many heart rates; not if the request had done it before")),
        ]))

    static let workoutsPrefer = RequestContract(
        "Lets a recording count, in place of others of the same workout.", asks: [.always("id", .id)],
        answers: .record([
            .always("id", .id), .always("recordings", recordings.about("the others, which count nowhere")),
        ]))

    static let workoutsStatistics = RequestContract(
        "Workouts together.", asks: filter,
        answers: .record(
            [.always("workouts", .count.about("how many"))]
                + WorkoutSummary.Attribute.allCases.map {
                    .known(
                        $0.field,
                        .object(
                            "WorkoutStatistic", "An attribute of those workouts that have it, in the field's unit.",
                            [
                                .always("mean", .number), .always("max", .number), .known("total", .number),
                                .always("count", .count.about("of the workouts that have it")),
                            ]))
                }))

    static let workoutsRecords = RequestContract(
        "The best of each activity.", asks: filter,
        answers: .record([
            .always(
                "records",
                .array(
                    of: .object(
                        "WorkoutRecord", "One of the best: it has one of the values.",
                        [.always("activity", .text)]
                            + PersonalRecord.Kind.all.map { .known($0.field, .number) }
                            + [.always("id", .id), .always("started", .time)])))
        ]))

    static let workoutsLoad = RequestContract(
        "The training load of each day, up to today.",
        asks: [.known("days", .integer(in: WorkoutHistory.mostDays).about("90 if it is left out"))],
        answers: .record([
            .always(
                "days",
                .array(
                    of: .object(
                        "TrainingDay", "A day's load, and what comes of that of all days before.",
                        [
                            .always("day", .day), .always("load", .number), .always("fitness", .number),
                            .always("fatigue", .number), .always("form", .number),
                        ]), atMost: WorkoutHistory.mostDays.upperBound))
        ]))
}
