import MQTT
import Reactor
import TestSupport

/// A session with a record of all that it told.
final class Client: Sendable {
    let session: Session
    let states = Record<State>()
    let messages = Record<Message>()
    let problems = Record<MQTTError>()

    /// - Parameter loop: the loop to run on; nil if the session has its own.
    init(_ options: Options, on loop: EventLoop? = nil, commit: @escaping @Sendable () -> Bool = { true }) {
        session = Session(options, on: loop)
        session.start(
            Handlers(
                stateChanged: { [states] in states.append($0) }, received: { [messages] in messages.append($0) },
                commit: commit, problem: { [problems] in problems.append($0) }))
    }

    /// A session with a broker, for as long as the closure lasts.
    static func with<Result>(
        _ options: Options, commit: @escaping @Sendable () -> Bool = { true }, _ body: (Client) throws -> Result
    ) throws -> Result {
        let client = Client(options, commit: commit)
        defer { client.session.stop() }
        return try body(client)
    }

    /// Waits until the session was connected this many times.
    func connected(times: Int = 1) throws {
        try states.wait { $0.count(where: \.isConnected) >= times }
    }

    /// Waits until a try has failed, and says why.
    func failure() throws -> MQTTError {
        let states = try states.wait { $0.contains { $0.failure != nil } }
        guard let failure = states.lazy.compactMap(\.failure).first else { throw TestFailure("no failure") }
        return failure
    }

    /// Subscribes and waits for the broker's answers.
    func subscribe(_ subscriptions: Subscription...) throws {
        let answers = Record<String>()
        session.subscribe(subscriptions) { subscription, _ in answers.append(subscription.filter) }
        try answers.wait(for: subscriptions.count)
    }

    /// Publishes and waits until the message is finished.
    /// - Returns: why the broker refused it, if it did.
    @discardableResult
    func publish(_ text: String, to topic: String, qos: QoS = .atLeastOnce, retain: Bool = false) throws -> MQTTError? {
        let finished = Record<MQTTError?>()
        guard session.publish(Array(text.utf8), to: topic, qos: qos, retain: retain, acknowledged: finished.append)
        else { throw TestFailure("publish was refused") }
        return try finished.wait(for: 1)[0]
    }
}

extension State {
    var isConnected: Bool { if case .connected = self { true } else { false } }
    var failure: MQTTError? { if case .waiting(let reason, _) = self { reason } else { nil } }
}

extension Message {
    var text: String { String(decoding: payload, as: UTF8.self) }
}

extension Options {
    /// A client of a test's broker.
    init(_ broker: Broker, clientID: String = "tester") {
        self.init(host: "127.0.0.1", port: broker.port, clientID: clientID)
    }
}
