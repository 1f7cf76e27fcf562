import Daemon

/// The commands that can be typed.
enum Commands {
    static let vitals = Command(
        name: "vitals",
        summary: "Shows what the sensors of a household measure and how your days went, and manages your account.",
        discussion: """
            It speaks MQTT to the broker that the gateway uses. A person who has signed in asks as that person; anybody \
            else only needs the rights of the household, which are to read what gateways publish and to ask for readings.

            What the command line leaves out is taken from the environment, then from the settings file, and otherwise has a \
            default. A settings file looks like \(Call.exampleOfSettings).

            Times are local.
            """,
        options: [
            .value("settings", "FILE", "the settings file (default: ~/.config/vitals/vitals.json5, if it is there)"),
            .value("host", "HOST", "the broker's name or address; otherwise 127.0.0.1", variable: "VITALS_HOST"),
            .value("port", "PORT", "the broker's port; otherwise 1883", variable: "VITALS_PORT"),
            .value(
                "protocol", "NAME", "mqtt5 or mqtt3.1.1 (default: mqtt5)",
                values: Call.ProtocolName.allCases.map(\.rawValue)),
            .value("username", "NAME", "the name of the user at the broker"),
            .value("password-file", "FILE", "a file whose first line is that user's password, or the account's"),
            .flag("anonymous", "connects to the broker without a name, even if you are signed in"),
            .flag("tls", "speaks TLS to the broker, usually with --port 8883"),
            .value("ca-file", "FILE", "the same, but trusts the certificates in FILE (default: the system's)"),
            .value(
                "gateway", "ID", "only this gateway (default: all; to ask something: the only one)",
                offers: Offers.gateways.rawValue),
            .value(
                "timeout", "SECONDS", "how long to wait for the broker and for answers (default: 10; for connect: 60)"),
            .flag("json", "prints JSON for programs, one object on each line; also errors"),
        ],
        examples: [
            Example("vitals watch", "shows heart rates as they come"),
            Example("vitals read steps", "asks the only sensor for its step count"),
            Example("vitals scan", "shows which sensors are nearby"),
            Example("vitals status --json"),
            Example("vitals week", "draws your steps of this week, if you are signed in"),
            Example("vitals sign-up ada@example.org", "makes an account; then: vitals enrol, vitals claim"),
        ],
        subcommands: groups.flatMap { heading, commands in
            commands.map { $0.grouped(heading).leading(tried[$0.name] ?? [:]) }
        }
    ).leading([
        "add": "connect", "pair": "connect", "list": "sensors", "hr": "heart-rate", "heart": "heart-rate", "night": "heart-rate night",
        "steps": "today", "login": "sign-in", "logout": "sign-out", "register": "sign-up", "settings": "profile", "start": "workout start",
        "stop": "workout stop", "run": "workout start", "import": "workout import", "report": "workout report", "plan": "train",
        "invite": "friends invite", "family": "guardians", "me": "account",
    ])

    /// Words that people try below a command.
    private static let tried = [
        "friends": ["add": "invite", "new": "invite", "request": "invite", "delete": "remove"],
        "goals": ["add": "set", "new": "set", "change": "set", "steps": "set"],
        "groups": ["add": "create", "new": "create", "invite": "code"],
        "guardians": ["add": "code", "invite": "code", "delete": "remove"],
        "dependents": ["add": "connect", "new": "connect", "delete": "remove"],
        "reminders": ["new": "add", "set": "add", "remove": "delete"],
        "meals": ["add": "log", "eat": "log", "remove": "delete"],
        "workout": ["end": "stop", "begin": "start", "new": "start", "remove": "delete"],
        "areas": ["add": "set", "new": "set", "delete": "remove"],
        "alerts": ["add": "set", "new": "set", "delete": "remove"],
        "posts": ["new": "add", "remove": "delete"],
        "phone": ["connect": "add", "new": "add", "delete": "remove"],
        "push": ["new": "add", "delete": "remove"],
        "share": ["report": "week", "weekly": "week", "run": "workout"],
    ]

