// The gateway: sensors on one side, a broker on the other, an outbox between.
//
// One event loop serves the bus, the broker and a satellite receiver: what comes is decoded, published live and left for the
// outbox where its bytes are read. What waits for a disk, a name server or a music player is done elsewhere; a bus that takes
// connections and does not greet is waited for, for libdbus's 25 s:
//
//     gateway   Central, SensorRegister, Sensor; Session, requests; SatelliteReceiver
//     outbox    Outbox: journal, blocks, uplink. It commits what is not in memory, at most every 20 ms
//     flush     Flusher: waits for the disk, so that commits do not have to
//     music     HouseMusic, if the settings have any
//
// `main` starts them, and waits for a signal (Running.swift). The path of a heartbeat: Central.propertiesChanged →
// SensorStreams → Sensor.measured → Gateway.measured → Session.publish and Outbox.append → Outbox.commit → Outbox.seal
// → Uplink → the consumer's ack.

import Bluetooth
import Daemon
import Exposition
import Fitness
import MQTT
import Reactor
import Synchronization
import Telemetry

/// The whole gateway, from a start to a stop; Running.swift decides when they happen. Unless they say otherwise, methods are
/// called on the loop.
// Proof of @unchecked: constants, what only the loop touches, and what is under a lock.
final class Gateway: SensorOwner, @unchecked Sendable {
    /// The counts of the health payload that the outbox does not have.
    struct Counters {
        var malformed = 0
        var connected = 0
        var configured: Set<ID> = []
        var bluetooth = ""
        var brokerConnections = 0
        var isBrokerConnected = false
        /// From now on the retained status must not change any more.
        var isStopping = false
    }

    private let settings: GatewaySettings
    private let loop = EventLoop(name: "gateway")
    private let session: Session
    private let central: Central
    private let outbox: Outbox
    private let announcer: Announcer
    private let homeAssistant: HomeAssistant
    private let receiver: SatelliteReceiver?
    private let music: HouseMusic?
    private var retained: RetainedTopics { announcer.retained }
    /// Messages that a device, a client at the broker or BlueZ can cause go here.
    private let limitedLog = LimitedLog()
    private let topics: Topics
    private let counters = Mutex(Counters())
    /// Only counted, on the path of each value.
    private let notifications = Atomic<Int>(0)
    private let desk: RequestDesk
    private let readiness = Readiness()
    /// Failed attempts to connect to the broker.
    private var failedTries = LastingTrouble()
    /// What the supervisor was told of the disk. The outbox's loop owns it.
    private var toldOfDisk = HealthPayload.Disk.ok
    // These lead back to the gateway, and are set before its `init` ends.
    private var register: SensorRegister!
    private var requests: GatewayRequests!
    private var recovery: Recovery!
    private var metrics: Exposition?
    private let gatewayMetrics = GatewayMetrics()

    /// - Parameter memory: the folder for the outbox's journal in memory; without one, there is no such journal.
    init(_ settings: GatewaySettings, inMemory memory: String?) throws {
        self.settings = settings
        topics = settings.topics
        var options = settings.broker
        // Anybody who knows a client's id can disconnect that client, even a guest at the broker. So nobody should know
        // ours.
        if options.clientID.isEmpty {
            let random = UInt64.random(in: 0...UInt64.max)
            options.clientID = "vitals-gateway-\(settings.gateway)-\(String(random, radix: 36))"
        }
        let status = settings.topics[settings.gateway, .status]
        options.will = Message(topic: status, payload: StatusPayload.will.bytes, qos: .atLeastOnce, retain: true)
        // However much clients ask, sensors' values do not wait for longer than this.
        options.batchDuration = .milliseconds(5)
        session = Session(options, on: loop)
        desk = RequestDesk(of: settings.gateway, topics, responsePrefixes: settings.responsePrefixes, on: session)
        let owner = Weak<Gateway>()
        central = Central(
            on: loop, bus: settings.bus, adapter: settings.adapter, mayPair: { owner.value?.mayPair($0) ?? false },
            events: { owner.value?.receive($0) })
        let outbox = try Outbox(settings, inMemory: memory, publishingOn: session)
        self.outbox = outbox
        homeAssistant = try HomeAssistant(
            at: settings.homeAssistant, of: settings.gateway, topics, publishingLive: settings.publishesLive,
            in: settings.state, on: session, logging: limitedLog, writing: { outbox.flusher.perform($0) })
        announcer = Announcer(
            settings.gateway, topics, on: session, publishingLive: settings.publishesLive, telling: homeAssistant)
        receiver = settings.receiver.map { [loop, announcer, limitedLog] receiver in
            SatelliteReceiver(receiver, on: loop, telling: announcer, logging: limitedLog) {
                outbox.append($0, from: receiver.id)
            }
        }
        music = settings.music.map { [announcer, limitedLog] music in
            HouseMusic(music, telling: announcer, logging: limitedLog)
        }
        register = try SensorRegister(
            in: settings.state, atMost: settings.mostSensors, without: settings.receiver?.id, of: self, on: central,
            telling: announcer,
            logging: limitedLog, writing: { outbox.flusher.perform($0) })
        requests = GatewayRequests(for: register) { [unowned self] in sensorsChanged() }
        recovery = Recovery(of: register, after: settings.quietLimit, mayCyclePower: settings.mayCyclePower)
        owner.value = self
        metrics = settings.metrics.map { [outbox, limitedLog] metrics in
            Exposition(metrics, logging: limitedLog) { [unowned self] done in
                outbox.loop.perform { [self] in done(metricsPage()) }
            }
        }
    }

