import Contract
import TrainingPlans

/// What `training/get`, `set`, `offer`, `choose`, `unchoose`, `exercises` and `exercise` ask and answer.
extension RequestContract {
    private static let muscle = PayloadSchema.word(Muscle.allCases.map(\.rawValue))
    private static let muscles = PayloadSchema.array(of: muscle, atMost: Int64(Muscle.allCases.count))
    private static let tool = PayloadSchema.word(Equipment.allCases.map(\.rawValue))
    private static let equipment = PayloadSchema.array(of: tool, atMost: Int64(Equipment.allCases.count))
    private static let level = PayloadSchema.word(TrainingLevel.allCases.map(\.rawValue))
    private static let kind = PayloadSchema.word(TrainingKind.allCases.map(\.rawValue))
    private static let seed = PayloadSchema.integer(in: 0...Int64(UInt32.max))
    private static let minutes = PayloadSchema.integer(
        in: Int64(PlanRequest.minutes.lowerBound)...Int64(PlanRequest.minutes.upperBound))
    static let planToken = PayloadSchema.text(from: 1, atMost: PlanToken.longest).about("the token of a plan")

    private static let preferences = PayloadSchema.object(
        "TrainingPreferences", "What a person has at hand, and what there is.",
        [
            .always("equipment", equipment), .always("level", level), .always("known_equipment", equipment),
            .always("muscles", muscles), .always("exercises", .count.about("how many there are")),
        ])

    private static let planned = PayloadSchema.object(
        "PlannedExercise", "One exercise of a plan: repetitions or seconds.",
        [
            .always("exercise", .text.about("its id")), .always("name", .text),
            .always("part", .word(PlannedExercise.Part.allCases.map(\.rawValue))), .always("sets", .count),
            .known("repetitions", .count), .known("work_s", .count), .always("rest_s", .count),
            .known("zone", .integer(in: 1...5).about("the zone of the heart rate that it is meant to be done in")),
            .always("primary", muscles), .always("secondary", muscles), .always("equipment", tool),
        ])

    private static let plan = PayloadSchema.object(
        "TrainingPlan", "A plan that a workout can follow.",
        [
            .always("plan", planToken.about("makes the same plan again")), .always("kind", kind), .always("title", .text),
            .always("level", level), .always("duration_s", .count),
            .known("energy_kcal", .number.about("an estimate; left out without a weight")),
            .always("muscles", muscles.about("the most worked first")), .always("exercises", .array(of: planned)),
        ])

    static let trainingGet = RequestContract("What the person has at hand, and what there is.", answers: preferences)

    static let trainingSet = RequestContract(
        "Says what is at hand, and how experienced the person is. What is left out stays as it is.",
        asks: [.known("equipment", equipment), .known("level", level)], answers: preferences)

    static let trainingOffer = RequestContract(
        "Offers plans that fit the person.",
        asks: [
            .known("kind", kind.about("any if it is left out")), .known("minutes", minutes.about("30 if it is left out")),
            .known("equipment", equipment.about("what was set, if it is left out")),
            .known(
                "muscles",
                .array(of: muscle, atMost: Int64(PlanRequest.mostFavoured)).about(
                    "that come first; those that had least in the last seven days, if it is left out")),
            .known("seed", seed.about("that of an earlier offer: the same plans again")),
            .known("random", .bool.about("one at random, instead of \(PlanOffers.count)")),
        ],
        answers: .record([
            .always("seed", seed), .always("offers", .array(of: plan, atMost: Int64(PlanOffers.count))),
            .always("notes", .array(of: .text).about("for people")),
        ]))

    static let trainingChoose = RequestContract(
        "Chooses a plan for this week.", asks: [.always("plan", planToken)],
        answers: .record([.always("choice", .id)] + weekFields))

    static let trainingUnchoose = RequestContract(
        "Takes back a choice.", asks: [.always("choice", .id)], answers: .record(weekFields))

    private static let exercise: [PayloadSchema.Field] = [
        .always("exercise", .text.about("its id")), .always("name", .text),
        .always("category", .word(TrainingExercise.Category.allCases.map(\.rawValue))), .always("level", level),
        .always("equipment", tool), .always("primary", muscles), .always("secondary", muscles),
    ]

    static let trainingExercises = RequestContract(
        "Lists the exercises that plans are made of.",
        asks: [
            .known("muscle", muscle.about("only those that work it")), .known("equipment", tool), .known("level", level),
            .known("text", .text(atMost: PlanQuestions.longestText).about("a part of the name")),
            .known("after", .text(atMost: 64).about("the cursor of the part before")),
        ],
        answers: .record([
            .always(
                "exercises",
                .array(
                    of: .object("TrainingExercise", "An exercise.", exercise), atMost: Int64(PlanQuestions.page))),
            .known("next", .text.about("the cursor of what follows")),
        ]))

    static let trainingExercise = RequestContract(
        "An exercise, and how it is done.", asks: [.always("exercise", .text(atMost: 64).about("its id"))],
        answers: .record(exercise + [.always("instructions", .array(of: .text))]))
}