    /// All commands, as the help lists them.
    private static let groups: [(heading: String, commands: [Command])] =
        [("The household's sensors", [watch, read, scan, connect, disconnect, forget, rename, sensors, status])]
        + [
            ("Your days", DaysCommands.all + [Quotes.command]), ("Your workouts", WorkoutCommands.all),
            ("Your training", TrainCommands.all), ("Your meals", [MealCommands.command]), ("Music", [MusicCommands.command]),
            ("Your reminders", ReminderCommands.all), ("Your friends", FriendsCommands.all),
            ("Groups and training partners", GroupCommands.all), ("Posts", [PostsCommands.command]),
            ("Sharing", [ShareCommands.command]), ("Guardians", GuardianCommands.all),
        ]
        + PeopleCommands.groups + [("This machine", [Setup.command, Doctor.command]), ("This program", [completion])]

    /// The names of all commands.
    static let names = Set(vitals.subcommands.map(\.name))

    /// The options that a hint to run another command repeats: all of the program's, except those about one command's
    /// output and time limit, and the one that ignores a sign-in.
    static let repeatedOptions = vitals.options.filter { !["anonymous", "timeout", "json"].contains($0.name) }

    private static let watch = Command(
        name: "watch", summary: "Shows heart rates, running and cycling as they come, and sensors as they come and go.",
        discussion: """
            At the start, it waits for the broker no longer than --timeout; later, it waits as long as it takes. Ctrl-C ends it.

            If you are signed in and a workout of yours is under way, it is shown below as a dashboard, instead of single \
            measurements; not with SENSOR, --count or --json.

            Colours appear only on a terminal, and not if NO_COLOR is set. With --json, only measurements are \
            printed, each with its gateway and its sensor.
            """,
        options: [.value("count", "N", "ends after this many measurements")],
        arguments: [.optional("SENSOR", "only this sensor", offers: Offers.sensors.rawValue)],
        examples: [
            Example("vitals watch"),
            Example("vitals watch strap --json --count 100 > heart-rates.jsonl"),
        ])

    private static let read = Command(
        name: "read", summary: "Asks a sensor for a reading.",
        discussion: """
            Without --mine, it asks a gateway, which takes the rights of the gateway's household. With --mine, it asks for a \
            sensor that is yours, wherever that is; then SENSOR is written as attic/strap.
            """,
        options: [.flag("mine", "asks for a sensor of your own")],
        subcommands: [
            Command(
                name: "steps", summary: "Asks a sensor for its step count.", arguments: [sensor],
                examples: [
                    Example("vitals read steps"), Example("vitals read steps strap --json"),
                    Example("vitals read steps --mine"),
                ]),
            Command(
                name: "temperature", summary: "Asks a sensor for a body temperature.", arguments: [sensor],
                examples: [Example("vitals read temperature"), Example("vitals read temperature strap --json")]),
        ])

    private static let scan = Command(
        name: "scan", summary: "Looks for sensors, and shows each as it is found.",
        discussion: """
            The gateway scans for what Vitals can use, unless --service or --all says otherwise: heart rate, thermometer, \
            running, cycling, power, location, physical activity. A device is shown with its name, its address, its signal strength, its \
            battery and its services, and with the sensor's id if it is a sensor; a star marks devices that are connected.

            A sensor advertises only while nothing is connected to it: close the app that holds it, and wear the sensor. If \
            nothing is found, the command says what was heard and what to try, and ends with 69.
            """,
        options: [
            .value("seconds", "N", "how long, 1 to 254", default: "10"),
            .value("service", "NAME", "only with this service: a name such as heart-rate, or a UUID", isRepeated: true),
            .flag("all", "every device, whatever it offers"),
        ],
        examples: [
            Example("vitals scan"), Example("vitals scan --seconds 30 --service heart-rate"),
            Example("vitals scan --all --json"),
        ])

