import Daemon
import MQTT

/// What can be typed.
enum Commands {
    static let vitals = Command(
        name: "vitals", summary: "Shows what the sensors of a household say.",
        discussion: """
            It speaks MQTT with the broker that the gateway uses, and needs no more rights than the household's: to read \
            what gateways publish, and to ask for readings.

            What the command line leaves out is taken from the settings file, and what that leaves out has a default. A \
            settings file looks like { broker: { host: "127.0.0.1", port: 1883 }, gateway: "home" }.

            Times are local.
            """,
        options: [
            .value("settings", "FILE", "the settings file (default: ~/.config/vitals/vitals.json5, if it is there)"),
            .value("host", "HOST", "the broker's name or address (default: 127.0.0.1)"),
            .value("port", "PORT", "the broker's port (default: 1883)"),
            .value("protocol", "NAME", "mqtt5 or mqtt3.1.1 (default: mqtt5)"),
            .value("username", "NAME", "the user that the broker is to check"),
            .value("password-file", "FILE", "a file whose first line is the user's password"),
            .value("gateway", "ID", "only this gateway (default: all; for read: the only one)"),
            .value("timeout", "SECONDS", "how long to wait for the broker and for answers", default: "10"),
            .flag("json", "prints JSON for programs, one object a line"),
        ],
        examples: [
            Example("vitals watch", "shows heart rates as they come"),
            Example("vitals read steps", "asks the only sensor for its step count"),
            Example("vitals status --json"),
        ],
        exitCodes: ExitCode.allCases,
        subcommands: [watch, read, sensors, status])

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
        name: "read", summary: "Asks a sensor for a reading.", exitCodes: ExitCode.allCases,
        subcommands: [
            Command(
                name: "steps", summary: "Asks a sensor for its step count.", arguments: [sensor],
                examples: [Example("vitals read steps"), Example("vitals read steps strap --json")],
                exitCodes: ExitCode.allCases),
            Command(
                name: "temperature", summary: "Asks a sensor for a body temperature.", arguments: [sensor],
                examples: [Example("vitals read temperature"), Example("vitals read temperature strap --json")],
                exitCodes: ExitCode.allCases),
        ])

    private static let sensor = Positional.optional(
        "SENSOR", "the sensor's id; may be left out where there is one only")

    private static let sensors = Command(
        name: "sensors", summary: "Lists the sensors, where they are worn and what they can do.",
        examples: [Example("vitals sensors"), Example("vitals sensors --gateway home --json")],
        exitCodes: ExitCode.allCases)

    private static let status = Command(
        name: "status", summary: "Shows how the gateways are: Bluetooth, sensors, and what waits to be stored.",
        examples: [Example("vitals status")], exitCodes: ExitCode.allCases)
}
