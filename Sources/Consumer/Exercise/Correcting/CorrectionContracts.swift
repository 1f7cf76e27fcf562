import Contract
import Workouts

/// What people ask to correct a workout.
extension RequestContract {
    private static let title = PayloadSchema.Field.known(
        "title", .text(atMost: WorkoutNames.longestBytes).about("what the person calls it; empty for none"))
    private static let note = PayloadSchema.Field.known(
        "note", .text(atMost: CorrectionRequests.longestNote.bytes).about("at most 1,000 characters; empty for none"))
    private static let workouts = PayloadSchema.record([
        .always(
            "workouts",
            .array(of: WorkoutFigures.lineSchema, atMost: Int64(KeptWorkout.mostJoined)).about("as they are now"))
    ])

    static let workoutsEdit = RequestContract(
        "Corrects a workout that is over. What is left out stays as it is.",
        asks: [
            .always("id", .id), title, note, .known("activity", WorkoutNames.activitySchema),
            .known("from", .time.about("a new start, within the workout")),
            .known("to", .time.about("a new end, within the workout")),
        ],
        answers: workouts)

    static let workoutsSplit = RequestContract(
        "Makes two workouts of one.",
        asks: [.always("id", .id), .always("at", .time.about("when the second one begins"))], answers: workouts)

    static let workoutsJoin = RequestContract(
        "Makes one workout of several, with pauses in between. It has the id of the earliest one.",
        asks: [
            .always(
                "ids",
                .array(of: .id, atMost: Int64(KeptWorkout.mostJoined))
                    .about("of workouts that do not overlap, with at most six hours between them")),
            .known("activity", WorkoutNames.activitySchema.about("that of the earliest if it is left out")),
        ],
        answers: workouts)

    static let workoutsUndo = RequestContract(
        "Takes back the latest correction of a workout, or all.",
        asks: [.always("id", .id), .known("all", .bool.about("whether it becomes what it was at first"))],
        answers: workouts)

    static let workoutsAdd = RequestContract(
        "Adds a workout by hand.",
        asks: [
            .always("activity", WorkoutNames.activitySchema), .always("started", .time),
            .always("duration_s", .integer(in: CorrectionRequests.seconds)),
            .known("distance_m", .number(in: CorrectionRequests.metres)),
            .known("energy_kcal", .number(in: CorrectionRequests.kilocalories).about("beyond rest")),
            .known("heart_rate", .integer(in: CorrectionRequests.heartRates).about("the mean")), title, note,
            .known("gear", .text(atMost: WorkoutNames.longestBytes).about("its id or its name; null for none").orNull),
        ],
        answers: workouts)
}
