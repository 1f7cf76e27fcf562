import Bluetooth
import Daemon
import FoundationEssentials
import MQTT
import ProgramSettings
import Storage
import Telemetry

/// `gateway.json5`, and what enrolling has left in the state folder, which the file need not repeat. Every key is read
/// here; `deploy/` explains them to operators.
struct GatewaySettings {
    let gateway: ID
    /// Whether the file or the enrolment names this gateway. Otherwise `gateway` is a name that nothing may be
    /// published under.
    let isNamed: Bool
    let topics: Topics
    /// The folder of the outbox and of the gateway's identity.
    let state: String
    private(set) var broker: MQTT.Options
    /// The consumer's Ed25519 public key, pinned at enrolment; nil until then: live only.
    let consumer: [UInt8]?
    /// Nil if the gateway was not enrolled with a code.
    let enrolment: Enrolment?
    /// What the file itself says.
    let inFile: (gateway: ID?, consumer: [UInt8]?)
    let bus: Central.Bus
    let adapter: String?
    /// How many sensors to connect to at a time.
    let mostSensors: Int
    /// How long nothing may be heard of any sensor before the adapter is checked.
    let quietLimit: Duration
    /// Whether this may switch it off and on.
    let mayCyclePower: Bool
    let sensors: [SensorSettings]
    /// A satellite receiver; nil if there is none.
    let receiver: ReceiverSettings?
    /// The music of the house; nil if there is none.
    let music: MusicSettings?
    /// Whether heart rates are published as they come, for the household to see.
    let publishesLive: Bool
    /// Where Home Assistant looks for devices; nil if it is told nothing.
    let homeAssistant: HomeAssistantTopics?
    /// Where replies may go, apart from `responses/`.
    let responsePrefixes: [String]
    let outbox: OutboxSettings
    /// Nil if metrics are not published.
    let metrics: MetricsSettings?
    let logLevel: LogLevel

    /// All files that are opened in the state folder.
    static let stateFiles =
        [Identity.file, Enrolment.file, Enrolment.password, SensorMemory.file, StateLock.file, DiscoveryMemory.file]
        + Database.files(OutboxStore.file)

    /// For people whose file is not a settings file.
    static let example = #"{ broker: { host: "127.0.0.1" }, sensors: { strap: { name: "Polar H10" } } }"#

    init(_ section: Section) throws(SettingsError) { try self.init(section, isToBeEnrolled: false) }

    /// - Parameter isToBeEnrolled: whatever the enrolment is now, even damaged or not the one that the file names, it
    ///   is about to be replaced.
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
        // Other transports start programs: unixexec runs what is in the address.
        guard
            busName == "system"
                || busName.split(separator: ";").allSatisfy({ $0.hasPrefix("unix:") || $0.hasPrefix("tcp:") })
        else {
            throw bluetooth.refusal(
                of: "bus", "it is \"system\", or addresses of sockets: unix:path=…, tcp:host=…,port=…")
        }
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
                hint: "raise bluetooth.sensors if the adapter has that many links")
        }
        receiver = try section.section("receiver", default: nil).map(ReceiverSettings.init)
        if let receiver, sensors.contains(where: { $0.id == receiver.id }) {
            throw section.refusal(
                of: "receiver.id", "there is a sensor \(receiver.id) already", hint: "choose another id")
        }
        music = try section.section("music", default: nil).map(MusicSettings.init)
        publishesLive = try section.bool("live", default: true)
        homeAssistant = try section.homeAssistant(besides: topics)
        responsePrefixes = try section.strings("response_prefixes", default: [])
        guard responsePrefixes.allSatisfy(Topics.isPrefix) else {
            throw section.refusal(
                of: "response_prefixes",
                "each is the beginning of topics: at most 10 levels and 512 bytes, without +, # and a $ in front"
            )
        }
        outbox = try OutboxSettings(section.section("outbox"))
        metrics = try section.section("metrics", default: nil).map(MetricsSettings.init)
        logLevel = try section.logLevel()
        guard let enrolment else { return }
        try checkAgreement(with: enrolment, section)
        if broker.username == nil {
            broker.username = enrolment.username
            broker.passwordFile = Enrolment.passwordFile(in: state)
        }
    }

    /// A file that contradicts the enrolment was written for another gateway or another consumer.
    private func checkAgreement(with enrolment: Enrolment, _ section: Section) throws(SettingsError) {
        let hint = "leave it out, or enrol the gateway again: vitals-gateway enrol --again"
        guard gateway == enrolment.gateway else {
            throw section.refusal(
                of: "gateway", "this gateway is enrolled as \(enrolment.gateway), not as \(gateway)", hint: hint)
        }
        guard consumer == enrolment.consumer else {
            throw section.refusal(
                of: "consumer.identity", "this gateway is enrolled with a consumer that has a different key", hint: hint
            )
        }
    }

    /// What `vitals-gateway settings` prints.
    var report: SettingsReport {
        let adapter = adapter.map(JSON.string)
        let busName: JSON = if case .address(let text) = bus { .string(text) } else { "system" }
        return SettingsReport(
            topics: topics, state: state, broker: broker,
            more: .object(present: [
                "gateway": isNamed ? .string(gateway.text) : nil, "recorded": .bool(consumer != nil),
                "bus": busName, "adapter": adapter,
            ]))
    }

    /// The broker's options for a gateway that has no user there yet.
    var asGuest: MQTT.Options {
        var options = broker
        (options.username, options.passwordFile) = (nil, nil)
        // A reply reaches a guest by properties that only MQTT 5 has.
        options.version = .v5
        // Two sessions with the same id would disconnect each other.
        options.clientID = "vitals-enrol-\(UInt64.random(in: 0...UInt64.max))"
        return options
    }
}

extension Section {
    /// `gateway`: the gateway's id; nil if the enrolment names it.
    fileprivate func gateway() throws(SettingsError) -> ID? {
        guard try string("gateway", default: nil) != nil else { return nil }
        return try validated("gateway") { (text) throws(MalformedValue) in try ID(text) }
    }

    fileprivate func nobody() throws(SettingsError) -> ID {
        try validated("gateway", default: "nobody") { (text) throws(MalformedValue) in try ID(text) }
    }

    fileprivate func enrolment(in state: String) throws(SettingsError) -> Enrolment? {
        do {
            // First, because the user to run it as is more helpful than an error that the file cannot be read. Root may
            // read it.
            try FileRights.check(state, files: GatewaySettings.stateFiles, isService: true)
            return try Enrolment.read(in: state)
        } catch {
            throw refusal(of: "state", error.message, hint: error.hint)
        }
    }
}
