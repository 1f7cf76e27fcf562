import Contract
import Fitness
import Workouts

/// What people ask of the workout that is under way, and of its goal.
extension RequestContract {
    private static let at = PayloadSchema.Field.known(
        "at", .time.about("when it was, within the last 24 hours; now if it is left out"))
    private static let gear = PayloadSchema.text(atMost: WorkoutNames.longestBytes).about("its id or its name").orNull
    private static let underWay = PayloadSchema.Field.always("workout", WorkoutFigures.schema.orNull)

    static let workoutsStart = RequestContract(
        "Starts a workout, of an activity or of a plan.",
        asks: [
            .known("activity", WorkoutNames.activitySchema), .known("plan", WorkoutNames.schema.about("its name")),
            .known("goal", WorkoutGoal.askedSchema), .known("gear", gear), at,
            .known(
                "zone",
                .integer(in: 1...Int64(HeartRateFacts.zones)).about(
                    "the zone of heart rate to stay in: leaving it is said")),
        ],
        answers: .record([
            underWay, .known("location", .text.about("if the route is not recorded: how to allow it")),
        ]))

    static let workoutsPause = RequestContract("Interrupts the workout.", asks: [at], answers: .record([underWay]))

    static let workoutsResume = RequestContract("Goes on with the workout.", asks: [at], answers: .record([underWay]))

    static let workoutsStop = RequestContract(
        "Ends the workout.", asks: [at],
        answers: .record([.always("state", .only(WorkoutTimer.State.stopped.rawValue)), .always("id", .id)]))

    static let workoutsCancel = RequestContract(
        "Ends the workout, of which nothing is kept except for the readings.", asks: [at],
        answers: .record([.always("state", .only(WorkoutTimer.State.cancelled.rawValue))]))

    static let workoutsCurrent = RequestContract("The workout that is under way.", answers: .record([underWay]))

    static let workoutsGoal = RequestContract(
        "Saves and chooses a goal of workouts, or asks for what is chosen.",
        asks: WorkoutGoal.targets + [
            .known("kind", kind.about("chooses what was saved")),
            .known("enabled", .bool.about("whether reaching it ends a workout")),
        ],
        answers: .record([
            .always("targets", .object("SavedTargets", "What was saved, by its field.", WorkoutGoal.targets)),
            .known("chosen", kind), .always("enabled", .bool),
            .known("percent", .number.about("of the workout that is under way")), .known("message", .text),
        ]))

    private static let kind = PayloadSchema.word(WorkoutGoal.Kind.allCases.map(\.rawValue))

    static let workoutsSet = RequestContract(
        "Says what a workout is or was done with.",
        asks: [
            .always("gear", gear), .known("workout", .id.about("the one that is under way, if it is left out")),
        ],
        answers: .record([.always("id", .id), .always("gear", GearList.schema.orNull)]))
}

extension WorkoutGoal {
    /// The target of each kind.
    static let targets: [PayloadSchema.Field] = Kind.allCases.map { .known($0.field, $0.schema) }

    /// What requests have.
    static let askedSchema = PayloadSchema.object(
        "AskedWorkoutGoal", "A target in the field of its kind; with a plan that has one, `enabled` alone.",
        targets + [.known("enabled", .bool.about("whether reaching it ends the workout"))])
}

extension WorkoutNames {
    /// What people call a plan, a piece of gear or an activity of their own.
    static let schema = PayloadSchema.text(from: 1, atMost: longestBytes)

    static let activitySchema = schema.about("running, walking, cycling, or a name of your own")
}
