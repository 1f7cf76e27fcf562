// What Home Assistant is told: one retained message about the gateway and one about each sensor, from which it makes devices
// with entities (its MQTT discovery). It then listens to the gateway's ordinary topics by itself, and presses buttons by
// publishing requests there.
//
// What is told is written to the disk first, then published: so whatever happens, a gateway that starts without
// `home_assistant`, under another name or without a sensor knows what it has to take back. Both happen on the thread that
// waits for the disk, one after the other, so that the last state is also the last at the broker.

import Daemon
import Files
import MQTT
import Synchronization
import Telemetry

/// May be called from any thread.
// Proof of @unchecked: constants, what is under a lock, and `written`, which only the thread of `perform` touches.
final class HomeAssistant: @unchecked Sendable {
    private struct State {
        var memory: DiscoveryMemory
        /// Whether the sensors that there are were named: until then, nobody knows which are gone.
        var hasBegun = false
        /// What the broker was given on this connection, and since Home Assistant was last born.
        var published: [String: [UInt8]] = [:]
        /// Births are waited out together.
        var isBirthPending = false
        /// Milliseconds since boot.
        var lastBirth: UInt64?
    }

    /// Anybody whom the broker lets publish there can say that Home Assistant was born: everything is published again at most
    /// this often. It is retained, so nothing is missed by waiting.
    static let leastPause = Duration.seconds(10)
    /// Several gateways hear of the same birth.
    private static let jitter = 0.1...1.5

    private let discovery: HomeAssistantTopics?
    private let gateway: ID
    private let topics: Topics
    private let publishesLive: Bool
    private let session: Session
    private let path: String
    private let limitedLog: LimitedLog
    private let perform: (@escaping @Sendable () -> Void) -> Void
    private let state: Mutex<State>
    private var written: DiscoveryMemory

    /// - Parameters:
    ///   - discovery: nil if it is told nothing; what it was told before is then taken back.
    ///   - state: the folder in which it is remembered.
    ///   - perform: runs work that waits for the disk, in order, on one thread.
    init(
        at discovery: HomeAssistantTopics?, of gateway: ID, _ topics: Topics, publishingLive publishesLive: Bool,
        in state: String, on session: Session, logging limitedLog: LimitedLog,
        writing perform: @escaping (@escaping @Sendable () -> Void) -> Void
    ) throws {
        self.discovery = discovery
        (self.gateway, self.topics, self.publishesLive) = (gateway, topics, publishesLive)
        (self.session, self.limitedLog, self.perform) = (session, limitedLog, perform)
        path = "\(state)/\(DiscoveryMemory.file)"
        written = try DiscoveryMemory.read(path)
        self.state = Mutex(State(memory: written))
    }

    /// What tells that Home Assistant was born. Messages that the broker has kept are of an earlier life.
    var subscriptions: [MQTT.Subscription] {
        discovery.map { [MQTT.Subscription($0.status, qos: .atMostOnce, retainHandling: .doNotSend)] } ?? []
    }

    /// Names the sensors that there are, as the gateway starts: any other was told about by an earlier run.
    func begin(with sensors: [(id: ID, name: String)]) {
        state.withLock { state in
            state.memory.move(to: discovery, gateway)
            state.hasBegun = true
            guard let discovery else { return }
            // It may have been switched off, and the broker away since.
            state.memory.leftovers.remove(discovery.device(gateway))
            for old in state.memory.sensors where !sensors.contains(where: { $0.id == old.id }) {
                state.memory[old.id] = nil
                state.memory.leave(discovery.device(gateway, old.id))
            }
            for sensor in sensors { take(SensorInfoPayload(name: sensor.name), of: sensor.id, &state) }
        }
        update()
    }

    /// A sensor says something of itself.
    func describe(_ info: SensorInfoPayload, of sensor: ID) {
        guard discovery != nil else { return }
        let isNew = state.withLock { state in
            let before = state.memory
            take(info, of: sensor, &state)
            return state.memory != before
        }
        if isNew { update() }
    }

