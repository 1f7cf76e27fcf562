import Foundation
import MQTT
import Reactor
import Synchronization
import Telemetry
import TestSupport

/// Says on a gateway's topics what a test wants said. It stands in for gateways and
/// their radio, not for the broker.
final class ScriptedGateway: Sendable {
    typealias Answering = @Sendable (Message) -> Reply?

    private let session: Session
    private let topics: Topics
    private let answers = Mutex<[String: Answering]>([:])
    /// The requests that came.
    let requests = Record<Message>()

    init(_ broker: Broker, root: String = Topics.defaultRoot) throws {
        var options = MQTT.Options(host: "127.0.0.1", port: broker.port, clientID: "gateway-\(UUID().uuidString)")
        options.username = "consumer"
        options.passwordFile = broker.folder.path("consumer.password")
        session = Session(options)
        topics = try Topics(root: root)
        let isConnected = Answer<Bool>()
        session.start(
            Handlers(
                stateChanged: { state in if case .connected = state { isConnected.set(true) } },
                received: { [unowned self] message in receive(message) }))
        guard isConnected.wait(atMost: limit) == true else { throw TestFailure("the gateway cannot connect") }
    }

    /// Ends the session.
    func stop() { session.stop() }

    /// Publishes a message that the broker keeps.
    func keep(_ payload: [UInt8], _ topic: GatewayTopic, of gateway: String = "home") throws {
        try publish(payload, topics[ID(gateway), topic], retain: true)
    }

    /// Publishes a message.
    func say(_ payload: [UInt8], _ topic: GatewayTopic, of gateway: String = "home") throws {
        try publish(payload, topics[ID(gateway), topic], retain: false)
    }

    /// Publishes messages without waiting for each.
    func pour(_ payloads: [[UInt8]], _ topic: GatewayTopic) throws {
        let topic = try topics[ID("home"), topic]
        let written = Record<Bool>()
        for payload in payloads {
            // Each that is written makes room for another.
            while true {
                let count = written.all.count
                if session.publish(payload, to: topic, acknowledged: { written.append($0 == nil) }) { break }
                try written.wait(for: count + 1)
            }
        }
    }

    /// A gateway that is online, with sensors that are.
    func appear(_ gateway: String = "home", sensors: [String] = ["strap"]) throws {
        try keep(StatusPayload(.online, time: 1_760_000_000_000).bytes, .status, of: gateway)
        for sensor in sensors {
            try keep(Availability.online.bytes, .sensor(ID(sensor), .availability), of: gateway)
        }
    }

    /// Publishes an event, and waits for nobody; the broker keeps the order of what is said.
    func tell(_ event: EventPayload, of gateway: String = "home") throws {
        session.publish(event.bytes, to: try topics[ID(gateway), .events])
    }

    /// Answers all requests for steps or temperature of a sensor.
    func answer(_ topic: SensorTopic, of sensor: String = "strap", _ answering: @escaping Answering) throws {
        try answer(.sensor(ID(sensor), topic), answering)
    }

    /// Answers all requests by that name.
    func answer(_ request: String, _ answering: @escaping Answering) throws {
        try answer(.request(ID(request)), answering)
    }

    /// Answers all requests about music by that name.
    func answer(_ request: MusicRequest, _ answering: @escaping Answering) throws {
        try answer(.musicRequest(request), answering)
    }

    private func answer(_ topic: GatewayTopic, _ answering: @escaping Answering) throws {
        let topic = try topics[ID("home"), topic]
        answers.withLock { $0[topic] = answering }
        let granted = Answer<MQTTError?>()
        session.subscribe([Subscription(topic)]) { _, error in granted.set(error) }
        guard let error = granted.wait(atMost: limit) else { throw TestFailure("no SUBACK") }
        if let error { throw error }
    }

    private func receive(_ message: Message) {
        requests.append(message)
        guard var reply = answers.withLock({ $0[message.topic] })?(message) else { return }
        if reply.id == nil { reply.id = (try? Request(payload: message.payload))?.id }
        let usual = message.topic.replacingOccurrences(of: "/get", with: "/response")
            .replacingOccurrences(of: "/requests/", with: "/responses/")
        let properties = Message.Properties(correlationData: message.properties?.correlationData)
        session.publish(
            reply.bytes, to: message.properties?.responseTopic ?? usual, qos: .atLeastOnce, properties: properties)
    }

    private func publish(_ payload: [UInt8], _ topic: String, retain: Bool) throws {
        let answer = Answer<MQTTError?>()
        let isAccepted = session.publish(payload, to: topic, qos: .atLeastOnce, retain: retain) { answer.set($0) }
        guard isAccepted, let error = answer.wait(atMost: limit) else {
            throw TestFailure("\(topic) was not acknowledged")
        }
        if let error { throw error }
    }
}

/// A broker and a scripted gateway, for as long as the closure lasts.
/// - Parameter body: gets them, and runs the program with the broker's port.
func withHousehold(
    root: String = Topics.defaultRoot,
    _ body: (Broker, ScriptedGateway, _ vitals: (String...) throws -> Program.Outcome) throws -> Void
) throws {
    let broker = try Broker.home(root: root)
    try broker.start()
    defer { broker.stop() }
    let gateway = try ScriptedGateway(broker, root: root)
    defer { gateway.stop() }
    try body(broker, gateway) { (arguments: String...) in
        try Program(["--port", "\(broker.port)"] + arguments).finish()
    }
}
