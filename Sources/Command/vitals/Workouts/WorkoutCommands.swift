import Daemon

/// The commands about a person's workouts.
enum WorkoutCommands {
    static let all = [workout, Speaking.command]

    /// Does what the command line asks for; nil if it is none of these.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        if let code = try Speaking.execute(call, arguments) { return code }
        guard arguments.command.first == "workout" else { return nil }
        if let code = try WorkoutGear.execute(call, arguments) { return code }
        if let code = try WorkoutPlans.execute(call, arguments) { return code }
        if let code = try WorkoutCorrections.execute(call, arguments) { return code }
        switch arguments.command.dropFirst() {
        case ["start"]: return try Exercising(call, arguments).start()
        case ["pause"]: return try Exercising(call, arguments).change("pause", to: "paused")
        case ["resume"]: return try Exercising(call, arguments).change("resume", to: "resumed")
        case ["stop"]: return try Exercising(call, arguments).stop()
        case ["cancel"]: return try Exercising(call, arguments).cancel()
        case ["goal"], ["goal", "show"]: return try WorkoutGoals(call, arguments).show()
        case ["goal", "set"]: return try WorkoutGoals(call, arguments).set()
        case ["goal", "choose"]: return try WorkoutGoals(call, arguments).choose()
        case ["goal", "enable"]: return try WorkoutGoals(call, arguments).enable(true)
        case ["goal", "disable"]: return try WorkoutGoals(call, arguments).enable(false)
        case ["list"]: return try WorkoutLists(call, arguments).list()
        case ["show"]: return try WorkoutPage(call, arguments).show()
        case ["picture"]: return try PictureFiles(call, arguments).write()
        case ["delete"]: return try WorkoutLists(call, arguments).delete()
        case ["prefer"]: return try WorkoutLists(call, arguments).prefer()
        case ["stats"]: return try WorkoutLists(call, arguments).statistics()
        case ["records"]: return try WorkoutLists(call, arguments).records()
        case ["export"]: return try WorkoutExport(call, arguments).run()
        case ["import"]: return try WorkoutImport(call, arguments).run()
        case ["report"]: return try WorkoutReport(call, arguments).draw()
        case ["set"]: return try Exercising(call, arguments).set()
        case ["forecast"]: return try RaceForecasts(call, arguments).show()
        case ["load"]: return try TrainingLoad(call, arguments).draw()
        default: return try Exercising(call, arguments).current()
        }
    }

    static let yes = Option.flag("yes", short: "y", "does not ask first")
    private static let at = Option.value("at", "TIME", "when it was, if not now: such as -5min or 14:00")
    static let activities = ["running", "walking", "cycling"]

    private static let filter = [
        Option.value("from", "TIME", "only those that began since then, such as 2026-11-21 or -30d"),
        Option.value("to", "TIME", "only those that began before then"),
        Option.value("activity", "NAME", "only running, walking, cycling, or what you called it", values: activities),
    ]

    private static let id = Positional.required(
        "ID", "the workout's id, or latest", offers: Offers.workouts.rawValue)

    private static let workout = Command(
        name: "workout", aliases: ["workouts"], summary: "Starts and stops workouts, and shows how they went.",
        discussion: """
            Without a command, it shows the workout that is under way; `vitals watch` follows it.

            During a workout, heart rates are recorded whatever the profile says. Where you are is recorded only if you allow it: \
            `vitals consent --record-location on`, and `vitals phone add`.
            """,
        examples: [
            Example("vitals workout start running --goal '5000 m' --end-at-goal"), Example("vitals workout stop"),
            Example("vitals workout show latest"),
            Example("vitals workout list --from -30d --activity running"),
        ],
        subcommands: [start, pause, resume, stop, cancel, goal, WorkoutPlans.command, list, show, picture, set, prefer]
            + WorkoutCorrections.commands
            + [delete, stats, records, forecast, load, WorkoutReport.command, WorkoutGear.command, export, `import`],
        runsAlone: true)

    private static let start = Command(
        name: "start", summary: "Starts a workout.",
        discussion: """
            A goal is a number with its unit: 5000 m, 5 km, 3 mi, 30 min, 1.5 h, 8000 steps or 400 kcal. It is for this workout alone; \
            without --goal, that of the plan counts, or the chosen goal (vitals workout goal).
            """,
        options: [
            .value(
                "plan", "NAME", "starts from a plan, such as '5 km run': vitals workout plans",
                offers: Offers.plans.rawValue),
            .value("goal", "GOAL", "what you want to reach, such as '5000 m', '30 min', '8000 steps' or '400 kcal'"),
            .flag("end-at-goal", "ends the workout when this goal is reached"),
            .value(
                "zone", "N", "the zone of heart rate to stay in, 1 to 5: leaving it is said",
                values: ["1", "2", "3", "4", "5"]), gear, at,
        ],
        arguments: [
            .optional(
                "ACTIVITY", "running, walking, cycling, or a name of your own; not with --plan", values: activities)
        ],
        examples: [
            Example("vitals workout start running"),
            Example("vitals workout start cycling --goal '30 min' --end-at-goal"),
            Example("vitals workout start running --zone 2"), Example("vitals workout start 'Nordic skating'"),
            Example("vitals workout start --plan '5 km run' --gear 'Old shoes'"),
        ])

    private static let gear = Option.value(
        "gear", "NAME", "what it is done with, or none (default: what is used for the activity)",
        offers: Offers.gear.rawValue)

    private static let set = Command(
        name: "set", summary: "Says what a workout was done with.",
        options: [
            .value(
                "gear", "NAME", "the shoes or the bicycle, or none: vitals workout gear", offers: Offers.gear.rawValue)
        ],
        arguments: [
            .required(
                "ID", "the workout's id, latest, or current for the one that is under way",
                values: ["current"], offers: Offers.workouts.rawValue)
        ],
        examples: [
            Example("vitals workout set latest --gear 'Old shoes'"), Example("vitals workout set current --gear none"),
        ])

    private static let pause = Command(
        name: "pause", summary: "Interrupts the workout: what is measured now does not count.",
        options: [at])

    private static let resume = Command(
        name: "resume", summary: "Goes on with a workout that was paused.", options: [at])

    private static let stop = Command(
        name: "stop", summary: "Ends the workout, and keeps it.", options: [at],
        examples: [Example("vitals workout stop"), Example("vitals workout stop --at -10min")])

    private static let cancel = Command(
        name: "cancel", summary: "Ends the workout, and keeps nothing of it but what was measured.", options: [yes])

    private static let goal = Command(
        name: "goal", summary: "Shows or changes the goal of workouts.",
        discussion: "One goal of each kind is saved, and one of them is chosen. It cannot be changed during a workout.",
        examples: [
            Example("vitals workout goal set '5000 m'"), Example("vitals workout goal choose duration"),
            Example("vitals workout goal enable", "reaching the goal ends a workout"),
        ],
        subcommands: [
            Command(name: "show", summary: "Shows the saved goals."),
            Command(
                name: "set", summary: "Saves a goal, and chooses it.",
                arguments: [
                    .required(
                        "GOAL", "a number with its unit, such as '5000 m', '30 min', '8000 steps' or '400 kcal'")
                ],
                examples: [Example("vitals workout goal set '30 min'")]),
            Command(
                name: "choose", summary: "Chooses a goal that was saved before.",
                arguments: [
                    .required(
                        "KIND", "distance, duration, steps or energy",
                        values: WorkoutGoals.Kind.allCases.map(\.rawValue))
                ]),
            Command(name: "enable", summary: "Lets the chosen goal end a workout when it is reached."),
            Command(name: "disable", summary: "Lets workouts go on when the goal is reached."),
        ], runsAlone: true)

    private static let list = Command(
        name: "list", summary: "Lists your workouts, the latest first.",
        options: filter + [.value("limit", "N", "how many at most, 1 to 10000", default: "50")],
        examples: [
            Example("vitals workout list"), Example("vitals workout list --from 2026-11-01 --activity running --json"),
        ])

    private static let show = Command(
        name: "show", summary: "Shows a workout: figures, splits, graphs and the route.",
        discussion: """
            Pace (of a ride: speed) and altitude are drawn over distance, heart rates over the time without pauses, and the way \
            with north at the top; a mark shows where it begins.
            """,
        options: [.value("points", "N", "how many points a graph has, 2 to 1000 (default: what fits the terminal)")],
        arguments: [id],
        examples: [Example("vitals workout show latest"), Example("vitals workout show latest --json --points 1000")])

    private static let picture = Command(
        name: "picture", summary: "Writes a picture of a workout, to share.",
        discussion: """
            The way is drawn on plain ground, with pace (of a ride: speed) and altitude, and the numbers. What is within 200 m of \
            start and end is not in it, and the distance is told to a tenth of a kilometre: from there, nobody finds your door.
            """,
        options: [
            .value("output", "FILE", "where it is written: a name that ends with .png or .svg"),
            .value("hide", "DISTANCE", "how far from start and end the route is hidden, 1 m to 5 km (default: 200 m)"),
            .flag("hide-nothing", "shows the whole route, from your start to your end"),
            .value(
                "without", "WHAT", "leaves out heart-rate, date, or heart-rate,date",
                values: ["heart-rate", "date", "heart-rate,date"]),
            .flag("dark", "light on a dark ground"),
        ],
        arguments: [id],
        examples: [
            Example("vitals workout picture latest --output run.png"),
            Example("vitals workout picture latest --output run.svg --hide 500m --without heart-rate --dark"),
        ])

    private static let delete = Command(
        name: "delete", summary: "Deletes a workout and the heart rates of its time, for good.", options: [yes],
        arguments: [id], examples: [Example("vitals workout delete latest")])

    private static let prefer = Command(
        name: "prefer", summary: "Lets this recording of a workout count, in place of the others.",
        discussion: """
            If two devices recorded a workout, one recording counts, and takes from the other what it lacks: one that was started here, else \
            the one with more measurements. `vitals workout show` lists the recordings.
            """,
        arguments: [id], examples: [Example("vitals workout prefer n7u2c4x5k3mq6z7a")])

    private static let stats = Command(
        name: "stats", summary: "Shows what your workouts come to: mean, most and total.", options: filter,
        examples: [Example("vitals workout stats --from -30d")])

    private static let records = Command(
        name: "records", summary: "Lists your best of each activity.", options: filter,
        examples: [Example("vitals workout records --activity running")])

    private static let load = Command(
        name: "load", summary: "Draws your fitness, fatigue and form, as they follow from training load.",
        discussion: """
            Each day's load is Edwards' of its workouts. Fitness is its mean over some six weeks, and fatigue over one; \
            form is the one less the other.
            """,
        options: [.value("days", "N", "how many days, 1 to 700", default: "90")],
        examples: [Example("vitals workout load --days 180")])

    private static let forecast = Command(
        name: "forecast", summary: "Shows about how long a race would take you, and about your oxygen uptake.",
        discussion: """
            A race time follows from your best times of the last twelve weeks, over distances up to four times as long, and to the half-marathon. \
            Oxygen uptake is the median of your latest steady runs; it needs your highest heart rate and the one at rest in the profile.
            """)

    private static let export = Command(
        name: "export", summary: "Writes workouts as files that other programs read.",
        discussion: """
            FIT has everything; GPX has places, heart rate and cadence; TCX has places, heart rate, distance and laps. Without an ID, \
            all workouts are written that the options mean, each to a file of its own.
            """,
        options: filter + [
            .value(
                "format", "FORMAT", "fit, gpx or tcx", default: "fit",
                values: WorkoutExport.Format.allCases.map(\.rawValue)),
            .value("output", "PATH", "the file of one workout, or the folder of several", default: "."),
        ],
        arguments: [.optional("ID", "the workout's id, or latest", offers: Offers.workouts.rawValue)],
        examples: [
            Example("vitals workout export latest --format gpx --output run.gpx"),
            Example("vitals workout export --from 2026-01-01 --output my-workouts"),
        ])

    private static let `import` = Command(
        name: "import", summary: "Brings along what other devices and services have recorded.",
        discussion: """
            It reads FIT, GPX and TCX files, also compressed; folders of these; archives of Garmin, Strava and others as they come; Apple \
            Health's export.zip or export.xml, and what Gadgetbridge exports, its database included, with heart rates and steps of all day. What is there already is \
            recognised, so the same file can be imported again; so is what another device has recorded at the same time. Where you were is kept only if you allow it: \
            `vitals consent --record-location on`.
            """,
        options: [Option.flag("keep-both", "imports a workout even if one of that time is there already")],
        arguments: [.repeated("FILE", "files, folders and archives")],
        examples: [
            Example("vitals workout import run.fit"), Example("vitals workout import export_12345.zip"),
            Example("vitals workout import ~/Gadgetbridge"),
        ])
}
