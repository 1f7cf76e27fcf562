import Bluetooth
import Daemon
import FoundationEssentials
import MQTT
import ProgramSettings
import Telemetry
import Vault

/// `gateway.json5`, and what enrolling has left in the state folder, which the file need not say. Every key is read here;
/// `deploy/` explains them to operators.
struct GatewaySettings {
    let gateway: ID
    /// Whether file or enrolment say who this is. Otherwise `gateway` is a name that nothing may be published under.
    let isNamed: Bool
    let topics: Topics
    /// The folder of the outbox and of the gateway's identity.
    let state: String
    private(set) var broker: MQTT.Options
    /// The consumer's Ed25519 public key, pinned at enrolment; nil until then: live only.
    let consumer: [UInt8]?
    /// Nil where the gateway was not enrolled by a code.
    let enrolment: Enrolment?
    /// What the file itself says.
    let inFile: (gateway: ID?, consumer: [UInt8]?)
    let bus: Central.Bus
    let adapter: String?
    /// So many sensors are connected to at a time.
    let mostSensors: Int
    /// For so long nothing may be heard of any sensor before the adapter is looked after.
    let quietLimit: Duration
    /// Whether that may switch it off and on.
    let mayCyclePower: Bool
    let sensors: [SensorSettings]
    /// Whether heart rates are published as they come, for the household to see.
    let publishesLive: Bool
    /// Where else than under `responses/` replies may go.
    let responsePrefixes: [String]
    let outbox: OutboxSettings
    let logLevel: LogLevel

    /// All files that are opened in the state folder.
    static let stateFiles =
        [Identity.file, Enrolment.file, Enrolment.password, SensorMemory.file, StateLock.file]
        + Database.files(OutboxStore.file)

    /// For people whose file is none.
    static let example = #"{ broker: { host: "127.0.0.1" }, sensors: { strap: { name: "Polar H10" } } }"#

    init(_ section: Section) throws(SettingsError) { try self.init(section, isToBeEnrolled: false) }

    /// - Parameter isToBeEnrolled: whatever the enrolment is now, damaged or another's than the file says, it is about to be replaced.
    init(_ section: Section, isToBeEnrolled: Bool) throws(SettingsError) {
        topics = try section.topics()
        state = try section.path("state", default: "gateway")
        enrolment = isToBeEnrolled ? nil : try section.enrolment(in: state)
        inFile = (try section.gateway(), try section.section("consumer").publicKey("identity"))
        let named = inFile.gateway ?? enrolment?.gateway
        isNamed = named != nil
        if let named { gateway = named } else { gateway = try section.nobody() }
        broker = try MQTT.Options(section.section("broker"), clientID: "")
        consumer = inFile.consumer ?? enrolment?.consumer
        let bluetooth = try section.section("bluetooth")
        let busName = try bluetooth.string("bus", default: "system")
        bus = busName == "system" ? .system : .address(busName)
        adapter = try bluetooth.string("adapter", default: nil)
        mostSensors = try bluetooth.integer("sensors", in: 1...64, default: 8)
        quietLimit = try bluetooth.duration(
            "quiet_limit", in: .seconds(1) ... .seconds(86_400), default: .seconds(300))
        mayCyclePower = try bluetooth.bool("power_cycle", default: true)
        sensors = try section.sectionsByID("sensors", SensorSettings.init(id:_:))
        guard sensors.count <= mostSensors else {
            throw section.refusal(
                of: "sensors", "\(sensors.count) sensors, and bluetooth.sensors allows \(mostSensors)",
                hint: "raise bluetooth.sensors where the adapter has so many links")
        }
        publishesLive = try section.bool("live", default: true)
        responsePrefixes = try section.strings("response_prefixes", default: [])
        guard responsePrefixes.allSatisfy(Topics.isPrefix) else {
            throw section.refusal(
                of: "response_prefixes",
                "each is the beginning of topics: at most 10 levels and 512 bytes, without +, # and a $ in front"
            )
        }
        outbox = try OutboxSettings(section.section("outbox"))
        logLevel = try section.logLevel()
        guard let enrolment else { return }
        try checkAgreement(with: enrolment, section)
        if broker.username == nil {
            broker.username = enrolment.username
            broker.passwordFile = Enrolment.passwordFile(in: state)
        }
    }

    /// A file that says otherwise than the enrolment was written for another gateway or another consumer.
    private func checkAgreement(with enrolment: Enrolment, _ section: Section) throws(SettingsError) {
        let hint = "leave it out, or enrol the gateway again: vitals-gateway enrol --again"
        guard gateway == enrolment.gateway else {
            throw section.refusal(
                of: "gateway", "this gateway is enrolled as \(enrolment.gateway), not as \(gateway)", hint: hint)
        }
        guard consumer == enrolment.consumer else {
            throw section.refusal(
                of: "consumer.identity", "this gateway is enrolled with a consumer of another key", hint: hint)
        }
    }

    /// The broker, for whoever has no name there yet.
    var asGuest: MQTT.Options {
        var options = broker
        (options.username, options.passwordFile) = (nil, nil)
        // A reply finds a guest by what only MQTT 5 has.
        options.version = .v5
        // Two sessions with one id would throw each other out.
        options.clientID = "vitals-enrol-\(UInt64.random(in: 0...UInt64.max))"
        return options
    }
}

