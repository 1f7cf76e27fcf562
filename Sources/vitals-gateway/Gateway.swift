// The gateway: sensors on one side, a broker on the other, an outbox between.
//
// Four threads, each an event loop that owns what it touches:
//
//     dbus      Central, SensorRegister, Sensor: a notification is decoded, published live and left for the outbox, all in one call
//     mqtt      Session: grants, acknowledgements and requests come in; requests go over to the sensors
//     outbox    Outbox: journal, blocks, uplink
//     flush     Flusher: waits for the disk, so that the outbox need not
//
// `main` starts them, and waits for a signal (Running.swift). The way of a heartbeat: Central.propertiesChanged → SensorStreams →
// Sensor.measured → Gateway.measured → Session.publish and Outbox.append → Outbox.commit → Outbox.seal → Uplink → the consumer's ack.

import Bluetooth
import Daemon
import MQTT
import Reactor
import Synchronization
import Telemetry
import Vault

/// All of it, from a start to a stop; Running.swift says when these are. `measured` and its neighbours are called on the dbus loop, handlers of the session on the mqtt loop.
// Proof of @unchecked: constants, but for what the dbus loop owns (from `register` on), and what is under a lock.
final class Gateway: @unchecked Sendable {
    /// What health counts that the outbox does not.
    struct Counters {
        var malformed = 0
        var connected = 0
        var configured = 0
        var bluetooth = ""
        var brokerConnections = 0
        /// From now on the retained status is the last word.
        var isStopping = false
    }

    let settings: GatewaySettings
    let session: Session
    let central: Central
    let outbox: Outbox
    let retained: RetainedTopics
    private let topics: Topics
    private let counters = Mutex(Counters())
    private let desk: RequestDesk
    let register: SensorRegister
    private(set) lazy var gatewayRequests = GatewayRequests(self)
    private(set) lazy var recovery = Recovery(self)
    /// The scans that are under way.
    var scans: [Scan] = []
    /// Devices that are looked for, to be added.
    var searches: [DeviceSearch] = []

    init(_ settings: GatewaySettings) throws {
        self.settings = settings
        topics = settings.topics
        var options = settings.broker
        // Whoever knows a client's id can throw it out, a guest of the broker's too: nobody is to know ours.
        if options.clientID.isEmpty {
            let random = UInt64.random(in: 0...UInt64.max)
            options.clientID = "vitals-gateway-\(settings.gateway)-\(String(random, radix: 36))"
        }
        let status = settings.topics[settings.gateway, .status]
        options.will = Message(topic: status, payload: StatusPayload.will.bytes, qos: .atLeastOnce, retain: true)
        session = Session(options)
        retained = RetainedTopics(on: session)
        desk = RequestDesk(settings, on: session)
        let owner = Weak<Gateway>()
        central = Central(
            bus: settings.bus, adapter: settings.adapter, mayPair: { owner.value?.mayPair($0) ?? false },
            events: { owner.value?.receive($0) })
        let outbox = try Outbox(settings, publishingOn: session)
        self.outbox = outbox
        register = try SensorRegister(settings) { outbox.flusher.perform($0) }
        owner.value = self
    }

    /// Starts the threads.
    func start() throws {
        log.notice(
            "vitals-gateway \(version), gateway \(settings.gateway), \(settings.sensors.count) sensors in the settings")
        if settings.sensors.isEmpty {
            log.notice("no sensors in the settings: `vitals scan` shows which are near, `vitals connect` adds one")
        }
        if settings.consumer == nil {
            log.warning("not enrolled with a consumer: readings are live only (vitals-gateway enrol)")
        }
        try outbox.start { [unowned self] in publishHealth() }
        central.loop.perform { [self] in
            register.open(self)
            sensorsChanged()
            recovery.start()
        }
        session.subscribe(subscriptions)
        session.start(
            Handlers(
                stateChanged: { [unowned self] in brokerChanged(to: $0) }, received: { [unowned self] in receive($0) },
                problem: { log.error("\($0)") }))
        central.start()
        announceReadiness()
    }

