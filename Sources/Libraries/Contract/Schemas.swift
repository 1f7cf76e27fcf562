import Telemetry

/// What gateways publish, and requests and replies have, in the order in which the payloads write it.
enum Schemas {
    static let status = PayloadSchema.object(
        "Status", "Whether a gateway or a consumer is there; the will has no time.",
        [.always("state", .word(["online", "offline"])), .known("time", .time), .known("instance", .text)])

    static let availability = PayloadSchema.word(["online", "offline"])
        .named("Availability", "Whether a sensor can be used.")

    static let gatewayInfo = PayloadSchema.object(
        "GatewayInfo", "What a gateway is.",
        [
            .always("version", .text), .always("adapters", .array(of: .text)),
            .always(
                "settings",
                .object(
                    "GatewaySettings", "Those settings that may be shown.",
                    [
                        .always("live", .bool), .always("sensors", .array(of: .id)), .always("enrolled", .bool),
                        .known("receiver", .id), .known("music", .bool),
                    ])),
        ])

    static let health = PayloadSchema.object(
        "Health", "A gateway's counters for its operators, since its start unless they say otherwise.",
        [
            .always("time", .time),
            .always(
                "outbox",
                .object(
                    "OutboxHealth", "What waits to be stored by the consumer.",
                    [
                        .always("journal", .count), .always("blocks", .count), .always("bytes", .count),
                        .always("limit_bytes", .count), .known("full_percent", .percent), .always("oldest_s", .count),
                    ])),
            .known("disk", .word(["ok", "full", "failing"])), .known("disk_since", .time), .always("dropped", .count),
            .always("dead", .count), .always("not_recorded", .count), .always("recorded", .count),
            .always("malformed", .count), .always("memory_kb", .count),
            .always(
                "sensors",
                .object(
                    "SensorCounts", "How many sensors there are.",
                    [.always("configured", .count), .always("connected", .count)])),
            .always("bluetooth", .text), .always("broker_reconnects", .count), .always("clock", .text),
            .always("recorded_sensors", .array(of: .id)), .known("consumer", .word(["online", "offline", "older"])),
        ])

    static let sensorInfo = PayloadSchema.object(
        "SensorInfo", "What a sensor says of itself.",
        [
            .known("name", .text), .known("manufacturer", .text), .known("model", .text), .known("firmware", .text),
            .known("battery", .percent),
            .always(
                "capabilities",
                .array(
                    of: .word([
                        "heart-rate", "steps", "temperature", "running", "cycling", "power", "location",
                    ]))),
            .known("body_location", .text), .known("bonded", .bool), .known("paused", .bool),
        ])

    static let heartRate = PayloadSchema.object(
        "HeartRate", "A heart rate as it was measured.",
        [
            .always("time", .time), .always("bpm", .integer(from: 0, through: 65_535)), .known("contact", .bool),
            .known("rr_ms", .array(of: .count)), .known("energy_kj", .count),
        ])

    static let running = PayloadSchema.object(
        "Running", "Running or walking as a foot pod reports it.",
        [
            .always("time", .time), .always("speed_mps", .number), .always("cadence", .count),
            .known("stride_m", .number), .known("distance_m", .number), .always("running", .bool),
            .known("steps", .count), .known("derived", .bool),
        ])

    static let cycling = PayloadSchema.object(
        "Cycling", "A bicycle's wheel and crank, and power.",
        [
            .always("time", .time), .known("wheel_revolutions", .count), .known("wheel_rpm", .number),
            .known("crank_revolutions", .count), .known("crank_rpm", .number), .known("power_w", .integer),
        ])

    static let device = PayloadSchema.object(
        "Device", "A device that a scan found.",
        [
            .always("address", .text), .known("name", .text), .known("rssi", .integer),
            .always("services", .array(of: .text)), .known("battery", .percent), .always("connected", .bool),
            .always("bonded", .bool), .known("sensor", .id),
        ])

    static let event = PayloadSchema.object(
        "Event", "Something happened at a gateway.",
        [
            .always("time", .time), .always("kind", .word(EventPayload.Kind.allCases.map(\.rawValue))),
            .known("sensor", .id), .known("message", .text), .known("seconds", .count), .known("device", device),
        ])

    // MARK: Requests

    private static let requestID = PayloadSchema.either(.text(atMost: 128), .integer)

    static let request = request("Request", "A request whose fields depend on its name.", [])

    static func request(_ name: String, _ words: String, _ fields: [PayloadSchema.Field]) -> PayloadSchema {
        .object(name, words, [.known("id", requestID)] + fields)
    }

    private static let error = PayloadSchema.object(
        "ReplyError", "Why a request was not carried out.",
        [
            .always("code", .word(ReplyError.Code.allCases.map(\.rawValue))), .always("message", .text),
            .known("field", .text), .known("retry_after_s", .count),
        ])

    static func reply(_ name: String, to data: PayloadSchema) -> PayloadSchema {
        PayloadSchema.either(
            .object(
                "\(name)Done", "It was carried out.",
                [.always("status", .only("ok")), .always("data", data), .known("id", requestID)]),
            refused
        ).named(name, "The one reply to a request.")
    }

    private static let refused = PayloadSchema.object(
        "ReplyRefused", "It was not carried out.",
        [.always("status", .only("error")), .always("error", error), .known("id", requestID)])

    static let stepsReply = reply(
        "StepsReply",
        to: .object(
            "Steps", "The steps that a sensor has counted.",
            [.always("time", .time), .always("steps", .count), .known("derived", .bool)]))

    static let temperatureReply = reply(
        "TemperatureReply",
        to: .object(
            "Temperature", "A body temperature.",
            [
                .always("time", .time), .always("celsius", .number), .known("site", .text),
                .known("intermediate", .bool),
            ]))

    static func request(_ name: GatewayRequest) -> (fields: PayloadSchema, reply: PayloadSchema) {
        let ended = PayloadSchema.object("Ended", "Done.", [.always("sensor", .id), .always("message", .text)])
        switch name {
        case .scan:
            let found = PayloadSchema.object(
                "Found", "What was found.",
                [
                    .always("seconds", .count), .always("devices", .array(of: device, atMost: 64)),
                    .known("more", .count), .known("help", .array(of: .text)),
                ])
            return (
                request(
                    "Scan", "Looks for devices.",
                    [.known("seconds", .integer(from: 1, through: 254)), .known("services", .array(of: .text))]),
                reply("ScanReply", to: found)
            )
        case .connect:
            let connected = PayloadSchema.object(
                "ConnectedSensor", "The sensor that the device is from now on.",
                [.always("sensor", .id), .always("name", .text), .known("address", .text), .always("message", .text)])
            return (
                request(
                    "Connect", "Connects a device, or a sensor that was disconnected.",
                    [.known("device", .text), .known("sensor", .id), .known("name", .text)]),
                reply("ConnectReply", to: connected)
            )
        case .disconnect:
            return (
                request("Disconnect", "Disconnects a sensor until it is connected again.", [.always("sensor", .id)]),
                reply("DisconnectReply", to: ended)
            )
        case .forget:
            return (
                request("Forget", "Forgets a sensor and its bond.", [.always("sensor", .id)]),
                reply("ForgetReply", to: ended)
            )
        case .rename:
            let renamed = PayloadSchema.object(
                "Renamed", "Its name from now on.", [.always("sensor", .id), .always("name", .text)])
            return (
                request("Rename", "Renames a sensor.", [.always("sensor", .id), .always("name", .text)]),
                reply("RenameReply", to: renamed)
            )
        }
    }
}
