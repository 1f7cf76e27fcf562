import Daemon
import MQTT

/// What can be typed.
enum Commands {
    static let vitals = Command(
        name: "vitals",
        summary: "Shows what the sensors of a household say and how your days were, and looks after your account.",
        discussion: """
            It speaks MQTT with the broker that the gateway uses. Whoever has signed in there is that person; everybody else \
            needs no more rights than the household's: to read what gateways publish, and to ask for something.

            What the command line leaves out is taken from the settings file, and what that leaves out has a default. A \
            settings file looks like { broker: { host: "127.0.0.1", port: 1883 }, gateway: "home" }.

            Times are local.
            """,
        options: [
            .value("settings", "FILE", "the settings file (default: ~/.config/vitals/vitals.json5, if it is there)"),
            .value("host", "HOST", "the broker's name or address (default: 127.0.0.1)"),
            .value("port", "PORT", "the broker's port (default: 1883)"),
            .value(
                "protocol", "NAME", "mqtt5 or mqtt3.1.1 (default: mqtt5)",
                values: Call.ProtocolName.allCases.map(\.rawValue)),
            .value("username", "NAME", "the user that the broker is to check"),
            .value("password-file", "FILE", "a file whose first line is that user's password, or the account's"),
            .flag("anonymous", "goes to the broker without a name, signed in or not"),
            .flag("tls", "speaks TLS with the broker, mostly with --port 8883"),
            .value("ca-file", "FILE", "the same, and trusts the certificates in it (default: the system's)"),
            .value("gateway", "ID", "only this gateway (default: all; to ask something: the only one)"),
            .value(
                "timeout", "SECONDS", "how long to wait for the broker and for answers (default: 10; for connect: 60)"),
            .flag("json", "prints JSON for programs, one object a line"),
        ],
        examples: [
            Example("vitals watch", "shows heart rates as they come"),
            Example("vitals read steps", "asks the only sensor for its step count"),
            Example("vitals scan", "shows which sensors are near"),
            Example("vitals status --json"),
            Example("vitals week", "draws the steps of this week, for whoever is signed in"),
            Example("vitals sign-up ada@example.org", "makes an account; then: vitals enrol, vitals claim"),
        ],
        exitCodes: ExitCode.allCases,
        subcommands: [watch, read, scan, connect, disconnect, forget, rename, sensors, status] + DaysCommands.all
            + FriendsCommands.all
            + PeopleCommands.all + [completion])

    private static let watch = Command(
        name: "watch", summary: "Shows heart rates, running and cycling as they come, and sensors as they come and go.",
        discussion: """
            It waits for the broker no longer than --timeout at the start, and as long as it takes later. Ctrl-C ends it.

            Colours appear on a terminal only, and not where NO_COLOR is set. With --json only measurements are \
            printed, each with its gateway and its sensor.
            """,
        options: [.value("count", "N", "ends after so many measurements")],
        arguments: [.optional("SENSOR", "only this sensor")],
        examples: [
            Example("vitals watch"),
            Example("vitals watch strap --json --count 100 > heart-rates.jsonl"),
        ],
        exitCodes: [.ok, .failure, .usage, .unavailable, .temporary, .configuration])

    private static let read = Command(
        name: "read", summary: "Asks a sensor for a reading.",
        discussion: """
            Without --mine a gateway is asked, which takes the rights of its household. With --mine, whoever is signed in asks for \
            a sensor that is theirs, wherever it is; SENSOR is written attic/strap then.
            """,
        options: [.flag("mine", "asks for a sensor of your own")], exitCodes: ExitCode.allCases,
        subcommands: [
            Command(
                name: "steps", summary: "Asks a sensor for its step count.", arguments: [sensor],
                examples: [
                    Example("vitals read steps"), Example("vitals read steps strap --json"),
                    Example("vitals read steps --mine"),
                ],
                exitCodes: ExitCode.allCases),
            Command(
                name: "temperature", summary: "Asks a sensor for a body temperature.", arguments: [sensor],
                examples: [Example("vitals read temperature"), Example("vitals read temperature strap --json")],
                exitCodes: ExitCode.allCases),
        ])

