import Accounts
import Contract
import Days
import Fitness
import Telemetry

/// What `training/week` and `training/day` ask and answer.
extension RequestContract {
    private static let muscles = PayloadSchema.array(
        of: .object(
            "MuscleWork", "What was done for a muscle.",
            [
                .always("muscle", .text), .always("sets", .count.about("of exercises that work it most")),
                .always("duration_s", .count.about("of these exercises, rests included")),
            ]))

    private static let chosen = PayloadSchema.object(
        "ChosenPlan", "A plan that was chosen for the week.",
        [
            .always("choice", .id), .always("plan", .text.about("its token")), .always("kind", .text),
            .always("title", .text), .always("duration_s", .count), .always("time", .time.about("when it was chosen")),
            .known("done", .id.about("the workout in which it was done")),
        ])

    private static let last = PayloadSchema.object(
        "LastWorkout", "The latest workout of all.",
        [.always("workout", .id), .always("time", .time), .always("title", .text)])

    static let weekFields: [PayloadSchema.Field] = [
        .always("from", .day), .always("to", .day),
        .always("chosen", .array(of: chosen, atMost: Int64(WeekSelection.most))),
        .always("workouts", .count.about("of any kind")),
        .always("duration_s", .count.about("of all of them, without pauses")),
        .always("muscles", muscles.about("those with the most sets first")),
        .always("exercises", .count.about("how many were done")), .known("last", last),
    ]

    static let trainingWeek = RequestContract(
        "What was chosen and done in a week.",
        asks: [.known("day", .day.about("a day of it; today if it is left out"))], answers: .record(weekFields))

    static let trainingDay = RequestContract(
        "A day in a few figures.",
        asks: [.known("day", .day.about("today if it is left out"))],
        answers: .record(
            [
                .always("day", .day),
                .known(
                    "energy_kcal",
                    .number.about("of the day's workouts; a training whose figures have none counts with its plan's estimate")),
                .always("duration_s", .count), .always("workouts", .count), .always("muscles", muscles),
                .always(
                    "progress",
                    .record(Goal.allCases.map { .known($0.field, .number) }).about("of each goal, in percent")),
                .always("picture", .bool.about("whether the person has one")),
            ] + Profile.bodyMassFields))
}
