import Daemon
import Fitness
import Glibc
import MQTT
import Telemetry

// What people may ask of the consumer: as a guest, who has no account yet or is not signed in, or as themselves. Each
// connection is one of the two: the broker knows who asks by the name that the connection has.

/// A connection to a broker, to ask the consumer behind it.
final class Office {
    let call: Call
    private let broker: Broker
    /// Who asks; nil for a guest.
    let person: ID?

    /// - Parameters:
    ///   - isGuest: whether to ask as a guest, signed in or not.
    ///   - isPatient: whether it goes on when the broker goes away.
    init(_ call: Call, isGuest: Bool = false, isPatient: Bool = false) throws(Failure) {
        guard let person = isGuest ? nil : call.person else {
            guard isGuest else { throw Self.notSignedIn(call) }
            var guest = call.asGuest
            // A reply reaches a guest by properties that only MQTT 5 has.
            guest.useMQTT5()
            (self.call, self.person, broker) = (guest, nil, Broker(guest))
            return
        }
        (self.call, self.person, broker) = (call, person, Broker(call, isPatient: isPatient))
    }

    /// Asks the consumer over a connection that there is for something else; nil where nobody is signed in.
    init?(at broker: Broker) {
        guard let credential = broker.call.credential else { return nil }
        (call, person, self.broker) = (broker.call, credential.user, broker)
    }

    static func notSignedIn(_ call: Call) -> Failure {
        Failure(
            .refused, "not signed in at \(call.broker.address)",
            hint: """
                vitals sign-in NAME, or for a new account: vitals sign-up NAME; in a home without accounts, name a person of its \
                settings: --username NAME --password-file FILE
                """)
    }

    /// Connects, does the work, and says goodbye.
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
        guard let person else { throw Self.notSignedIn(call) }
        return person
    }

    /// How long a request may take.
    enum Limit {
        /// --timeout, or what that is by default.
        case asTyped
        /// Unless --timeout is given.
        case usually(Duration)
        /// Whatever --timeout says, unless that is shorter: for answers that we can do without.
        case atMost(Duration)
    }

    /// Asks, and returns the data of the reply; a refusal is thrown.
    /// - Parameters:
    ///   - name: `sign-up` as a guest; `devices/list` as a person.
    ///   - fields: those that are nil are left out.
    func ask(
        _ name: String, _ fields: [(String, JSON?)] = [], within limit: Limit = .asTyped,
        meanwhile: (Event) throws(Failure) -> Void = { _ throws(Failure) in }
    ) throws(Failure) -> JSON {
        switch try outcome(name, fields, within: limit, meanwhile: meanwhile) {
        case .ok(let data): return data
        case .error(let error): throw Failure(error)
        }
    }

    /// The entries of a list, which may come in pages.
    func pages(_ name: String, _ list: String, within limit: Limit = .asTyped) throws(Failure) -> [JSON] {
        var (entries, after): ([JSON], JSON?) = ([], nil)
        repeat {
            let page = try ask(name, [("after", after)], within: limit)
            entries += page.list(list)
            after = page["next"]
        } while after != nil
        return entries
    }

    /// The same for one of very many requests: if the consumer tells us to retry later, this asks again later, for a
    /// minute, or for --timeout.
    func askPatiently(_ name: String, _ fields: [(String, JSON?)]) throws(Failure) -> JSON {
        let end = ContinuousClock.now + call.patience(.seconds(60))
        while true {
            switch try outcome(name, fields, within: .asTyped, meanwhile: { _ throws(Failure) in }) {
            case .ok(let data): return data
            case .error(let error):
                let pause = Duration.seconds(min(max(error.retryAfterSeconds ?? 1, 0), 10))
                guard [.busy, .rateLimited].contains(error.code), ContinuousClock.now + pause < end else {
                    throw Failure(error)
                }
                // The session's own thread continues in the meantime.
                usleep(UInt32(pause.components.seconds) * 1_000_000)
            }
        }
    }

    /// The units in which the person reads numbers, as the profile says; metric for programs and guests, and where the
    /// consumer does not say in time: lengths that are not the usual ones are better than none.
    func units() -> Units {
        guard !call.isJSON, person != nil, let data = try? ask("profile/get", within: .atMost(.seconds(3))),
            let profile = data["profile"]
        else { return .metric }
        return Units(ofProfile: profile)
    }

    private func outcome(
        _ name: String, _ fields: [(String, JSON?)], within limit: Limit,
        meanwhile: (Event) throws(Failure) -> Void
    ) throws(Failure) -> Reply.Outcome {
        let members = fields.compactMap { name, value in value.map { JSON.Member(name, $0) } }
        let limit =
            switch limit {
            case .asTyped: call.timeout
            case .usually(let usual): call.patience(usual)
            case .atMost(let most): call.patience(atMost: most)
            }
        return try broker.ask(
            address(name), members, within: limit, repeatedAfter: person == nil ? nil : .seconds(2),
            silence: Failure(
                .temporary, "the consumer did not answer in \(Call.text(of: limit))",
                hint: "is it running, with this broker? Does it have accounts? systemctl status vitals-consumer"),
            denial: denial, meanwhile: meanwhile
        ).outcome
    }

    /// What it means that the broker does not let us ask; nil if there is nothing to add to its own words.
    private var denial: Failure? {
        guard let person else {
            return Failure(
                .unavailable, "this home has no accounts: nobody can sign up or sign in at its broker",
                hint: "a person in the consumer's settings asks with --username NAME --password-file FILE")
        }
        guard call.credential == nil else { return nil }
        return Failure(
            .refused, "the broker at \(call.broker.address) does not let the user \(person) ask as a person",
            hint:
                "is \(person) in the consumer's settings, and in the broker's rules? See mosquitto/vitals.acl"
        )
    }

    /// Subscribes to one of the person's topics, so that its messages come in between replies.
    func listen(to topic: UserTopic) throws(Failure) { broker.listen(to: [call.topics[user: try user(), topic]]) }

    /// What has come since the last time; empty if nothing came in time.
    func next(within limit: Duration) -> [Event] { broker.next(within: limit) }

    private func address(_ name: String) throws(Failure) -> Broker.Address {
        do throws(MalformedValue) {
            let topics = call.topics
            guard let user = person else {
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
            throw Failure(.internalError, "\(error)")
        }
    }
}

extension Failure {
    /// The error that the consumer replied with: its words are for people.
    init(_ error: ReplyError) {
        let hint: String? =
            switch error.code {
            case .internal: "the consumer's log says more"
            case .notSupported where error.field == "accounts": "its people are those in the consumer's settings"
            // It says what the operator has to add.
            case .notSupported where ["phones", "push", "quotes", "meals", "sharing"].contains(error.field): nil
            case .notSupported: "are vitals and the consumer of the same version?"
            default: Self.later(error)
            }
        self.init(
            error.code.exitCode, escaped(error.message), hint: hint, code: error.code.rawValue, field: error.field)
    }

    /// When to try again, unless the error's own words say it.
    private static func later(_ error: ReplyError) -> String? {
        guard let seconds = error.retryAfterSeconds, !error.message.contains("try again in") else { return nil }
        // A minute that has begun counts whole: who comes earlier is refused again.
        let whole = seconds < 60 ? seconds : (min(seconds, 1_000_000_000) + 59) / 60 * 60
        return "try again in \(spell(seconds: whole))"
    }
}
