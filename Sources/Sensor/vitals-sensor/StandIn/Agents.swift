// The agents that clients have registered, and how BlueZ asks them.
//
// A pairing that a client has not asked for (an attribute needed an encrypted link) is put to the default agent by
// RequestAuthorization: between a sensor without a display and an adapter there are no numbers to compare. An agent is
// asked one thing at a time; if the pairing ends in another way, Cancel tells it so.
//
// Source: BlueZ's src/agent.c, and device_confirm_passkey in its src/device.c.

import DBus

/// The agent manager of the stand-in. Belongs to the connection's loop.
final class Agents {
    private struct Agent {
        let client: String
        let path: String
    }

    /// Called when the first agent has come or the last one gone.
    var onChange: ((_ isPairable: Bool) -> Void)?

    private let connection: Connection
    private var registered: [Agent] = []
    /// The clients that asked to be the default agent, the latest first.
    private var defaults: [String] = []
    /// The open question.
    private var question: Question?

    /// This is longer than any pairing takes.
    private static let limit = Duration.seconds(60)

    init(on connection: Connection) { self.connection = connection }

    /// A question to an agent, until it is answered or withdrawn.
    final class Question {
        fileprivate let agent: String
        fileprivate var answer: ((Bool) -> Void)?

        fileprivate init(to agent: String, answer: @escaping (Bool) -> Void) {
            self.agent = agent
            self.answer = answer
        }
    }

    /// Whether somebody could be asked about a pairing that a client has asked for, or nobody in particular (nil).
    func hasAgent(for client: String?) -> Bool { agent(for: client) != nil }

    private func agent(for client: String?) -> Agent? {
        registered.first { $0.client == client }
            ?? defaults.first.flatMap { name in
                registered.first { $0.client == name }
            }
    }

    /// Asks the default agent whether a device may pair.
    /// - Parameter answer: gets what it said, later. An agent that is already being asked something else counts as
    ///   saying no.
    /// - Returns: the question, which may be withdrawn; nil if there is nobody to ask.
    func authorize(_ device: String, answer: @escaping (Bool) -> Void) -> Question? {
        guard question == nil, let agent = agent(for: nil) else { return nil }
        let question = Question(to: agent.client, answer: answer)
        self.question = question
        connection.call(
            agent.client, agent.path, "org.bluez.Agent1", "RequestAuthorization", [.path(device)], limit: Self.limit
        ) { [weak self] result in
            guard let answer = question.answer else { return }
            question.answer = nil
            if self?.question === question { self?.question = nil }
            answer((try? result.get()) != nil)
        }
        return question
    }

    /// Withdraws a question, and tells the agent.
    func cancel(_ question: Question) {
        guard question.answer != nil else { return }
        question.answer = nil
        if self.question === question { self.question = nil }
        if let agent = registered.first(where: { $0.client == question.agent }) { tell(agent, "Cancel") }
    }

    /// BlueZ ends, in good order.
    func release() {
        for agent in registered { tell(agent, "Release") }
        forgetAll()
    }

    /// BlueZ has ended; nobody is told.
    func forgetAll() { (registered, defaults, question) = ([], [], nil) }

    /// A client has left the bus.
    func forget(client: String) {
        guard let index = registered.firstIndex(where: { $0.client == client }) else { return }
        registered.remove(at: index)
        defaults.removeAll { $0 == client }
        if let question, question.agent == client, let answer = question.answer {
            question.answer = nil
            self.question = nil
            answer(false)
        }
        if registered.isEmpty { onChange?(false) }
    }

    private func tell(_ agent: Agent, _ member: String) {
        connection.call(agent.client, agent.path, "org.bluez.Agent1", member, limit: Self.limit) { _ in }
    }

    // MARK: org.bluez.AgentManager1

    var interface: Interface {
        Interface(
            name: "org.bluez.AgentManager1",
            methods: [
                Method("RegisterAgent", takes: ["agent": "o", "capability": "s"]) { [unowned self] in register($0) },
                Method("UnregisterAgent", takes: ["agent": "o"]) { [unowned self] call in
                    guard registered.contains(where: { $0.client == call.sender }) else {
                        return call.refuse(BlueZError.doesNotExist)
                    }
                    call.reply()
                    forget(client: call.sender)
                },
                Method("RequestDefaultAgent", takes: ["agent": "o"]) { [unowned self] call in
                    guard registered.contains(where: { $0.client == call.sender }) else {
                        return call.refuse(BlueZError.doesNotExist)
                    }
                    defaults.removeAll { $0 == call.sender }
                    defaults.insert(call.sender, at: 0)
                    call.reply()
                },
            ])
    }

    private func register(_ call: Call) {
        guard !registered.contains(where: { $0.client == call.sender }) else {
            return call.refuse(BlueZError.alreadyExists)
        }
        guard Self.capabilities.contains(call.arguments[1].asString ?? "") else {
            return call.refuse(BlueZError.invalidArguments)
        }
        registered.append(Agent(client: call.sender, path: call.arguments[0].asString ?? "/"))
        call.reply()
        if registered.count == 1 { onChange?(true) }
    }

    private static let capabilities = [
        "", "DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay",
    ]
}
