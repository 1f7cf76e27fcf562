import DBus
import Reactor
import Synchronization
import TestSupport
import Testing

/// An agent on a client's connection: it notes what it is asked, and answers as it was told.
final class AgentDouble: Sendable {
    enum Answer { case yes, no, none }

    /// Such as `RequestAuthorization /org/bluez/hci0/dev_…`.
    let asked = TestSupport.Record<String>()
    private let answer: Mutex<Answer>
    private let client: BusClient

    static let path = "/org/example/agent"

    init(_ client: BusClient, answers answer: Answer) {
        self.client = client
        self.answer = Mutex(answer)
        client.connection.loop.sync { [self, connection = client.connection] in
            connection.onCall = { [self] in take($0) }
        }
        register()
    }

    /// Becomes the default agent, once more if BlueZ was started again.
    func register() {
        let agent = Value.path(Self.path)
        #expect(manager("RegisterAgent", [agent, .string("NoInputNoOutput")]) == "ok")
        #expect(manager("RequestDefaultAgent", [agent]) == "ok")
    }

    func manager(_ member: String, _ arguments: [Value]) -> String {
        client.call("/org/bluez", "org.bluez.AgentManager1", member, arguments).outcome
    }

    private func take(_ call: Message) {
        asked.append(([call.member] + call.arguments.compactMap(\.asString)).joined(separator: " "))
        guard call.member == "RequestAuthorization" else { return client.connection.reply(to: call) }
        switch answer.withLock({ $0 }) {
        case .yes: client.connection.reply(to: call)
        case .no: client.connection.refuse(call, DBusError(name: "org.bluez.Error.Rejected", message: "not mine"))
        case .none: break
        }
    }
}
