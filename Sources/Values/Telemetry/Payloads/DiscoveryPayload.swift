/// What Home Assistant is told about a gateway, one of its sensors, or a person, retained under `HomeAssistantTopics.device`:
/// a device with its entities, in the abbreviations of Home Assistant's MQTT discovery. Everything in it that came from
/// outside is a name, and no template contains any of it.
public struct DiscoveryPayload: Hashable, Sendable {
    /// The payload as a value.
    public let json: JSON
    /// The payload as it is published.
    public var bytes: [UInt8] { json.bytes }

    /// What is told about one of a gateway's sensors.
    public init(_ sensor: DiscoveredSensor, of gateway: ID, _ topics: Topics, version: String) {
        let id = sensor.id
        let unique = "vitals_\(gateway)_\(id)"
        let isGatewayThere = Self.available(gateway, topics)
        var components: [JSON.Member] = []
        for entity in DiscoveredEntity.allCases where sensor.entities.contains(entity) {
            let isButton = entity.platform == "button"
            var members: [(String, JSON)] = [
                ("p", .string(entity.platform)), ("uniq_id", .string("\(unique)_\(entity.rawValue)")),
                (isButton ? "cmd_t" : "stat_t", .string(topics[gateway, id, entity.topic])),
            ]
            members += entity.particulars
            if !entity.isOnlyLive { members.append(("qos", 1)) }
            // They say something about a sensor that is not connected, too.
            if entity == .connectivity || entity == .battery { members.append(("avty", [isGatewayThere])) }
            components.append(JSON.Member(entity.rawValue, Self.object(members)))
        }
        for entity in DiscoveredEntity.allCases where sensor.gone.contains(entity) {
            components.append(JSON.Member(entity.rawValue, ["p": .string(entity.platform)]))
        }
        json = [
            "dev": .object(present: [
                "ids": [.string(unique)], "name": .string(sensor.name), "mf": sensor.manufacturer.map(JSON.string),
                "mdl": sensor.model.map(JSON.string), "sw": sensor.firmware.map(JSON.string),
                "via_device": .string("vitals_\(gateway)"),
            ]),
            "o": Self.origin(version),
            "avty": [isGatewayThere, ["t": .string(topics[gateway, id, .availability])]],
            "avty_mode": "all",
            "cmps": .object(components),
        ]
    }

    /// What is told about a gateway. It has to come before its sensors: they name it.
    public init(gateway: ID, _ topics: Topics, version: String) {
        let unique = "vitals_\(gateway)"
        func component(
            _ id: String, _ platform: String, _ topic: GatewayTopic, _ particulars: [(String, JSON)]
        ) -> JSON.Member {
            let common: [(String, JSON)] = [
                ("p", .string(platform)), ("uniq_id", .string("\(unique)_\(id)")),
                ("stat_t", .string(topics[gateway, topic])), ("qos", 1), ("ent_cat", "diagnostic"),
            ]
            return JSON.Member(id, Self.object(common + particulars))
        }
        let available = ("avty", JSON.array([Self.available(gateway, topics)]))
        json = [
            "dev": [
                "ids": [.string(unique)], "name": .string("Vitals gateway \(gateway)"), "mf": "Vitals",
                "mdl": "Bluetooth gateway", "sw": .string(version),
            ],
            "o": Self.origin(version),
            "cmps": .object([
                component(
                    "connectivity", "binary_sensor", .status,
                    [
                        ("dev_cla", "connectivity"), ("val_tpl", DiscoveredEntity.template("state")),
                        ("pl_on", "online"), ("pl_off", "offline"),
                    ]),
                component(
                    "connected_sensors", "sensor", .health,
                    [
                        ("name", "Connected sensors"), ("val_tpl", DiscoveredEntity.template("sensors", "connected")),
                        ("stat_cla", "measurement"), available,
                    ]),
                component(
                    "outbox", "sensor", .health,
                    [
                        ("name", "Outbox"), ("val_tpl", DiscoveredEntity.template("outbox", "full_percent")),
                        ("unit_of_meas", "%"), ("stat_cla", "measurement"), available,
                    ]),
            ]),
        ]
    }

    static func origin(_ version: String) -> JSON { ["name": "Vitals", "sw": .string(version)] }

    private static func available(_ gateway: ID, _ topics: Topics) -> JSON {
        ["t": .string(topics[gateway, .status]), "val_tpl": DiscoveredEntity.template("state")]
    }

    static func object(_ members: [(String, JSON)]) -> JSON {
        .object(members.map { JSON.Member($0.0, $0.1) })
    }
}
