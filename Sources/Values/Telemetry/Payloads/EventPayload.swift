/// `events`: something happened.
public struct EventPayload: Payload {
    /// What can happen.
    public enum Kind: String, Hashable, Sendable, Decodable, CaseIterable {
        /// A sensor was found in range; while somebody scans, any device.
        case found
        /// A sensor connected.
        case connected
        /// A sensor disconnected.
        case disconnected
        /// A value could not be read from a sensor.
        case readFailed = "read-failed"
        /// A scan that somebody asked for began.
        case scanStarted = "scan-started"
        /// The scan is over.
        case scanEnded = "scan-ended"
        /// A sensor was forgotten, and its bond with it.
        case forgotten
        /// A sensor has another name.
        case renamed
        /// A sensor is connected, but sends nothing.
        case silent
        /// A sensor no longer knows the bond that BlueZ has with it.
        case bondLost = "bond-lost"
        /// A device has the name of a sensor, but is a different device.
        case otherDevice = "other-device"
        /// Something was done to bring Bluetooth back.
        case bluetooth
    }

    /// Unix milliseconds.
    public var time: Int64
    /// What happened.
    public var kind: Kind
    /// The sensor that it happened to, if it is one of the gateway's.
    public var sensor: String?
    /// More, for people.
    public var message: String?
    /// How long a scan takes.
    public var seconds: Int?
    /// What a scan found.
    public var device: DevicePayload?

    /// An event from its parts.
    public init(
        _ kind: Kind, time: Int64, sensor: ID? = nil, message: String? = nil, seconds: Int? = nil,
        device: DevicePayload? = nil
    ) {
        self.time = time
        self.kind = kind
        self.sensor = sensor?.text
        self.message = message
        self.seconds = seconds
        self.device = device
    }

    public var json: JSON {
        .object(present: [
            "time": .integer(time), "kind": .string(kind.rawValue), "sensor": sensor.map(JSON.string),
            "message": message.map(JSON.string), "seconds": seconds.map { .integer(Int64($0)) }, "device": device?.json,
        ])
    }
}

/// A device that a scan found, as it appears in `events` and in the scan's reply:
/// `{"address":"C0:FF:EE:00:00:01","name":"Polar
/// H10","rssi":-61,"services":["heart-rate"],"connected":false,"bonded":false}`. What is not known is left out.
public struct DevicePayload: Payload {
    /// The Bluetooth address, such as `C0:FF:EE:00:00:01`.
    public var address: String
    /// The name that the device itself gives.
    public var name: String?
    /// Signal strength in dBm.
    public var rssi: Int?
    /// Its services as `GATT.serviceName` writes them.
    public var services: [String]
    /// The battery's charge in percent.
    public var battery: Int?
    /// Whether it is connected to the gateway.
    public var connected: Bool
    /// Whether it shares a bond with the gateway.
    public var bonded: Bool
    /// Which of the gateway's sensors it is.
    public var sensor: String?

    /// A device from its parts.
    public init(
        address: String, name: String? = nil, rssi: Int? = nil, services: [String] = [], battery: Int? = nil,
        connected: Bool = false, bonded: Bool = false, sensor: ID? = nil
    ) {
        self.address = address
        self.name = name
        self.rssi = rssi
        self.services = services
        self.battery = battery
        self.connected = connected
        self.bonded = bonded
        self.sensor = sensor?.text
    }

    public var json: JSON {
        .object(present: [
            "address": .string(address), "name": name.map(JSON.string), "rssi": rssi.map { .integer(Int64($0)) },
            "services": .array(services.map(JSON.string)), "battery": battery.map { .integer(Int64($0)) },
            "connected": .bool(connected), "bonded": .bool(bonded), "sensor": sensor.map(JSON.string),
        ])
    }
}