    private static let connect = Command(
        name: "connect", summary: "Connects a device, which becomes a sensor, or a sensor again.",
        discussion: """
            From then on, the gateway keeps it connected, even after restarts. A device needs to be nearby and awake: \
            `vitals scan` shows it. A sensor that was disconnected is connected again by its id.
            """,
        options: [
            .value("sensor", "ID", "its id in topics (default: made from its name)"),
            .value("name", "NAME", "its name for people (default: its own)"),
        ],
        arguments: [
            .required("DEVICE", "a device's address or name, or a sensor's id", offers: Offers.sensors.rawValue)
        ],
        examples: [
            Example("vitals connect C0:FF:EE:00:00:01 --sensor strap"), Example("vitals connect 'Polar H10'"),
            Example("vitals connect strap"),
        ])

    private static let disconnect = Command(
        name: "disconnect", summary: "Disconnects a sensor, until it is connected again.",
        discussion: """
            It stays disconnected until `vitals connect`, even after restarts of the gateway: others can use it in the meantime.

            On a terminal, it asks first. Without one, as in a script, it does not.
            """,
        options: [yes], arguments: [sensor],
        examples: [Example("vitals disconnect strap"), Example("vitals disconnect --yes")])

    private static let forget = Command(
        name: "forget", summary: "Forgets a sensor: its link, its bond, its address.",
        discussion: """
            A sensor that was added with `vitals connect` is then gone. A sensor of the gateway's settings is looked for again, \
            and paired again if it needs that. This helps if a sensor has lost its bond, or was replaced by another one.

            On a terminal, it asks first. Without one, as in a script, it does not.
            """,
        options: [yes], arguments: [sensor], examples: [Example("vitals forget strap")])

    private static let rename = Command(
        name: "rename", summary: "Gives a sensor another name; its id stays.",
        arguments: [
            .required("SENSOR", "the sensor's id", offers: Offers.sensors.rawValue),
            .required("NAME", "the new name; '' for the sensor's own name"),
        ],
        examples: [Example("vitals rename strap 'Chest strap'")])

    private static let yes = Option.flag("yes", short: "y", "does not ask first")

    private static let sensor = Positional.optional(
        "SENSOR", "the sensor's id; may be left out if there is only one", offers: Offers.sensors.rawValue)

    private static let sensors = Command(
        name: "sensors", summary: "Lists the sensors, where they are worn and what they can do.",
        examples: [Example("vitals sensors"), Example("vitals sensors --gateway home --json")])

    private static let status = Command(
        name: "status", summary: "Shows the state of the gateways: Bluetooth, sensors, and what waits to be stored.",
        examples: [Example("vitals status")])

    private static let completion = Command(
        name: "completion", summary: "Prints a script with which the shell completes these commands.",
        discussion: """
            The script also completes sensors, gateways, devices, phones, addresses, workouts, gear, plans, choices, reminders, friends, groups and partners: it runs `vitals completion sensors` and so on, which \
            prints their names, one on each line, or nothing if the broker does not answer within a second.
            """,
        arguments: [
            .required(
                "WHAT",
                "bash, zsh, fish: the script; or one of \(Offers.allCases.map(\.rawValue).joined(separator: ", "))",
                values: CompletionShell.allCases.map(\.rawValue) + Offers.allCases.map(\.rawValue))
        ],
        examples: [
            Example("source <(vitals completion bash)", "for this shell"),
            Example(
                "vitals completion bash > ~/.local/share/bash-completion/completions/vitals",
                "for all later shells, with the package bash-completion"),
            Example("vitals completion zsh > ~/.zfunc/_vitals", "for zsh, if ~/.zfunc is in its fpath"),
            Example("vitals completion fish > ~/.config/fish/completions/vitals.fish", "for fish"),
        ])
}