    private static let scan = Command(
        name: "scan", summary: "Looks for sensors, and shows each as it is found.",
        discussion: """
            The gateway scans, for what Vitals can use unless --service or --all says otherwise: heart rate, thermometer, \
            running, cycling, physical activity. A device is shown by its name, its address, how strong it is heard, its \
            battery and its services, and with the id of the sensor that it is; a star marks what is connected.

            A sensor that has no link to anybody advertises: close the app that holds it, and wear it. Where nothing is \
            found, it says what was heard and what to try, and ends with 69.
            """,
        options: [
            .value("seconds", "N", "how long, 1 to 254", default: "10"),
            .value("service", "NAME", "only with this service: a name such as heart-rate, or a UUID", isRepeated: true),
            .flag("all", "every device, whatever it offers"),
        ],
        examples: [
            Example("vitals scan"), Example("vitals scan --seconds 30 --service heart-rate"),
            Example("vitals scan --all --json"),
        ],
        exitCodes: ExitCode.allCases)

    private static let connect = Command(
        name: "connect", summary: "Connects a device, which becomes a sensor, or a sensor again.",
        discussion: """
            The gateway keeps it connected from then on, over its restarts, too. A device needs to be near and awake: \
            `vitals scan` shows it. A sensor that was disconnected is connected again by its id.
            """,
        options: [
            .value("sensor", "ID", "what it is to be called in topics (default: made of its name)"),
            .value("name", "NAME", "what it is to be called by people (default: its own name)"),
        ],
        arguments: [.required("DEVICE", "a device's address or name, or a sensor's id")],
        examples: [
            Example("vitals connect C0:FF:EE:00:00:01 --sensor strap"), Example("vitals connect 'Polar H10'"),
            Example("vitals connect strap"),
        ],
        exitCodes: ExitCode.allCases)

    private static let disconnect = Command(
        name: "disconnect", summary: "Disconnects a sensor, until it is connected again.",
        discussion: """
            It stays disconnected, over restarts of the gateway, too, until `vitals connect`: others can use it meanwhile.

            On a terminal it asks first. Without one, as in a script, it does not.
            """,
        options: [yes], arguments: [sensor],
        examples: [Example("vitals disconnect strap"), Example("vitals disconnect --yes")],
        exitCodes: ExitCode.allCases)

    private static let forget = Command(
        name: "forget", summary: "Forgets a sensor: its link, its bond, its address.",
        discussion: """
            A sensor that was added by `vitals connect` is gone then. One of the gateway's settings is looked for anew, and \
            paired anew where it needs that: what helps when a sensor has lost its bond, or was replaced by another.

            On a terminal it asks first. Without one, as in a script, it does not.
            """,
        options: [yes], arguments: [sensor], examples: [Example("vitals forget strap")], exitCodes: ExitCode.allCases)

    private static let rename = Command(
        name: "rename", summary: "Gives a sensor another name; its id stays.",
        arguments: [
            .required("SENSOR", "the sensor's id"),
            .required("NAME", "what people are to call it; '' for the sensor's own name"),
        ],
        examples: [Example("vitals rename strap 'Chest strap'")], exitCodes: ExitCode.allCases)

    private static let yes = Option.flag("yes", short: "y", "does not ask first")

    private static let sensor = Positional.optional(
        "SENSOR", "the sensor's id; may be left out where there is one only")

    private static let sensors = Command(
        name: "sensors", summary: "Lists the sensors, where they are worn and what they can do.",
        examples: [Example("vitals sensors"), Example("vitals sensors --gateway home --json")],
        exitCodes: ExitCode.allCases)

    private static let status = Command(
        name: "status", summary: "Shows how the gateways are: Bluetooth, sensors, and what waits to be stored.",
        examples: [Example("vitals status")], exitCodes: ExitCode.allCases)

    private static let completion = Command(
        name: "completion", summary: "Prints a script with which the shell completes these commands.",
        arguments: [.required("SHELL", "bash", values: Shell.allCases.map(\.rawValue))],
        examples: [
            Example("source <(vitals completion bash)", "for this shell"),
            Example(
                "vitals completion bash > ~/.local/share/bash-completion/completions/vitals",
                "for all later ones, with the package bash-completion"),
        ])

    /// What completion there is.
    enum Shell: String, CaseIterable {
        case bash
    }
}
