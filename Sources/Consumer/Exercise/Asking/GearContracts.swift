import Contract
import Workouts

/// What `gear/…` and `plans/…` ask and answer.
extension RequestContract {
    private static let kind = PayloadSchema.word(Gear.Kind.allCases.map(\.rawValue))
    private static let activities = PayloadSchema.array(
        of: WorkoutNames.activitySchema, atMost: Int64(Gear.mostActivities)
    ).about("that it is used for, if a workout does not say")
    private static let before = PayloadSchema.number(in: Gear.metres)
        .about("metres that it had come before it was added")

    private static let fields: [PayloadSchema.Field] = [
        .always("id", .id), .always("name", .text), .always("kind", kind), .always("before_m", before),
        .always("activities", .array(of: .text)), .always("retired", .bool), .always("added", .time),
    ]
    private static let piece = PayloadSchema.record([
        .always("gear", .object("Gear", "What workouts are done with.", fields))
    ])
    private static let gear = PayloadSchema.Field.always(
        "gear", .text(atMost: WorkoutNames.longestBytes).about("its id or its name"))
    private static let optional: [PayloadSchema.Field] = [
        .known("before_m", before), .known("activities", activities), .known("retired", .bool),
    ]

    static let gearList = RequestContract(
        "Lists the person's gear, and what was done with it.",
        answers: .record([
            .always(
                "gear",
                .array(
                    of: .object(
                        "UsedGear", "A piece of gear, and what was done with it.",
                        fields + [
                            .always("distance_m", .number.about("with what it had come before")),
                            .always("duration_s", .number), .always("workouts", .count), .known("last_used", .time),
                        ]), atMost: Int64(GearList.most)))
        ]))

    static let gearAdd = RequestContract(
        "Adds a piece of gear.", asks: [.always("name", WorkoutNames.schema), .always("kind", kind)] + optional,
        answers: piece)

    static let gearChange = RequestContract(
        "Changes a piece of gear. What is left out stays as it is.",
        asks: [gear, .known("name", WorkoutNames.schema), .known("kind", kind)] + optional, answers: piece)

    static let gearDelete = RequestContract(
        "Deletes a piece of gear. The workouts stay.", asks: [gear], answers: piece)

    private static let plan = PayloadSchema.object(
        "WorkoutPlan", "An activity and a goal under a name.",
        [
            .always("name", .text), .always("activity", .text), .known("goal", WorkoutGoal.schema),
            .always("predefined", .bool.about("whether everybody has it")),
        ])
    private static let onePlan = PayloadSchema.record([.always("plan", plan)])

    static let plansList = RequestContract(
        "Lists the plans of everybody and the person's own.", answers: .record([.always("plans", .array(of: plan))]))

    static let plansSave = RequestContract(
        "Keeps a plan, in place of the person's plan of that name.",
        asks: [
            .always("name", WorkoutNames.schema), .always("activity", WorkoutNames.activitySchema),
            .known("goal", WorkoutGoal.askedSchema),
        ],
        answers: onePlan)

    static let plansDelete = RequestContract(
        "Deletes a plan of the person's.", asks: [.always("name", WorkoutNames.schema)], answers: onePlan)
}