    /// Sensors first, so that nothing new comes; then what is held is sealed and sent; then the broker is told.
    func stop() {
        counters.withLock { $0.isStopping = true }
        central.loop.perform { [self] in
            for scan in scans { scan.cancel(because: "the gateway stops") }
            for search in searches { search.cancel() }
            for sensor in register.all { sensor.stop() }
        }
        central.stop()
        outbox.stop(within: .seconds(3))
        for sensor in register.all { announceOffline(sensor) }
        retained.publish(
            StatusPayload(.offline, time: unixMilliseconds()).bytes, to: topics[settings.gateway, .status])
        session.stop()
        log.notice("stopped")
    }

    private func announceReadiness() {
        let readiness = Readiness()
        readiness.ready()
        guard let interval = readiness.watchdogInterval else { return }
        // On the outbox's loop, where all that is kept must pass.
        outbox.loop.perform { [outbox] in outbox.every(interval) { readiness.alive() } }
    }

    // MARK: From the sensors, on the dbus loop

    /// The way of a heartbeat goes on here.
    func measured(_ measurement: HeartRateMeasurement, by sensor: Sensor) {
        let moment = Moment.now()
        if settings.publishesLive {
            session.publish(HeartRatePayload.bytes(measurement, at: moment.wall), to: sensor.liveTopic)
        }
        outbox.append(Reading(at: moment, .heartRate(measurement)), from: sensor.settings.id)
    }

    /// What is told as it comes, and not recorded.
    func publishLive(_ payload: [UInt8], _ topic: SensorTopic, of sensor: Sensor) {
        guard settings.publishesLive else { return }
        session.publish(payload, to: topics[settings.gateway, sensor.settings.id, topic])
    }

    func malformed(_ error: MalformedValue, from sensor: Sensor) {
        let count = counters.withLock { counters in
            counters.malformed += 1
            return counters.malformed
        }
        // A sensor that sends nonsense sends it every second.
        if count & (count - 1) == 0 {
            log.warning("sensor \(sensor.settings.id): \(error) (\(count) malformed so far)")
        }
    }

    func available(_ sensor: Sensor) {
        log.notice("sensor \(sensor.settings.id): connected")
        counters.withLock { $0.connected += 1 }
        announce(.online, sensor)
        tell(.connected, about: sensor, "Device Connected")
    }

    func unavailable(_ sensor: Sensor, because reason: String) {
        counters.withLock { $0.connected -= 1 }
        announce(.offline, sensor)
        tell(.disconnected, about: sensor, reason)
    }

    private func announce(_ availability: Availability, _ sensor: Sensor) {
        retained.publish(availability.bytes, to: topics[settings.gateway, sensor.settings.id, .availability])
        outbox.loop.perform { [self] in publishHealth() }
    }

    private func receive(_ event: Central.Event) {
        switch event {
        case .state(let state):
            log.notice("Bluetooth: \(state)")
            counters.withLock { $0.bluetooth = "\(state)" }
            if state != .ready { for scan in scans { scan.cancel(because: "\(state)") } }
            for sensor in register.all { sensor.centralChanged(to: state) }
            recovery.centralChanged(to: state)
            publishInfo()
        case .device(let device):
            if device.rssi != nil || device.isConnected { recovery.heard() }
            for sensor in register.all { sensor.deviceChanged(device) }
            for scan in scans { scan.hear(device) }
            for search in searches { search.hear(device) }
        case .deviceRemoved(let device): for sensor in register.all { sensor.deviceRemoved(device) }
        case .pairingRefused(let device, let why): refused(device, why)
        case .agentRefused(let error): log.notice("Bluetooth: \(error)")
        }
    }

    /// A pairing was refused. A sensor that wants it tries again and again: told once for each.
    private func refused(_ device: Device, _ why: String) {
        let words = "pairing with \(device.name) (\(device.address)) was refused: \(why)"
        guard let sensor = register.owner(of: device) else { return log.notice("Bluetooth: \(words)") }
        guard !sensor.isRefusalTold else { return }
        sensor.isRefusalTold = true
        log.warning("Bluetooth: \(words)")
        tell(.bluetooth, about: sensor, words)
    }

