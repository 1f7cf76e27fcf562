import Daemon
import Fitness

/// The commands about training by plans.
enum TrainCommands {
    static let all = [train]

    /// Does what the command line asks for; nil if it is none of these.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        guard arguments.command.first == "train" else { return nil }
        let plans = TrainingPlans(call, arguments)
        return switch arguments.command.dropFirst() {
        case ["week"]: try TrainingWeeks(call, arguments).week()
        case ["day"]: try TrainingWeeks(call, arguments).day()
        case ["choose"]: try TrainingWeeks(call, arguments).choose()
        case ["unchoose"]: try TrainingWeeks(call, arguments).unchoose()
        case ["start"]: try Following(call, arguments).start()
        case ["next"]: try Following(call, arguments).take("next")
        case ["previous"]: try Following(call, arguments).take("previous")
        case ["skip"]: try Following(call, arguments).take("skip")
        case ["now"]: try Following(call, arguments).now()
        case ["watch"]: try Following(call, arguments).watch()
        case ["exercises"]: try plans.exercises()
        case ["exercise"]: try plans.exercise()
        case ["equipment"]: try plans.equipment()
        case ["level"]: try plans.level()
        default: try plans.offer()
        }
    }

    static let kinds = ["weights", "intervals"]
    static let levels = ["beginner", "intermediate"]

    private static let plan = Positional.required(
        "PLAN", "the plan of an offer, or the id or title of a choice of this week", offers: Offers.choices.rawValue)
    private static let choice = Positional.required(
        "CHOICE", "its id or its title", offers: Offers.choices.rawValue)
    private static let day = Positional.optional(
        "DAY", "such as 2026-11-21, or yesterday (default: today)", values: CalendarDay.words)

    private static let train = Command(
        name: "train", summary: "Offers workouts that fit you, and follows one set by set.",
        discussion: """
            Without a command, it offers three plans of half an hour. They follow from your profile, from what you have at hand (vitals train \
            equipment) and from the muscles that had least in the last seven days. This is no medical advice.

            A workout that follows a plan is paused, resumed, stopped and cancelled like any other: vitals workout stop.
            """,
        examples: [
            Example("vitals train"), Example("vitals train offer --kind intervals --minutes 20"),
            Example("vitals train start PLAN"), Example("vitals train next"), Example("vitals train week"),
        ],
        subcommands: [
            offer,
            Command(
                name: "choose", summary: "Chooses a plan for this week.",
                arguments: [.required("PLAN", "the plan of an offer")]),
            Command(name: "unchoose", summary: "Takes back a choice.", arguments: [choice]),
            Command(name: "week", summary: "Shows what was chosen and done in a week.", arguments: [day]),
            Command(name: "day", summary: "Shows what a day's workouts came to.", arguments: [day]),
            Command(name: "start", summary: "Starts a workout that follows a plan.", arguments: [plan]),
            Command(name: "next", summary: "Says that the set is done, or ends the rest."),
            Command(name: "previous", summary: "Goes back to the set that was done, or to the one before."),
            Command(name: "skip", summary: "Goes on to the next exercise."),
            Command(name: "now", summary: "Shows what is to be done now."),
            Command(name: "watch", summary: "Follows the training, with its timer; Ctrl-C ends it."),
            exercises,
            Command(
                name: "exercise", summary: "Shows how an exercise is done.",
                arguments: [.required("EXERCISE", "its id, as `vitals train exercises` lists it")]),
            Command(
                name: "equipment", summary: "Shows or sets what you have at hand.",
                arguments: [.optional("NAMES", "a list such as dumbbell,bands; or none")],
                examples: [
                    Example("vitals train equipment dumbbell,'exercise ball'"), Example("vitals train equipment none"),
                ]),
            Command(
                name: "level", summary: "Shows or sets for whom plans are made.",
                arguments: [.optional("LEVEL", "beginner or intermediate", values: levels)]),
        ], runsAlone: true)

    private static let offer = Command(
        name: "offer", summary: "Offers plans.",
        discussion: """
            The same --seed leads to the same plans, as long as your profile, your equipment and the muscles that come first are the same. A plan's \
            own name always leads to that plan.
            """,
        options: [
            .value("kind", "KIND", "weights or intervals (default: either)", values: kinds),
            .value("minutes", "N", "how long, 10 to 90 (default: 30)"),
            .value("equipment", "NAMES", "what is at hand this time: a list such as dumbbell,bands; or none"),
            .value("muscles", "NAMES", "what comes first: a list such as chest,'lower back'"),
            .value("seed", "N", "that of an earlier offer"), .flag("random", "one plan at random, instead of three"),
        ],
        examples: [
            Example("vitals train offer --minutes 45 --equipment dumbbell"),
            Example("vitals train offer --random --json"),
        ])

    private static let exercises = Command(
        name: "exercises", summary: "Lists the exercises that plans are made of.",
        options: [
            .value("muscle", "NAME", "only those that work it, such as chest"),
            .value("equipment", "NAME", "only those with it, such as 'body only'"),
            .value("level", "LEVEL", "only those for beginner or intermediate", values: levels),
            .value("text", "TEXT", "only those with this in their name"),
        ],
        examples: [Example("vitals train exercises --muscle chest --equipment 'body only'")])
}
