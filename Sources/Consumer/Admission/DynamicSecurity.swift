import MQTT
import Reactor
import Telemetry

// Commands to Mosquitto's dynamic-security plugin and its answers.
//
// A command is a message to `$CONTROL/dynamic-security/v1`; the answer comes to everybody who may read the topic below,
// hence the correlation data. The broker handles one after the other and writes its whole file for each that changes
// something, so only a few are sent at a time. A broker without the plugin acknowledges the message and never answers;
// a broker whose plugin does not allow us to do it refuses the message (both pinned by
// Tests/Consumer/AdmissionTests/BrokerRulesTests.swift).

/// What went wrong between us and the broker's rules.
package struct RulesError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Sendable {
        /// There is no connection, or it was lost before the answer.
        case notConnected
        /// The broker does not let us change its rules.
        case notAllowed
        /// No answer in time: the broker has no plugin, or is overwhelmed.
        case noAnswer
        /// The plugin said no.
        case refused
        /// Too many commands are waiting already.
        case busy
    }

    package let reason: Reason
    /// What was attempted, to follow "could not".
    let attempted: String
    let said: String
    var hint: String? = nil

    package var description: String { "could not \(attempted): \(said)" + (hint.map { " (\($0))" } ?? "") }
}

/// A conversation with the plugin. Belongs to the session's thread.
// Proof of @unchecked: everything is touched on the session's thread only.
package final class DynamicSecurity: @unchecked Sendable {
    typealias Completion = @Sendable (Result<JSON, RulesError>) -> Void

    /// One command of the plugin's, by its name.
    struct Command: Equatable {
        let name: String
        let members: [JSON.Member]

        init(_ name: String, _ members: KeyValuePairs<String, JSON> = [:]) {
            self.name = name
            self.members = members.map { JSON.Member($0.key, $0.value) }
        }

        func bytes(correlationData: String) -> [UInt8] {
            let command = JSON.object(
                [JSON.Member("command", .string(name)), JSON.Member("correlationData", .string(correlationData))]
                    + members)
            return JSON.object([JSON.Member("commands", .array([command]))]).bytes
        }
    }

    /// A command that waits to be sent, or for its answer.
    private final class Asked {
        let command: Command
        let completion: Completion
        var deadline: EventLoop.Timer?

        init(_ command: Command, _ completion: @escaping Completion) {
            self.command = command
            self.completion = completion
        }
    }

    static let topic = "$CONTROL/dynamic-security/v1"
    static let responseTopic = "$CONTROL/dynamic-security/v1/response"

    /// How many commands the broker has at a time.
    private static let sentLimit = 16
    private static let waitingLimit = 100_000
    private let session: Session
    /// The time from sending a command to its answer.
    private let deadline: Duration
    private let prefix: String
    private var number = 0
    private var isOpen = false
    private var waiting: [Asked] = []
    private var sent: [String: Asked] = [:]

    init(_ session: Session, deadline: Duration) {
        self.session = session
        self.deadline = deadline
        // Others may talk to the plugin, too: an operator with mosquitto_ctrl.
        prefix = String(UInt64.random(in: 0...UInt64.max), radix: 36) + "-"
    }

    /// To be called at each connection.
    /// - Parameter ready: called once the broker lets us hear its answers, or does not.
    func open(ready: @escaping @Sendable (RulesError?) -> Void) {
        session.subscribe([Subscription(Self.responseTopic)]) { [unowned self] _, error in
            guard let error else {
                isOpen = true
                return ready(nil)
            }
            ready(Self.notAllowed("hear of the broker's rules", error.reason))
        }
    }

    /// To be called when the connection is gone: what was not answered has failed.
    func close() {
        isOpen = false
        session.unsubscribe([Self.responseTopic])
        let all = Array(sent.values) + waiting
        sent = [:]
        waiting = []
        for asked in all { fail(asked, .notConnected, "the connection to the broker was lost") }
    }

    /// Has a command done, after the earlier ones; `completion` gets the answer's data.
    func perform(_ command: Command, _ completion: @escaping Completion) {
        let asked = Asked(command, completion)
        guard isOpen else { return fail(asked, .notConnected, "there is no connection to the broker") }
        guard waiting.count < Self.waitingLimit else {
            return fail(asked, .busy, "\(waiting.count) changes of the broker's rules are waiting already")
        }
        waiting.append(asked)
        sendSome()
    }

    /// Has commands done that do not depend on each other's answers; `completion` gets what failed.
    func perform(_ commands: [Command], _ completion: @escaping @Sendable ([RulesError]) -> Void) {
        guard !commands.isEmpty else { return completion([]) }
        let countdown = Countdown(commands.count, completion)
        for command in commands { perform(command) { countdown.add($0) } }
    }

    /// Whether a message is the plugin's; if so, it goes to the caller that asked.
    func received(_ message: Message) -> Bool {
        guard message.topic == Self.responseTopic else { return false }
        let response = try? JSON(payload: message.payload)
        guard case .array(let answers)? = response?["responses"] else { return true }
        for answer in answers {
            guard case .string(let key)? = answer["correlationData"], let asked = sent.removeValue(forKey: key) else {
                continue
            }
            asked.deadline?.cancel()
            if case .string(let error)? = answer["error"] {
                fail(asked, .refused, error)
            } else {
                asked.completion(.success(answer["data"] ?? [:]))
            }
        }
        sendSome()
        return true
    }

    private func sendSome() {
        guard sent.count < Self.sentLimit, !waiting.isEmpty else { return }
        let count = min(Self.sentLimit - sent.count, waiting.count)
        let next = waiting.prefix(count)
        waiting.removeFirst(count)
        for asked in next { send(asked) }
    }

    private func send(_ asked: Asked) {
        number += 1
        let key = prefix + String(number, radix: 36)
        sent[key] = asked
        asked.deadline = session.loop.after(deadline) { [unowned self] in
            guard let asked = sent.removeValue(forKey: key) else { return }
            fail(asked, .noAnswer, "no answer in \(deadline)", hint: Self.noPlugin)
            sendSome()
        }
        let isTaken = session.publish(asked.command.bytes(correlationData: key), to: Self.topic, qos: .atLeastOnce) {
            [unowned self] error in
            guard let error, let asked = sent.removeValue(forKey: key) else { return }
            asked.deadline?.cancel()
            if error.kind == .refused {
                asked.completion(.failure(Self.notAllowed(asked.command.name, error.reason)))
            } else {
                fail(asked, .notConnected, error.reason)
            }
        }
        guard !isTaken, let asked = sent.removeValue(forKey: key) else { return }
        asked.deadline?.cancel()
        // We have heard of no lost connection, so more messages wait to be sent than the session takes.
        fail(asked, .busy, "too many messages are waiting")
    }

    private func fail(_ asked: Asked, _ reason: RulesError.Reason, _ said: String, hint: String? = nil) {
        let attempted = "have the broker do \(asked.command.name)"
        asked.completion(.failure(RulesError(reason: reason, attempted: attempted, said: said, hint: hint)))
    }

    private static func notAllowed(_ attempted: String, _ said: String) -> RulesError {
        RulesError(
            reason: .notAllowed, attempted: attempted, said: said,
            hint: """
                the broker's dynamic-security plugin does not let the consumer: stop the broker, have \
                `vitals-consumer broker-rules` write the plugin's file, and start it
                """)
    }

    private static let noPlugin = """
        is the dynamic-security plugin in mosquitto.conf, as in mosquitto/accounts.conf? Without it, remove broker_rules from \
        the settings
        """
}

/// Counts answers until all are there.
// Proof of @unchecked: touched on the session's thread only, where every completion is called.
private final class Countdown: @unchecked Sendable {
    private var left: Int
    private var failures: [RulesError] = []
    private let completion: @Sendable ([RulesError]) -> Void

    init(_ count: Int, _ completion: @escaping @Sendable ([RulesError]) -> Void) {
        left = count
        self.completion = completion
    }

    func add(_ result: Result<JSON, RulesError>) {
        if case .failure(let error) = result { failures.append(error) }
        left -= 1
        if left == 0 { completion(failures) }
    }
}
