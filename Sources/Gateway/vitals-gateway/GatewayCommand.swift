import Daemon

/// The command line of `vitals-gateway`.
let gatewayCommand = Command(
    name: "vitals-gateway",
    summary: "Bridges Bluetooth fitness sensors into MQTT.",
    discussion: """
        Streams heart rates to a topic, answers requests for steps and temperature, and hands every reading, sealed, to the \
        consumer. It may be started before the broker, the message bus, bluetoothd and the sensors: it waits for each of them, \
        and says what it is waiting for, even before it is enrolled. At SIGHUP, it reads settings and enrolment again, and \
        restarts with them.
        """,
    options: [
        .value("settings", "FILE", "the settings file, JSON5", default: "/etc/vitals/gateway.json5")
    ],
    examples: [
        Example("vitals-gateway --settings gateway.json5", "runs until SIGTERM or Ctrl-C"),
        Example("vitals-gateway enrol", "asks for a code, and enrols this gateway"),
        Example("vitals-gateway claim-code strap", "prints what makes a sensor yours"),
        Example("vitals-gateway identity --settings gateway.json5", "prints its public key for the consumer"),
    ],
    subcommands: [
        Command(
            name: "enrol",
            summary: "Enrols this gateway with a consumer, using a code.",
            discussion: """
                `vitals enrol` gets a code and runs this; `vitals-consumer enrol-code` prints one, too. It is read from standard \
                input, or asked for on a terminal, and works once, within an hour. Its secret part is not sent \
                anywhere: both sides prove that they know it.

                What it leaves in the state folder says who this gateway is, how it signs in to the broker, and which consumer \
                it believes; the settings file then does not have to say so. A running gateway restarts with it.
                """,
            options: [
                .flag("again", "even if the gateway is already enrolled"),
                .value("timeout", "SECONDS", "how long to wait for the broker and for the consumer", default: "30"),
            ],
            examples: [
                Example("vitals-gateway enrol"), Example("ssh cloud vitals-consumer enrol-code | vitals-gateway enrol"),
            ]),
        Command(
            name: "claim-code",
            summary: "Prints the command that makes a sensor yours.",
            discussion: """
                A person who runs that command while signed in owns the sensor: from then on, its readings are recorded for them. A \
                code works once, for at least ten minutes. It is made without asking anybody, so this machine's clock must be right.
                """,
            arguments: [.optional("SENSOR", "the sensor's id; may be left out if there is only one")],
            examples: [Example("vitals-gateway claim-code strap")]),
        Command(
            name: "identity",
            summary:
                "Prints the gateway's public key, for the consumer's settings; makes its identity if there is none."),
        Command(
            name: "settings",
            summary: "Prints what the settings come to, as one JSON object without secrets; changes nothing.",
            discussion: """
                `vitals doctor` runs this. It refuses settings that the gateway would refuse, with the same message. Of files that \
                hold secrets, it prints only the names.
                """),
    ],
    runsAlone: true)
