import Daemon
import Glibc
import MQTT
import Telemetry

// What one may ask of the consumer: as somebody who has no account yet, or is not signed in, or as oneself. Each connection is one of
// the two: the broker knows who asks by the name that the connection has.

/// A connection to a broker, to ask the consumer behind it.
final class Office {
    let call: Call
    private let broker: Broker
    /// Nil for a guest.
    let credential: Credential?

    /// - Parameters:
    ///   - isGuest: whether to ask as nobody, signed in or not.
    ///   - isPatient: whether it goes on where the broker goes away.
    init(_ call: Call, isGuest: Bool = false, isPatient: Bool = false) throws(Failure) {
        guard let credential = isGuest ? nil : call.credential else {
            guard isGuest else {
                throw Failure(
                    .usage, "not signed in at \(call.broker.address)",
                    hint: "vitals sign-in NAME, or for a new account: vitals sign-up NAME")
            }
            var guest = call.asGuest
            // A reply finds a guest by what only MQTT 5 has.
            guest.useMQTT5()
            (self.call, credential, broker) = (guest, nil, Broker(guest))
            return
        }
        (self.call, self.credential, broker) = (call, credential, Broker(call, isPatient: isPatient))
    }

    /// Connects, does what is to be done, and says goodbye.
    static func visit<Result>(
        _ call: Call, isGuest: Bool = false, isPatient: Bool = false, _ body: (Office) throws -> Result
    ) throws -> Result {
        let office = try Office(call, isGuest: isGuest, isPatient: isPatient)
        try office.broker.connect()
        defer { office.broker.stop() }
        return try body(office)
    }

    /// Who asks.
    func user() throws(Failure) -> ID {
        guard let credential else { throw Failure(.usage, "not signed in") }
        return credential.user
    }

    /// Asks, and returns the data of the reply; what is refused is thrown.
    /// - Parameters:
    ///   - name: `sign-up` as a guest; `devices/list` as a person.
    ///   - fields: those that are nil are left out.
    ///   - limit: how long it may take; hashing a password takes its time.
    func ask(
        _ name: String, _ fields: [(String, JSON?)] = [], within limit: Duration? = nil,
        meanwhile: (Event) throws(Failure) -> Void = { _ throws(Failure) in }
    ) throws(Failure) -> JSON {
        switch try outcome(name, fields, within: limit, meanwhile: meanwhile) {
        case .ok(let data): return data
        case .error(let error): throw Failure(error)
        }
    }

    /// The same for one request of very many: where the consumer wants it later, it is asked again later, a minute long.
    func askPatiently(_ name: String, _ fields: [(String, JSON?)]) throws(Failure) -> JSON {
        let begun = ContinuousClock.now
        while true {
            switch try outcome(name, fields, within: nil, meanwhile: { _ throws(Failure) in }) {
            case .ok(let data): return data
            case .error(let error):
                guard [.busy, .rateLimited].contains(error.code), ContinuousClock.now - begun < .seconds(60) else {
                    throw Failure(error)
                }
                // The session's own thread goes on meanwhile.
                usleep(min(UInt32(clamping: error.retryAfterSeconds ?? 1), 10) * 1_000_000)
            }
        }
    }

    private func outcome(
        _ name: String, _ fields: [(String, JSON?)], within limit: Duration?,
        meanwhile: (Event) throws(Failure) -> Void
    ) throws(Failure) -> Reply.Outcome {
        let members = fields.compactMap { name, value in value.map { JSON.Member(name, $0) } }
        let limit = limit ?? max(call.timeout, .seconds(15))
        return try broker.ask(
            address(name), members, within: limit,
            silence: Failure(
                .temporary, "the consumer did not answer in \(Call.text(of: limit))",
                hint: "does it run, with this broker? Does it have accounts? systemctl status vitals-consumer"),
            meanwhile: meanwhile
        ).outcome
    }

    /// Has what the person is told on a topic come in while one asks.
    func listen(to topic: UserTopic) throws(Failure) { broker.listen(to: [call.topics[user: try user(), topic]]) }

    /// What came since the last time; nothing when nothing came in time.
    func next(within limit: Duration) -> [Event] { broker.next(within: limit) }

    private func address(_ name: String) throws(Failure) -> Broker.Address {
        do throws(MalformedValue) {
            let topics = call.topics
            guard let user = credential?.user else {
                let drawn = (randomText() + randomText() + randomText()).prefix(32)
                return Broker.Address(
                    request: topics[.account(.request(try ID(name)))],
                    response: topics[.account(.response(String(drawn)))], listed: nil)
            }
            let parts = name.split(separator: "/").map(String.init)
            return Broker.Address(
                request: topics[user: user, .request(resource: try ID(parts[0]), verb: try ID(parts[1]))],
                response: topics[user: user, .response(randomText())], listed: topics[user: user, .response(name)])
        } catch {
            throw Failure(.failure, "\(error)")
        }
    }
}

extension Failure {
    /// What the consumer replied in place of what it was asked for: its words are for people.
    init(_ error: ReplyError) {
        let code: ExitCode =
            switch error.code {
            case .busy, .rateLimited, .timeout: .temporary
            case .sensorOffline, .notReady: .unavailable
            default: .failure
            }
        let hint: String? =
            switch error.code {
            case .internal: "the consumer's log says more"
            case .notSupported: "are vitals and the consumer of one version?"
            default: error.retryAfterSeconds.map { "try again in \($0) s" }
            }
        let field = error.field.map { ", field \($0)" } ?? ""
        self.init(code, "\(escaped(error.message)) (\(error.code.rawValue)\(escaped(field)))", hint: hint)
    }
}
