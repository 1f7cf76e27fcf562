/// What Home Assistant shows of a sensor: each is an entity there. The raw value is part of its identity there, and must not
/// change.
public enum DiscoveredEntity: String, CaseIterable, Hashable, Sendable {
    /// Whether the sensor is connected.
    case connectivity
    /// The battery's charge.
    case battery
    /// The live heart rate.
    case heartRate = "heart_rate"
    /// Steps, as the sensor has counted them.
    case steps
    /// A button that asks for the steps.
    case readSteps = "read_steps"
    /// The temperature of the body.
    case temperature
    /// A button that asks for the temperature.
    case readTemperature = "read_temperature"
    /// The speed of somebody who runs or walks.
    case speed
    /// The cadence of somebody who runs or walks.
    case cadence
    /// Revolutions of a bicycle's wheel.
    case wheel
    /// Revolutions of a bicycle's crank.
    case crank
    /// The power of somebody who rides.
    case power

    /// The entities of a sensor that can do this, in the words of its info.
    /// - Parameter isLive: whether values are published as they come; otherwise those that are only published this way
    ///   are left out.
    public static func of(_ capabilities: [String], isLive: Bool) -> Set<DiscoveredEntity> {
        var entities: Set<DiscoveredEntity> = [.connectivity]
        for capability in capabilities {
            switch capability {
            case "heart-rate": entities.insert(.heartRate)
            case "steps": entities.formUnion([.steps, .readSteps])
            case "temperature": entities.formUnion([.temperature, .readTemperature])
            case "running": entities.formUnion([.speed, .cadence])
            case "cycling": entities.formUnion([.wheel, .crank])
            case "power": entities.insert(.power)
            default: break
            }
        }
        return isLive ? entities : entities.filter { !$0.isOnlyLive }
    }

    /// Whether it is published only as it comes.
    public var isOnlyLive: Bool {
        switch self {
        case .heartRate, .speed, .cadence, .wheel, .crank, .power: true
        case .connectivity, .battery, .steps, .readSteps, .temperature, .readTemperature: false
        }
    }

    /// What Home Assistant calls this kind of entity.
    var platform: String {
        switch self {
        case .connectivity: "binary_sensor"
        case .readSteps, .readTemperature: "button"
        default: "sensor"
        }
    }

    /// The topic that it is about, below the sensor's.
    var topic: SensorTopic {
        switch self {
        case .connectivity: .availability
        case .battery: .info
        case .heartRate: .heartRate
        case .steps: .stepsResponse
        case .readSteps: .stepsGet
        case .temperature: .temperatureResponse
        case .readTemperature: .temperatureGet
        case .speed, .cadence: .running
        case .wheel, .crank, .power: .cycling
        }
    }

    /// What is particular to it, in Home Assistant's abbreviations; the topic aside.
    var particulars: [(String, JSON)] {
        switch self {
        case .connectivity:
            [("dev_cla", "connectivity"), ("pl_on", "online"), ("pl_off", "offline"), ("ent_cat", "diagnostic")]
        case .battery:
            Self.measured(nil, "battery", "%", deviceClass: "battery") + [("ent_cat", "diagnostic")]
        case .heartRate: Self.measured("Heart rate", "bpm", "bpm") + [("ic", "mdi:heart-pulse")]
        case .steps:
            [
                ("name", "Steps"), ("val_tpl", Self.template("data", "steps")), ("unit_of_meas", "steps"),
                ("stat_cla", "total_increasing"), ("ic", "mdi:shoe-print"),
            ]
        case .readSteps: [("name", "Read steps"), ("pl_prs", "{}"), ("ic", "mdi:shoe-print")]
        case .temperature:
            [
                ("name", "Temperature"), ("dev_cla", "temperature"), ("val_tpl", Self.template("data", "celsius")),
                ("unit_of_meas", "°C"), ("stat_cla", "measurement"), ("sug_dsp_prc", 2),
            ]
        case .readTemperature: [("name", "Read temperature"), ("pl_prs", "{}"), ("ic", "mdi:thermometer")]
        case .speed: Self.measured("Speed", "speed_mps", "m/s", deviceClass: "speed")
        case .cadence: Self.measured("Cadence", "cadence", "1/min") + [("ic", "mdi:run")]
        case .wheel: Self.measured("Wheel", "wheel_rpm", "rpm") + [("ic", "mdi:bike")]
        case .crank: Self.measured("Cadence of the crank", "crank_rpm", "rpm") + [("ic", "mdi:bike")]
        case .power: Self.measured("Power", "power_w", "W", deviceClass: "power")
        }
    }

    static func measured(
        _ name: String?, _ field: StaticString, _ unit: String, deviceClass: String? = nil
    ) -> [(String, JSON)] {
        let members: [(String, JSON?)] = [
            ("name", name.map(JSON.string)), ("dev_cla", deviceClass.map(JSON.string)), ("val_tpl", template(field)),
            ("unit_of_meas", .string(unit)), ("stat_cla", "measurement"),
        ]
        return members.compactMap { name, value in value.map { (name, $0) } }
    }

    /// A template that gives the value of a field, or nothing if it is not there: Home Assistant then keeps the value that it
    /// has, and logs nothing. Only texts of this program can be fields.
    static func template(_ fields: StaticString...) -> JSON {
        var path = "value_json"
        var conditions = ["value_json is defined"]
        for field in fields {
            path += ".\(field)"
            conditions.append("\(path) is defined")
        }
        return .string("{% if \(conditions.joined(separator: " and ")) %}{{ \(path) }}{% endif %}")
    }
}