    /// Starts the threads. Not on the loop.
    func start() throws {
        log.notice(
            "vitals-gateway \(version), gateway \(settings.gateway), \(counted(settings.sensors.count, "sensor")) in the settings"
        )
        if settings.sensors.isEmpty {
            log.notice("no sensors in the settings: `vitals scan` shows those nearby, `vitals connect` adds one")
        }
        if settings.consumer == nil {
            log.warning(
                "not enrolled with a consumer: readings are live only (vitals-gateway enrol)", event: .notEnrolled)
        }
        try outbox.start { [unowned self] in publishHealth() }
        loop.perform { [self] in
            register.open(settings.sensors)
            let receiver = settings.receiver.map { (id: $0.id, name: SatelliteReceiver.name) }
            homeAssistant.begin(
                with: register.all.map { ($0.settings.id, $0.displayName) } + (receiver.map { [$0] } ?? []))
            sensorsChanged()
            recovery.start()
        }
        session.subscribe(subscriptions)
        session.start(
            Handlers(
                stateChanged: { [unowned self] in brokerChanged(to: $0) }, received: { [unowned self] in receive($0) },
                problem: { [limitedLog] problem in
                    limitedLog.error("session \(problem.reason)") { "\(problem)\($0)" }
                }))
        central.start()
        receiver?.start()
        loop.start()
        if let music { music.start() } else { announcer.clearMusic() }
        metrics?.start()
        announceReadiness()
    }

    /// Stops the sensors first, so that nothing new comes; then seals and sends what is held; and tells the broker
    /// last. Not on the loop.
    func stop() {
        counters.withLock { $0.isStopping = true }
        metrics?.stop()
        receiver?.stop()
        music?.stop()
        let sensors = loop.sync { [self] in
            requests.stop()
            recovery.stop()
            for sensor in register.all { sensor.stop() }
            return register.all.map(\.settings.id)
        }
        central.stop()
        outbox.stop(within: .seconds(3))
        for sensor in sensors { announcer.announce(.offline, of: sensor) }
        retained.publish(
            StatusPayload(.offline, time: unixMilliseconds()).bytes, to: topics[settings.gateway, .status])
        session.stop()
        loop.stop()
        music?.end()
        log.notice("stopped")
    }

    private func announceReadiness() {
        readiness.ready()
        guard let interval = readiness.watchdogInterval else { return }
        // A sign of life passes through every thread that a heartbeat passes through: one that hangs is noticed.
        outbox.loop.perform { [self] in
            outbox.every(interval) { [self] in loop.perform { [self] in giveSignOfLife() } }
        }
    }

    /// Until the supervisor takes it: its socket may be full of what others say.
    private func giveSignOfLife() {
        if !readiness.alive() { loop.after(.seconds(1)) { [self] in giveSignOfLife() } }
    }

    // MARK: From the sensors

    /// The path of a heartbeat continues here.
    func measured(_ measurement: HeartRateMeasurement, by sensor: Sensor) {
        let moment = Moment.now()
        // A heart rate that cannot be is kept and not shown, unless it says that the sensor does not touch the skin.
        let counts = HeartRateSamples.plausible.contains(Int(measurement.beatsPerMinute)) || measurement.contact == .notDetected
        if settings.publishesLive, counts {
            session.publish(HeartRatePayload.bytes(measurement, at: moment.wall), to: sensor.liveTopic)
        }
        outbox.append(Reading(at: moment, .heartRate(measurement)), from: sensor.settings.id)
    }

    /// What is published live of it was published by the sensor; a position is never published.
    func moved(_ value: Reading.Value, at moment: Moment, by sensor: Sensor) {
        outbox.append(Reading(at: moment, value), from: sensor.settings.id)
    }

    func heard() { notifications.wrappingAdd(1, ordering: .relaxed) }

