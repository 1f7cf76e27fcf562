/// `status`, retained: `{"state":"online","time":…}`; the will is `{"state":"offline"}`. Consumers publish the same,
/// with the name of their instance.
public struct StatusPayload: Payload {
    /// Whether it is there.
    public var state: Availability
    /// Since when, Unix milliseconds; a will cannot know.
    public var time: Int64?

    /// Which of several processes this is, for consumers.
    public var instance: String?

    /// A status from its parts.
    public init(_ state: Availability, time: Int64? = nil, instance: String? = nil) {
        self.state = state
        self.time = time
        self.instance = instance
    }

    /// What the broker publishes when the connection is lost.
    public static let will = StatusPayload(.offline)

    public var json: JSON {
        .object(present: [
            "state": .string(state.rawValue), "time": time.map(JSON.integer), "instance": instance.map(JSON.string),
        ])
    }
}

/// `availability`, retained, plain text: `online` or `offline`.
public enum Availability: String, Hashable, Sendable, Decodable {
    /// It is there.
    case online
    /// It is not.
    case offline

    /// The text as bytes.
    public var bytes: [UInt8] { Array(rawValue.utf8) }

    /// What the text says.
    public init(payload: [UInt8]) throws(MalformedValue) {
        guard let availability = Self(rawValue: String(decoding: payload.prefix(8), as: UTF8.self)) else {
            throw MalformedValue("availability", .notAllowed("online or offline"))
        }
        self = availability
    }
}

/// `info`, retained: the program that runs there. Never a secret.
public struct GatewayInfoPayload: Payload {
    /// The program's version.
    public var version: String
    /// Bluetooth adapters by name, such as `hci0`.
    public var adapters: [String]
    /// Those settings that may be shown, by name.
    public var settings: JSON

    /// An info from its parts.
    public init(version: String, adapters: [String], settings: JSON = [:]) {
        self.version = version
        self.adapters = adapters
        self.settings = settings
    }

    public var json: JSON {
        ["version": .string(version), "adapters": .array(adapters.map(JSON.string)), "settings": settings]
    }
}

/// `sensors/{sensor}/info`, retained: what a sensor says of itself. Fields are absent until they are known.
public struct SensorInfoPayload: Payload {
    /// The name in the settings, or the sensor's own.
    public var name: String?
    /// The maker.
    public var manufacturer: String?
    /// The model.
    public var model: String?
    /// The firmware's revision.
    public var firmware: String?
    /// The battery's charge in percent.
    public var battery: Int?
    /// What it can do: `heart-rate`, `steps`, `temperature`, `running`, `cycling`, `power`, `location`.
    public var capabilities: [String]
    /// Where it is worn, as `BodySensorLocation` describes it.
    public var bodyLocation: String?
    /// Whether gateway and sensor share a bond.
    public var bonded: Bool?
    /// Whether it stays disconnected because somebody asked for that; nil otherwise.
    public var paused: Bool?

    /// An info from what is known.
    public init(
        name: String? = nil, manufacturer: String? = nil, model: String? = nil, firmware: String? = nil,
        battery: Int? = nil, capabilities: [String] = [], bodyLocation: String? = nil, bonded: Bool? = nil,
        paused: Bool? = nil
    ) {
        self.name = name
        self.manufacturer = manufacturer
        self.model = model
        self.firmware = firmware
        self.battery = battery
        self.capabilities = capabilities
        self.bodyLocation = bodyLocation
        self.bonded = bonded
        self.paused = paused
    }

    public var json: JSON {
        .object(present: [
            "name": name.map(JSON.string),
            "manufacturer": manufacturer.map(JSON.string),
            "model": model.map(JSON.string),
            "firmware": firmware.map(JSON.string),
            "battery": battery.map { .integer(Int64($0)) },
            "capabilities": .array(capabilities.map(JSON.string)),
            "body_location": bodyLocation.map(JSON.string),
            "bonded": bonded.map(JSON.bool),
            "paused": paused.map(JSON.bool),
        ])
    }

    private enum CodingKeys: String, CodingKey {
        case name, manufacturer, model, firmware, battery, capabilities, bonded, paused
        case bodyLocation = "body_location"
    }
}
