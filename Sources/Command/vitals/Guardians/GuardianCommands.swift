import Daemon

/// The commands about guardians, dependents, and what guardians are told of.
enum GuardianCommands {
    static let all = [place, guardians, dependents, areas, alerts]

    /// Does what the command line asks for; nil if it is none of these.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        switch arguments.command {
        case ["place"]: try ShownPlace(call, arguments).show()
        case ["place", "publish"]: try ShownPlace(call, arguments).publish()
        case ["guardians"]: try OwnGuardians(call, arguments).list()
        case ["guardians", "code"]: try OwnGuardians(call, arguments).code()
        case ["guardians", "allow"]: try OwnGuardians(call, arguments).allow()
        case ["guardians", "remove"]:
            try OwnGuardians(call, arguments).change("remove", "Remove") { "\($0) is removed" }
        case ["guardians", "block"]: try OwnGuardians(call, arguments).change("block", "Block") { "\($0) is blocked" }
        case ["guardians", "unblock"]:
            try OwnGuardians(call, arguments).change("unblock") { "\($0) is not blocked any more" }
        case ["guardians", "help"]: try OwnGuardians(call, arguments).help()
        case ["dependents"]: try Dependents(call, arguments).list()
        case ["dependents", "connect"]: try Dependents(call, arguments).connect()
        case ["dependents", "choose"]: try Dependents(call, arguments).choose()
        case ["dependents", "remove"]: try Dependents(call, arguments).remove()
        case ["dependents", "locate"]: try Dependents(call, arguments).locate()
        case ["dependents", "day"]: try Dependents(call, arguments).day()
        case ["areas"]: try Watching(call, arguments).areas()
        case ["areas", "set"]: try Watching(call, arguments).setArea()
        case ["areas", "remove"]: try Watching(call, arguments).remove("areas/remove", "area")
        case ["alerts"]: try Watching(call, arguments).alerts()
        case ["alerts", "set"]: try Watching(call, arguments).setAlert()
        case ["alerts", "remove"]: try Watching(call, arguments).remove("alerts/remove", "alert")
        case ["alerts", "confirm"]: try Watching(call, arguments).confirm()
        default: nil
        }
    }

    private static let yes = Option.flag("yes", short: "y", "does not ask first")
    private static let codeFile = Option.value("code-file", "FILE", "a file whose first line is the code")
    private static let guardian = Positional.required(
        "NAME", "the name or its beginning, or the id", offers: Offers.guardians.rawValue)
    private static let dependent = Positional.required(
        "NAME", "the name or its beginning, or the id", offers: Offers.dependents.rawValue)
    private static let about = Option.value(
        "of", "NAME", "only of this dependent", offers: Offers.dependents.rawValue)

    private static func onOff(_ name: String, _ help: String) -> Option {
        .value(name, "ON", help, values: ["on", "off"])
    }

    /// What areas and alerts have in common.
    private static let ofRules = [
        Option.value("escalate", "MINUTES", "tells the next guardian, if nobody has confirmed it by then"),
        onOff("enabled", "on or off: whether anything is told"),
    ]

    // MARK: Whose place is shown

    private static let place = Command(
        name: "place", summary: "Shows where you were last and how you move, or a dependent of yours.",
        discussion: """
            Without --of it shows whom your programs show: yourself, or the dependent whom you have chosen, as far as they let \
            you see it.
            """,
        optionsAlone: [
            .value(
                "of", "NAME", "a dependent, by the name or its beginning, or the id; or me",
                offers: Offers.dependents.rawValue)
        ],
        examples: [
            Example("vitals place"), Example("vitals place --of otto"), Example("vitals dependents choose otto"),
        ],
        subcommands: [
            Command(
                name: "publish", summary: "Says whether your own place is on a topic of yours, for other programs.",
                discussion:
                    "Nothing is published unless you say so: every program that is signed in as you can read the topic.",
                arguments: [.required("ON", "on or off", values: ["on", "off"])],
                examples: [Example("vitals place publish on")])
        ], runsAlone: true)

    // MARK: The dependent's side

    private static let guardians = Command(
        name: "guardians",
        summary: "Lists the people who watch over you, what each may see, and when they have looked.",
        discussion: """
            A guardian connects with your phone number or e-mail address and the code that you set. They see nothing before you allow it.
            """,
        examples: [
            Example("vitals guardians code", "sets the code, which you tell to your guardian"),
            Example("vitals guardians allow grace --location on --motion on"), Example("vitals guardians help"),
        ],
        subcommands: [
            Command(
                name: "code", summary: "Sets the verification code that guardians need, or removes it.",
                discussion: """
                    It has 6 to 64 characters. Guardians who are connected stay so. With --for, nobody else can connect with it, and nobody who \
                    tries codes keeps that guardian waiting.
                    """,
                options: [
                    codeFile,
                    .value("for", "WHOM", "the guardian's phone number or e-mail address: only they can connect"),
                    .flag("remove", "nobody can connect any more"),
                ], examples: [Example("vitals guardians code --for grace@example.org")]),
            Command(
                name: "allow", summary: "Says what a guardian may see. What you take back is gone at once.",
                options: [
                    onOff("location", "on or off: where you are, and your route of the day"),
                    onOff(
                        "motion",
                        "on or off: whether you stand still, walk, run, cycle or drive, and how much you exercise"),
                    onOff("steps", "on or off: today's steps and distance"),
                    onOff("heart-rate", "on or off: alerts when your heart rate is out of a range"),
                ], arguments: [guardian], examples: [Example("vitals guardians allow grace --location off")]),
            Command(
                name: "remove", summary: "Ends it: a guardian sees nothing more.", options: [yes], arguments: [guardian]
            ),
            Command(
                name: "block", summary: "Removes a guardian, who then cannot connect again.", options: [yes],
                arguments: [guardian]),
            Command(
                name: "unblock", summary: "Lets a blocked person connect again.", arguments: [.required("ID", "the id")]
            ),
            Command(
                name: "help", summary: "Tells all your guardians at once that you need help.",
                arguments: [.repeated("WORDS", "what they should know")],
                examples: [Example("vitals guardians help at the bus stop")]),
        ], runsAlone: true)

    // MARK: The guardian's side

    private static let dependents = Command(
        name: "dependents", summary: "Lists the people whom you watch over, and where they were last.",
        examples: [
            Example("vitals dependents connect +4915123456789"), Example("vitals dependents day otto"),
            Example("vitals dependents locate otto"),
        ],
        subcommands: [
            Command(
                name: "connect", summary: "Makes you the guardian of somebody who has told you their code.",
                options: [codeFile], arguments: [.required("WHOM", "their phone number or e-mail address")],
                examples: [Example("vitals dependents connect otto@example.org --code-file code")]),
            Command(
                name: "choose", summary: "Says whom your programs show: a dependent, or yourself with `me`.",
                arguments: [dependent], examples: [Example("vitals dependents choose me")]),
            Command(
                name: "remove", summary: "Ends it: you see nothing more of somebody.", options: [yes],
                arguments: [dependent]),
            Command(name: "locate", summary: "Asks somebody's phones where they are.", arguments: [dependent]),
            Command(
                name: "day", summary: "Draws somebody's route of a day.",
                arguments: [dependent, .optional("DAY", "such as 2026-11-25 (default: today)")],
                examples: [Example("vitals dependents day otto 2026-11-24")]),
        ], runsAlone: true)

    private static let areas = Command(
        name: "areas", summary: "Lists the areas of which you are told when somebody leaves or enters them.",
        discussion: "With the regions that somebody has set up in the app on their phone: each can become an area.",
        optionsAlone: [about],
        examples: [
            Example("vitals areas set otto --name Garden --circle 52.5,13.4,200"),
            Example("vitals areas set otto --region Home --enter on --from 22:00 --to 06:00"),
        ],
        subcommands: [
            Command(
                name: "set", summary: "Adds an area, or with --area replaces one.",
                options: [
                    .value("area", "ID", "the area that is replaced"), .value("name", "TEXT", "what it is called"),
                    .value("circle", "PLACE", "latitude, longitude and radius in metres: 52.5,13.4,200"),
                    .value("polygon", "PLACES", "its corners in their order: '52.5,13.4 52.6,13.4 52.6,13.5'"),
                    .value("region", "NAME", "a region of the phone's own"),
                    onOff("leave", "on or off: you are told when they leave it (default: on)"),
                    onOff("enter", "on or off: you are told when they enter it (default: off)"),
                    .value("from", "TIME", "only from this time of their day, such as 22:00"),
                    .value("to", "TIME", "only until this time"),
                    .value("weekdays", "DAYS", "only on these days: monday,tuesday"),
                ] + ofRules, arguments: [dependent]),
            Command(name: "remove", summary: "Removes an area.", arguments: [.required("ID", "the area")]),
        ], runsAlone: true)

    private static let alerts = Command(
        name: "alerts", summary: "Lists what you want to be told of, and what you were told.",
        discussion: """
            `silence` is no position for some minutes, `battery` a phone's battery below some percent, `heart-rate` a heart rate out of a range \
            for some minutes, `stillness` no movement by a time of the day. Vitals is no medical device.
            """,
        optionsAlone: [about],
        examples: [
            Example("vitals alerts set otto silence --minutes 60"),
            Example("vitals alerts set otto heart-rate --above 140 --minutes 10 --escalate 5"),
        ],
        subcommands: [
            Command(
                name: "set", summary: "Adds something to be told of, or with --alert replaces it.",
                options: [
                    .value("alert", "ID", "what is replaced"),
                    .value("minutes", "N", "of silence and heart-rate: for how long"),
                    .value("below", "N", "percent of a battery; of heart-rate, beats per minute"),
                    .value("above", "N", "of heart-rate, beats per minute"),
                    .value("at", "TIME", "of stillness: by when they have to have moved, such as 10:00"),
                ] + ofRules,
                arguments: [
                    dependent,
                    .required("KIND", "what it is", values: ["silence", "battery", "heart-rate", "stillness"]),
                ]),
            Command(
                name: "remove", summary: "Removes something to be told of.", arguments: [.required("ID", "its id")]),
            Command(
                name: "confirm", summary: "Says that you have seen an alert: nobody else is told of it.",
                arguments: [.required("ID", "the alert")]),
        ], runsAlone: true)
}
