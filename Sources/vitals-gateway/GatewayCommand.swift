import Daemon

/// The command line of `vitals-gateway`.
let gatewayCommand = Command(
    name: "vitals-gateway",
    summary: "Bridges Bluetooth fitness sensors into MQTT.",
    discussion: """
        Streams heart rates to a topic, answers requests for steps and temperature, and hands every reading, sealed, to the \
        consumer. It may be started before the broker, the message bus, bluetoothd and the sensors: it waits for each, and \
        says for what.
        """,
    options: [
        .value("settings", "FILE", "the settings file, JSON5", default: "/etc/vitals/gateway.json5")
    ],
    examples: [
        Example("vitals-gateway --settings gateway.json5", "runs until SIGTERM or Ctrl-C"),
        Example("vitals-gateway identity --settings gateway.json5", "prints what the consumer's settings want to know"),
    ],
    exitCodes: [.ok, .failure, .usage, .configuration],
    subcommands: [
        Command(
            name: "identity",
            summary:
                "Prints the gateway's public key, for the consumer's settings; makes its identity if there is none.",
            exitCodes: [.ok, .failure, .usage, .configuration])
    ],
    runsAlone: true)