    func malformed(_ error: MalformedValue, from sensor: Sensor) {
        counters.withLock { $0.malformed += 1 }
        // A sensor that sends nonsense sends it every second.
        limitedLog.warning("malformed \(sensor.settings.id)") { "sensor \(sensor.settings.id): \(error)\($0)" }
    }

    func available(_ sensor: Sensor) {
        limitedLog.notice("connected \(sensor.settings.id)") { "sensor \(sensor.settings.id): connected\($0)" }
        counters.withLock { $0.connected += 1 }
        announce(.online, sensor)
        announcer.tell(.connected, about: sensor.settings.id, "Device Connected")
    }

    func unavailable(_ sensor: Sensor, because reason: String) {
        counters.withLock { $0.connected -= 1 }
        announce(.offline, sensor)
        announcer.tell(.disconnected, about: sensor.settings.id, reason)
    }

    func keep(_ reading: Reading, of sensor: Sensor, flushed completion: @escaping @Sendable (Bool) -> Void) {
        outbox.append(reading, from: sensor.settings.id, flushed: completion)
    }

    private func announce(_ availability: Availability, _ sensor: Sensor) {
        announcer.announce(availability, of: sensor.settings.id)
        outbox.loop.perform { [self] in publishHealth() }
    }

    private func receive(_ event: Central.Event) {
        switch event {
        case .state(let state):
            limitedLog.notice("Bluetooth \(state)", event: .bluetoothChanged) { "Bluetooth: \(state)\($0)" }
            counters.withLock { $0.bluetooth = "\(state)" }
            if state != .ready { requests.cancelScans(because: "\(state)") }
            for sensor in register.all { sensor.centralChanged(to: state) }
            recovery.centralChanged(to: state)
            publishInfo()
        case .device(let device):
            if device.rssi != nil || device.isConnected { recovery.heard() }
            for sensor in register.all { sensor.deviceChanged(device) }
            requests.hear(device)
        case .deviceRemoved(let device): for sensor in register.all { sensor.deviceRemoved(device) }
        case .pairingRefused(let device, let why): refused(device, why)
        case .agentRefused(let error): limitedLog.notice("agent") { "Bluetooth: \(error)\($0)" }
        }
    }

    /// A pairing was refused. A sensor that wants a bond tries again and again, so it is reported once for each.
    private func refused(_ device: Device, _ why: String) {
        let words = "pairing with \(device.name) (\(device.address)) was refused: \(why)"
        guard let sensor = register.owner(of: device) else {
            // A stranger may use a different address each time.
            return limitedLog.notice("refused a stranger") { "Bluetooth: \(words)\($0)" }
        }
        guard !sensor.isRefusalTold else { return }
        sensor.isRefusalTold = true
        limitedLog.warning("refused \(sensor.settings.id)") { "Bluetooth: \(words)\($0)" }
        announcer.tell(.bluetooth, about: sensor.settings.id, words)
    }

    /// Whether the agent may say yes.
    private func mayPair(_ device: Device) -> Bool { register.all.contains { $0.mayPair(device) } }

    /// A sensor was added or is gone.
    private func sensorsChanged() {
        counters.withLock { $0.configured = Set(register.all.map(\.settings.id)) }
        publishInfo()
        outbox.loop.perform { [self] in publishHealth() }
    }

    private func publishInfo() {
        let described = JSON.object(present: [
            "live": .bool(settings.publishesLive),
            "sensors": .array(register.all.map { .string($0.settings.id.text) }),
            "enrolled": .bool(settings.consumer != nil),
            "receiver": settings.receiver.map { .string($0.id.text) },
            "music": settings.music == nil ? nil : true,
        ])
        let info = GatewayInfoPayload(version: version, adapters: central.adapters.map(\.name), settings: described)
        retained.publish(info.bytes, to: topics[settings.gateway, .info])
    }

    // MARK: From the broker

    private var subscriptions: [MQTT.Subscription] {
        let gateway = settings.gateway
        let retained = [
            topics[gateway, .status], topics.everySensor(of: gateway, .grant), topics[gateway, .control],
            topics.everyConsumer(),
        ].map { MQTT.Subscription($0, qos: .atLeastOnce) }
        return desk.subscriptions + retained + homeAssistant.subscriptions
    }

