import Foundation
package import MQTT
import Storage
package import Telemetry
package import TestSupport
import Vault

/// A client that remembers what came.
package final class Client: Sendable {
    package let session: Session
    private let messages = Record<Message>()

    /// Connects and subscribes.
    /// - Parameter isRecorded: whether what it receives is what our programs say: false where a test publishes at topics
    ///   that no program has.
    package init(
        _ broker: Broker, id: String = "test-\(UUID().uuidString)", isRecorded: Bool = true, _ filters: String...
    ) throws {
        session = Session(Options(host: "127.0.0.1", port: broker.port, clientID: id))
        let granted = Record<Bool>()
        session.subscribe(filters.map { Subscription($0) }) { _, refusal in granted.append(refusal == nil) }
        let messages = messages
        session.start(
            Handlers(received: { message in
                if isRecorded { MessageRecord.shared?.add(message) }
                messages.append(message)
            }))
        try granted.wait(for: filters.count)
    }

    package func stop() { session.stop() }

    package func publish(_ payload: [UInt8], to topic: String) {
        session.publish(payload, to: topic, qos: .atLeastOnce)
    }

    /// The first message that `choose` makes something of, among those that came and those that will; it is then
    /// forgotten.
    package func wait<Value>(_ what: String, _ choose: (Message) throws -> Value?) throws -> Value {
        try messages.take(what, choose)
    }

    /// The messages that have come, and were not taken.
    package var received: [Message] { messages.all }

    /// Whether such a message has come, and was not taken.
    package func hasReceived(_ isMeant: (Message) -> Bool) -> Bool { messages.all.contains(where: isMeant) }

    /// The next control message, its signature checked.
    package func control(_ consumer: [UInt8]) throws -> ControlMessage {
        let key = try Ed25519.VerifyingKey(consumer)
        return try wait("a control message") { message in
            guard message.topic.hasSuffix("/control") || message.topic.hasSuffix("/grant") else { return nil }
            let signed = try SignedControlMessage(bytes: message.payload)
            try key.verify(signed.signature, of: signed.signedBytes)
            return signed.message
        }
    }
}
