import Foundation
import MQTT
import Storage
import Telemetry
import TestSupport
import Vault

/// A client that remembers what came.
final class Client: Sendable {
    let session: Session
    private let messages = Record<Message>()

    /// Connects and subscribes.
    init(_ broker: Broker, id: String = "test-\(UUID().uuidString)", _ filters: String...) throws {
        session = Session(Options(host: "127.0.0.1", port: broker.port, clientID: id))
        let granted = Record<Bool>()
        session.subscribe(filters.map { Subscription($0) }) { _, refusal in granted.append(refusal == nil) }
        let messages = messages
        session.start(Handlers(received: { messages.append($0) }))
        try granted.wait(for: filters.count)
    }

    func stop() { session.stop() }

    func publish(_ payload: [UInt8], to topic: String) {
        session.publish(payload, to: topic, qos: .atLeastOnce)
    }

    /// The first message that `choose` makes something of, among those that came and those that will; it is then
    /// forgotten.
    func wait<Value>(_ what: String, _ choose: (Message) throws -> Value?) throws -> Value {
        try messages.take(what, choose)
    }

    /// The messages that have come, and were not taken.
    var received: [Message] { messages.all }

    /// Whether such a message has come, and was not taken.
    func hasReceived(_ isMeant: (Message) -> Bool) -> Bool { messages.all.contains(where: isMeant) }

    /// The next control message, its signature checked.
    func control(_ consumer: [UInt8]) throws -> ControlMessage {
        let key = try Ed25519.VerifyingKey(consumer)
        return try wait("a control message") { message in
            guard message.topic.hasSuffix("/control") || message.topic.hasSuffix("/grant") else { return nil }
            let signed = try SignedControlMessage(bytes: message.payload)
            try key.verify(signed.signature, of: signed.signedBytes)
            return signed.message
        }
    }
}