    /// A sensor is gone.
    func forget(_ sensor: ID) {
        guard let discovery else { return }
        state.withLock { state in
            state.memory[sensor] = nil
            state.memory.leave(discovery.device(gateway, sensor))
        }
        update()
    }

    private func take(_ info: SensorInfoPayload, of id: ID, _ state: inout State) {
        var sensor = state.memory[id] ?? DiscoveredSensor(id)
        sensor.take(info, isLive: publishesLive)
        state.memory[id] = sensor
        if let discovery { state.memory.leftovers.remove(discovery.device(gateway, id)) }
    }

    // MARK: From the broker, on the gateway's loop

    /// To be called at each connection: the broker may have forgotten everything.
    func connected() {
        state.withLock { $0.published = [:] }
        update()
    }

    /// Takes a message if it is from Home Assistant.
    func receive(_ message: Message) -> Bool {
        guard let discovery, message.topic == discovery.status else { return false }
        guard message.payload == Array("online".utf8) else { return true }
        let now = millisecondsSinceBoot()
        let pause: Duration? = state.withLock { state in
            guard !state.isBirthPending else { return nil }
            state.isBirthPending = true
            let rest = state.lastBirth.map { Duration.milliseconds(Int64($0) - Int64(now)) + Self.leastPause }
            return max(.zero, rest ?? .zero) + .seconds(Double.random(in: Self.jitter))
        }
        guard let pause else { return true }
        session.loop.after(pause) { [self] in
            state.withLock { state in
                (state.isBirthPending, state.lastBirth, state.published) = (false, millisecondsSinceBoot(), [:])
            }
            update()
        }
        return true
    }

    // MARK: Telling

    private func update() {
        perform { [self] in
            let (memory, hasBegun) = state.withLock { ($0.memory, $0.hasBegun) }
            guard hasBegun, write(memory) else { return }
            for (topic, payload) in messages(of: memory) { publish(payload, to: topic) }
        }
    }

    private func write(_ memory: DiscoveryMemory) -> Bool {
        guard memory != written else { return true }
        do {
            try SmallFile.replace(path, with: memory.bytes)
            written = memory
            return true
        } catch {
            limitedLog.error("home assistant not written") {
                "Home Assistant is not told of a change, because \(path) could not be written\($0): \(error)"
            }
            return false
        }
    }

    /// The gateway's own comes first, because the others name it.
    private func messages(of memory: DiscoveryMemory) -> [(topic: String, payload: [UInt8])] {
        var messages = memory.leftovers.sorted().map { (topic: $0, payload: [UInt8]()) }
        guard let discovery else { return messages }
        messages.append((discovery.device(gateway), DiscoveryPayload(gateway: gateway, topics, version: version).bytes))
        for sensor in memory.sensors {
            let payload = DiscoveryPayload(sensor, of: gateway, topics, version: version)
            messages.append((discovery.device(gateway, sensor.id), payload.bytes))
        }
        return messages
    }

    private func publish(_ payload: [UInt8], to topic: String) {
        let isNew = state.withLock { state in
            guard state.published[topic] != payload else { return false }
            state.published[topic] = payload
            return true
        }
        guard isNew else { return }
        let isAccepted = session.publish(payload, to: topic, qos: .atLeastOnce, retain: true) { [self] error in
            if let error { return refused(error, topic) }
            if payload.isEmpty { emptied(topic) }
        }
        // At the next connection it is tried again.
        if !isAccepted { state.withLock { $0.published[topic] = nil } }
    }

    private func emptied(_ topic: String) {
        let isOver = state.withLock { state in
            // A sensor of that name may be back since.
            state.published[topic]?.isEmpty == true && state.memory.leftovers.remove(topic) != nil
        }
        if isOver { update() }
    }

    private func refused(_ error: MQTTError, _ topic: String) {
        guard error.kind == .refused else { return }
        limitedLog.error("home assistant refused") {
            "\(error)\($0). The broker has to let \(gateway) publish there: deploy/home-assistant.md"
        }
    }
}