    private func brokerChanged(to state: MQTT.State) {
        // The consumer logs these at the same levels.
        switch state {
        case .connected:
            failedTries = LastingTrouble()
            log.notice("broker: \(state)", event: .brokerConnected)
        case .waiting(let reason, _):
            // A broker may be away for a day.
            guard let count = failedTries.toTell("\(reason)", now: millisecondsSinceBoot()) else {
                log.debug("broker: \(state)")
                break
            }
            let times = count > 1 ? " (\(count) tries since this was last logged)" : ""
            log.warning("broker: \(state)\(times)", event: .brokerAway)
        case .connecting, .stopped: log.debug("broker: \(state)")
        }
        guard case .connected = state else {
            counters.withLock { $0.isBrokerConnected = false }
            outbox.brokerChanged(isConnected: false)
            return
        }
        counters.withLock {
            $0.brokerConnections += 1
            $0.isBrokerConnected = true
        }
        sayOnline()
        retained.publishAgain()
        homeAssistant.connected()
        outbox.brokerChanged(isConnected: true)
    }

    private func sayOnline() {
        // Our own goodbye comes back to us, too.
        guard !counters.withLock({ $0.isStopping }) else { return }
        let status = StatusPayload(.online, time: unixMilliseconds())
        session.publish(status.bytes, to: topics[settings.gateway, .status], qos: .atLeastOnce, retain: true)
    }

    private func receive(_ message: Message) {
        guard !homeAssistant.receive(message) else { return }
        switch topics.parse(message.topic) {
        case nil, .gateway(_, .request), .gateway(_, .musicRequest), .gateway(_, .sensor(_, .stepsGet)),
            .gateway(_, .sensor(_, .temperatureGet)):
            desk.receive(message, for: requests, MusicRequests(music: music))
        case .gateway(_, .sensor(let sensor, .grant)):
            outbox.receive(grant: message.payload, for: sensor)
        case .gateway(_, .control): outbox.receive(control: message.payload)
        case .consumer(let store, let instance):
            // A message that cannot be read does not say that a consumer has gone.
            guard let status = try? StatusPayload(payload: message.payload) else { return }
            outbox.consumerChanged(store, instance, isOnline: status.state == .online)
        case .gateway(_, .status):
            // The will of a connection that we have replaced, or another client's mistake.
            if let status = try? StatusPayload(payload: message.payload), status.state == .offline { sayOnline() }
        default: break
        }
    }

    // MARK: Health, on the outbox's loop

    private func publishHealth() {
        let health = health(counters.withLock { $0 })
        tellOfDisk(health)
        // Somebody who reads it later must not take an old state for the current one.
        retained.publish(health.bytes, to: topics[settings.gateway, .health], expiresAfter: .seconds(90))
    }

    /// - Parameter counters: counted before the outbox is asked: once they say that no sensor is connected, the outbox
    ///   has everything that they sent.
    private func health(_ counters: Counters) -> HealthPayload {
        var health = HealthPayload(time: unixMilliseconds())
        outbox.describe(&health)
        health.malformed = counters.malformed
        health.memoryKilobytes = residentMemoryKilobytes() ?? 0
        health.sensors = HealthPayload.Sensors(configured: counters.configured.count, connected: counters.connected)
        // Grants of sensors that have gone say nothing of those that are here.
        let known = Set((Array(counters.configured) + (settings.receiver.map { [$0.id] } ?? [])).map(\.text))
        health.recordedSensors.removeAll { !known.contains($0) }
        health.bluetooth = counters.bluetooth
        health.brokerReconnects = max(0, counters.brokerConnections - 1)
        health.clock = clockSource().rawValue
        return health
    }

    private func metricsPage() -> Page {
        let counters = counters.withLock { $0 }
        return gatewayMetrics.page(
            health(counters),
            GatewayMetrics.Others(
                notifications: notifications.load(ordering: .relaxed), isBrokerConnected: counters.isBrokerConnected,
                brokerConnections: counters.brokerConnections, isEnrolled: settings.consumer != nil))
    }
}

extension Gateway {
    /// `systemctl status` shows it.
    private func tellOfDisk(_ health: HealthPayload) {
        guard let disk = health.disk, disk != toldOfDisk else { return }
        toldOfDisk = disk
        let since = health.diskSince.map { " since \(utcTime($0))" } ?? ""
        readiness.status("disk: \(disk.rawValue)\(since)" + (disk == .full ? ": make room (df -h, df -i)" : ""))
    }
}

extension Outbox {
    /// The outbox that the settings describe.
    convenience init(
        _ settings: GatewaySettings, inMemory memory: String? = nil, publishingOn session: Session
    ) throws {
        let identity = try Identity(in: settings.state)
        try self.init(
            settings.outbox, in: settings.state, inMemory: memory, of: (settings.gateway, identity.key),
            for: settings.consumer, settings.topics, publishingOn: session)
    }
}

/// A reference that the central's closure can hold before the gateway is there.
// Proof of @unchecked: set once, before the central starts.
private final class Weak<Value: AnyObject>: @unchecked Sendable { weak var value: Value? }
