import Contract
import Exercise
import TrainingPlans
import Workouts

/// What `training/start`, `next`, `previous`, `skip` and `current` ask and answer.
extension RequestContract {
    /// What the topic `training` has.
    static let trainingNow = PayloadSchema.object(
        "Training", "The training that is under way, and what is to be done now.",
        [
            .always("time", .time), .always("workout", .id), .always("plan", planToken),
            .always("kind", .word(TrainingKind.allCases.map(\.rawValue))), .always("title", .text),
            .always("exercise", .text.about("its id")), .always("name", .text),
            .always("part", .word(PlannedExercise.Part.allCases.map(\.rawValue))),
            .always("number", .count.about("which exercise it is, from 1")), .always("of", .count),
            .always("set", .count.about("which set, from 1")), .always("sets", .count), .known("repetitions", .count),
            .always("phase", .word(PlanProgress.Phase.allCases.map(\.rawValue))),
            .known("ends", .time.about("when the set or rest ends by itself")),
            .known("left_s", .count.about("while it is paused: how long the set or rest will last then")),
            .known("zone", .integer(in: 1...5).about("the zone that the heart rate is meant to be in")),
            .known("in_zone", .bool.about("whether it is; left out while no heart rate is measured")),
            .known("next", .text.about("the exercise that comes next, if it is another one")),
            .always("muscles", .array(of: .word(Muscle.allCases.map(\.rawValue)))),
        ])

    static let trainingStart = RequestContract(
        "Starts a workout that follows a plan.",
        asks: [
            .known("plan", planToken), .known("choice", .id.about("in place of a plan: the plan that was chosen")),
        ],
        answers: .record([
            .always("workout", WorkoutFigures.schema.orNull), .always("training", trainingNow.orNull),
        ]))

    static let trainingNext = RequestContract("The set is done, or the rest is over.", answers: trainingNow)

    static let trainingPrevious = RequestContract(
        "Goes back to the set that was done, or to the one before.", answers: trainingNow)

    static let trainingSkip = RequestContract("Goes on to the next exercise.", answers: trainingNow)

    static let trainingCurrent = RequestContract(
        "The training that is under way.", answers: .record([.always("training", trainingNow.orNull)]))
}