/// When a sensor is bonded with.
enum Bond: String, CaseIterable, Sendable {
    /// When it is first connected to.
    case always
    /// When a characteristic needs it, as most never do.
    case whenNeeded = "when_needed"
    case never
}

/// One of `sensors`: how it is recognised, and where it keeps what the standard services do not offer for reading.
struct SensorSettings {
    let id: ID
    /// The name that the sensor itself gives.
    let name: String?
    /// Such as `C0:FF:EE:00:00:01`.
    let address: String?
    let notify: NotifyMethod
    /// For so long a connected sensor may send nothing.
    let silence: Duration
    let bond: Bond
    let steps: (uuid: String, encoding: StepsEncoding)
    let temperature: (uuid: String, encoding: TemperatureEncoding)

    init(id: String, _ section: Section) throws(SettingsError) {
        do { self.id = try ID(id) } catch { throw section.refusal(of: "", "\(error)") }
        name = try section.string("name", default: nil)
        address = try section.string("address", default: nil)?.uppercased()
        guard (name == nil) != (address == nil) else {
            throw section.refusal(
                of: "", "needs either a name or an address",
                hint: "`bluetoothctl scan le` shows both; such as { name: \"Polar H10 12345678\" }")
        }
        notify = try section.choice("notify", default: .signal)
        silence = try section.duration("silence", in: .seconds(1) ... .seconds(3600), default: .seconds(30))
        bond = try section.choice("bond", default: .whenNeeded)
        let steps = try section.section("steps")
        self.steps = (
            try steps.uuid("uuid", default: GATT.stepCounterActivitySummary),
            try steps.choice("encoding", default: .stepCounterSummary)
        )
        let temperature = try section.section("temperature")
        self.temperature = (
            try temperature.uuid("uuid", default: GATT.temperatureMeasurement),
            try temperature.choice("encoding", default: .temperatureMeasurement)
        )
    }

    /// Those of a sensor that was added by request: known by its address where that stays, else by its name. Nil where it has
    /// neither.
    init?(added entry: SensorMemory.Entry, _ id: ID) {
        guard entry.device != nil || entry.soughtAs != nil else { return nil }
        self.id = id
        (name, address) = (entry.soughtAs, entry.soughtAs == nil ? entry.device?.address : nil)
        (notify, silence, bond) = (.signal, .seconds(30), .whenNeeded)
        steps = (GATT.stepCounterActivitySummary, .stepCounterSummary)
        temperature = (GATT.temperatureMeasurement, .temperatureMeasurement)
    }

    func matches(_ device: Device) -> Bool {
        if let address { return device.address.uppercased() == address }
        return device.name == name
    }
}

/// `outbox`: when what is held goes to the disk.
struct OutboxSettings {
    /// Readings reach the disk at the latest after this, and a power cut loses no more.
    let flushInterval: Duration
    /// Readings become a block at the latest after this.
    let blockInterval: Duration
    /// How long acknowledged blocks are kept.
    let retention: Duration
    /// How many bytes the outbox may hold.
    let limit: Int

    init(_ section: Section) throws(SettingsError) {
        flushInterval = try section.duration(
            "flush_interval", in: .milliseconds(100) ... .seconds(60), default: .seconds(5))
        blockInterval = try section.duration(
            "block_interval", in: .milliseconds(100) ... .seconds(600), default: .seconds(10))
        retention = try section.duration(
            "retention", in: .seconds(3600) ... .seconds(366 * 86400), default: .seconds(14 * 86400))
        limit = try section.bytes("limit", in: 1_000_000...1_000_000_000_000, default: 256_000_000)
    }
}

extension Section {
    /// `gateway`: the gateway's id; nil where it is left to the enrolment.
    fileprivate func gateway() throws(SettingsError) -> ID? {
        guard try string("gateway", default: nil) != nil else { return nil }
        return try validated("gateway") { (text) throws(MalformedValue) in try ID(text) }
    }

    fileprivate func nobody() throws(SettingsError) -> ID {
        try validated("gateway", default: "nobody") { (text) throws(MalformedValue) in try ID(text) }
    }

    fileprivate func enrolment(in state: String) throws(SettingsError) -> Enrolment? {
        do {
            // Beforehand: as whom to run it says more than that the file cannot be read. Root may read it.
            try FileRights.check(state, files: GatewaySettings.stateFiles, isService: true)
            return try Enrolment.read(in: state)
        } catch {
            throw refusal(of: "state", error.message, hint: error.hint)
        }
    }

    /// A UUID of 16 or 128 bits, as lower-case 128-bit text.
    fileprivate func uuid(_ key: String, default absent: String) throws(SettingsError) -> String {
        guard let text = try string(key, default: nil) else { return absent }
        guard let uuid = GATT.uuid(text) else {
            throw refusal(
                of: key, "\"\(text)\" is no UUID", hint: "such as \"2a1c\" or \"00030001-78fc-48fe-8e23-433b3a1942d0\"")
        }
        return uuid
    }
}
