import Daemon
import MQTT
import Telemetry

/// What a broker lets one of our services see, asked once: with the service's own name and password.
final class BrokerView {
    let call: Call
    private let withConsumers: Bool
    private let isGuest: Bool
    /// The folder whose owner's rights the password is read with; nil for this user's.
    private let rights: String?
    private lazy var outcome: Result<[Message], Failure> = ask()

    /// - Parameters:
    ///   - withConsumers: whether it may see which consumers are there.
    ///   - isGuest: whether it sees nothing at all, and only connects.
    init(_ call: Call, consumers withConsumers: Bool, asGuest isGuest: Bool = false, rights: String? = nil) {
        (self.call, self.withConsumers, self.isGuest, self.rights) = (call, withConsumers, isGuest, rights)
    }

    /// What gateways retain; nil if the broker was not reached.
    var household: Household? { messages.map { Household($0, call.topics) } }

    /// The consumers that say they are there; nil if the broker was not reached, or does not show them.
    var onlineConsumers: Int? {
        guard withConsumers else { return nil }
        return messages?.count { message in
            guard case .consumer = call.topics.parse(message.topic) else { return false }
            return (try? StatusPayload(payload: message.payload))?.state == .online
        }
    }

    func connection() -> Finding {
        switch outcome {
        case .success:
            let encryption = call.broker.tls == nil ? "" : ", with TLS"
            guard !call.isOpen else {
                return .warning(
                    "\(call.broker.address), without TLS: others on the way can read and change what is sent",
                    "use TLS: deploy/access.md")
            }
            return .ok("\(call.broker.address)\(encryption)")
        case .failure(let failure):
            let isOurs = failure.exitCode == .configuration
            let hint = isOurs ? "see the settings, and the file that they name" : "see the broker's log"
            return .problem(failure.message, failure.hint ?? hint)
        }
    }

    func consumers() -> Finding? {
        guard let count = onlineConsumers else { return nil }
        guard count > 0 else {
            return .problem(
                "no consumer is online at \(call.broker.address): readings wait at the gateways",
                "start it, and see its log", run: "sudo systemctl start vitals-consumer")
        }
        return .ok("\(counted(count, "consumer")) online")
    }

    private var messages: [Message]? { try? outcome.get() }

    private func ask() -> Result<[Message], Failure> {
        do throws(Failure) {
            // The session's thread gets them, too.
            let rights = try rights.map { (folder) throws(Failure) in try FileRights.take(ofOwnerOf: folder) }
            defer { rights?.giveBack() }
            let broker = Broker(call)
            try broker.connect()
            defer { broker.stop() }
            guard !isGuest else { return .success([]) }
            let filters = Household.filters(call, gateway: [.status, .info, .health], sensor: [])
            return .success(try broker.gather(filters + (withConsumers ? [call.topics.everyConsumer()] : [])))
        } catch {
            return .failure(error)
        }
    }
}
