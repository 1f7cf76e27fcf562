import Foundation
import MQTT

/// A client that asks once, and may be thrown out by the broker for what it sends: Mosquitto 2.0.21 ends the connection
/// of a client that sends a Response Topic with more than 200 levels, which 2.0.11 hands on.
public final class RiskyAsker {
    private let session: Session
    /// What came, and nil if the broker ended the connection.
    private let heard = Record<Message?>()

    /// Connects to a broker on 127.0.0.1 without a name, and subscribes.
    public init(port: UInt16, _ filter: String) throws {
        session = Session(Options(host: "127.0.0.1", port: port, clientID: "asker-\(UUID().uuidString)"))
        let granted = Record<Bool>()
        session.subscribe([Subscription(filter)]) { granted.append($1 == nil) }
        let connection = Handlers(
            stateChanged: { [heard] state in if case .waiting = state { heard.append(nil) } },
            received: { [heard] in heard.append($0) })
        session.start(connection)
        try granted.wait(for: 1)
    }

    deinit { session.stop() }

    /// Publishes a request, without a second try.
    /// - Returns: the payload of the reply that came at `place`; nil if the broker ended the connection instead.
    public func ask(_ topic: String, replyAt asked: String, at place: String) throws -> [UInt8]? {
        session.publish(Message(topic: topic, payload: [], properties: Message.Properties(responseTopic: asked)))
        return try heard.take("a reply at \(place.prefix(100)), or the end") { message -> [UInt8]?? in
            guard let message else { return .some(nil) }
            return message.topic == place ? .some(message.payload) : nil
        }
    }
}