    /// Whether the agent may say yes.
    private func mayPair(_ device: Device) -> Bool { register.all.contains { $0.mayPair(device) } }

    /// A scan is over.
    func ended(_ scan: Scan) { scans.removeAll { $0 === scan } }

    /// A sensor was added or is gone.
    func sensorsChanged() {
        counters.withLock { $0.configured = register.all.count }
        publishInfo()
        outbox.loop.perform { [self] in publishHealth() }
    }

    // MARK: From the broker, on the mqtt loop

    private var subscriptions: [MQTT.Subscription] {
        let gateway = settings.gateway
        // Requests: what was asked before we came is not answered, and a retained request can be told from others.
        let filters =
            [SensorTopic.stepsGet, .temperatureGet].map { topics.everySensor(of: gateway, $0) }
            + [topics.everyRequest(to: gateway)]
        let requests = filters.map {
            MQTT.Subscription($0, qos: .atLeastOnce, retainAsPublished: true, retainHandling: .doNotSend)
        }
        let retained = [
            topics[gateway, .status], topics.everySensor(of: gateway, .grant), topics[gateway, .control],
            topics.everyConsumer(),
        ].map { MQTT.Subscription($0, qos: .atLeastOnce) }
        return requests + retained
    }

    private func brokerChanged(to state: MQTT.State) {
        log.notice("broker: \(state)")
        guard case .connected = state else {
            outbox.brokerChanged(isConnected: false)
            return
        }
        counters.withLock { $0.brokerConnections += 1 }
        sayOnline()
        retained.publishAgain()
        outbox.brokerChanged(isConnected: true)
    }

    private func sayOnline() {
        // Our own goodbye comes back to us, too.
        guard !counters.withLock({ $0.isStopping }) else { return }
        let status = StatusPayload(.online, time: unixMilliseconds())
        session.publish(status.bytes, to: topics[settings.gateway, .status], qos: .atLeastOnce, retain: true)
    }

    private func receive(_ message: Message) {
        switch topics.parse(message.topic) {
        case .gateway(_, .sensor(let sensor, .stepsGet)): desk.receive(message, .steps, of: sensor, at: self)
        case .gateway(_, .sensor(let sensor, .temperatureGet)):
            desk.receive(message, .temperature, of: sensor, at: self)
        case .gateway(_, .request(let name)): GatewayRequests.receive(message, name, on: desk, at: self)
        case .gateway(_, .sensor(let sensor, .grant)): outbox.receive(grant: message.payload, for: sensor)
        case .gateway(_, .control): outbox.receive(control: message.payload)
        case .consumer(let store, let instance):
            // What says nothing does not say that somebody has gone.
            guard let status = try? StatusPayload(payload: message.payload) else { return }
            outbox.consumerChanged(store, instance, isOnline: status.state == .online)
        case .gateway(_, .status):
            // The will of a connection that we have replaced, or somebody's mistake.
            if let status = try? StatusPayload(payload: message.payload), status.state == .offline { sayOnline() }
        default: break
        }
    }

    // MARK: Health, on the outbox's loop

    private func publishHealth() {
        // The sensors' count first: once it says that nobody is connected, all that they sent is in the outbox's hands.
        let counters = counters.withLock { $0 }
        var health = HealthPayload(time: unixMilliseconds())
        outbox.describe(&health)
        health.malformed = counters.malformed
        health.memoryKilobytes = residentMemoryKilobytes() ?? 0
        health.sensors = HealthPayload.Sensors(configured: counters.configured, connected: counters.connected)
        health.bluetooth = counters.bluetooth
        health.brokerReconnects = max(0, counters.brokerConnections - 1)
        health.clock = clockSource().rawValue
        // Whoever reads it later shall not take an old state for today's.
        retained.publish(health.bytes, to: topics[settings.gateway, .health], expiresAfter: .seconds(90))
    }
}

/// A reference that the central's closure can hold before the gateway is there.
// Proof of @unchecked: set once, before the central starts.
private final class Weak<Value: AnyObject>: @unchecked Sendable { weak var value: Value? }
