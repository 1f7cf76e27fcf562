import Daemon
import MQTT
import Telemetry

/// The broker, for a program that does one thing at a time. Belongs to the main thread; the code that connects also
/// stops it.
final class Broker {
    let call: Call
    private let session: Session
    private let inbox = Inbox()
    /// Events that were taken from the inbox and not yet handed on.
    private var pending: ArraySlice<Event> = []
    private let isPatient: Bool
    /// Everything that a command waits for must have come by then.
    private let deadline: ContinuousClock.Instant

    /// - Parameter isPatient: whether a failed try is followed by others until the time is up. Otherwise the first one
    ///   decides, because somebody waits at the terminal. A patient one also soon notices that the broker stands still.
    init(_ call: Call, isPatient: Bool = false) {
        self.call = call
        self.isPatient = isPatient
        var options = call.broker
        if isPatient { options.keepAlive = .seconds(5) }
        session = Session(options)
        deadline = .now + call.timeout
    }

    /// Connects, or throws a `Failure` with the reason.
    func connect() throws(Failure) {
        let inbox = inbox
        session.start(
            Handlers(
                stateChanged: { inbox.put(.state($0)) }, received: { inbox.put(.message($0)) },
                problem: { inbox.put(.problem($0)) }))
        var reason: MQTTError?
        while let event = nextBeforeDeadline() {
            switch event {
            case .state(.connected): return
            case .state(.waiting(let error, _)):
                guard isPatient, error.mayPass else { throw call.failure(error) }
                if reason == nil { Output.note("\(error.sentence); still trying") }
                reason = error
            default: break
            }
        }
        // The session is not stopped here: it may be waiting for a name server, and the process is about to end.
        if let reason { throw call.failure(reason) }
        throw Failure(
            .unavailable, "cannot connect to \(call.broker.address): no answer in \(Call.text(of: call.timeout))",
            hint: "check the address and the network")
    }

    /// Says goodbye.
    func stop() { session.stop(within: .seconds(1)) }

    /// Subscribes, and returns all messages that came until all that the broker had retained were there. With a patient
    /// broker the subscriptions stay, and `next` returns what comes later.
    ///
    /// Nothing in MQTT says "that was all". But a broker answers in order, and Mosquitto sends what it has retained
    /// along with the SUBACK of a subscription (handle_subscribe.c); so once the SUBACK of another, later subscription
    /// comes, all of it has been sent. That other subscription matches nothing, and even a refusal of it is enough. A
    /// message published to ourselves would do as well, but a household may publish nothing but requests. The messages
    /// come at QoS 0: of QoS 1 only as many are sent as may be unacknowledged at a time, and the SUBACK could overtake
    /// the rest.
    func gather(_ filters: [String]) throws(Failure) -> [Message] {
        let fence = call.topics.everyGateway(.response(randomText()))
        subscribe(filters)
        var messages: [Message] = []
        var unanswered = filters.count
        var isFenced = false
        while let event = nextBeforeDeadline() {
            switch event {
            case .message(let message): messages.append(message)
            case .answered(let error):
                if isFenced {
                    session.unsubscribe([fence])
                    return messages
                }
                if let error { throw call.refusal(error) }
                unanswered -= 1
                guard unanswered == 0 else { continue }
                isFenced = true
                subscribe([fence])
            case .state(.waiting(let error, _)) where !isPatient: throw Failure(error)
            default: break
            }
        }
        throw Failure(
            .temporary, "no answer from \(call.broker.address) in \(Call.text(of: call.timeout))",
            hint: "try again, or wait longer with --timeout")
    }

    /// Where to ask, and where the reply comes back.
    struct Address {
        let request: String
        let response: String
        /// In MQTT 3.1.1; nil if that cannot ask.
        let listed: String?
    }

    /// Asks a gateway and waits for the reply.
    /// - Parameters:
    ///   - limit: how long it may take; if it is not given, all the time that is left.
    ///   - meanwhile: gets everything else that comes until then.
    func ask(
        _ inquiry: Inquiry, of gateway: ID, within limit: Duration?, meanwhile: (Event) throws(Failure) -> Void
    ) throws(Failure) -> Reply {
        let topics = call.topics
        let address = Address(
            request: topics[gateway, inquiry.topic], response: topics[gateway, .response(randomText())],
            listed: topics[gateway, inquiry.response])
        let silence = Failure(
            .temporary, "gateway \(gateway) did not answer in \(Call.text(of: limit ?? call.timeout))",
            hint: "see `vitals status`, or wait longer with --timeout")
        return try ask(address, inquiry.fields, within: limit, silence: silence, meanwhile: meanwhile)
    }

    /// Asks somebody and waits for the reply.
    /// - Parameters:
    ///   - pause: after so long it is asked again: the consumer does a request once, and one that was killed may have lost it.
    ///   - silence: what it means when none comes.
    ///   - denial: what it means when the broker does not let us ask; nil for its own words.
    func ask(
        _ address: Address, _ fields: [JSON.Member], within limit: Duration?, repeatedAfter pause: Duration? = nil,
        silence: Failure, denial: Failure? = nil,
        meanwhile: (Event) throws(Failure) -> Void
    ) throws(Failure) -> Reply {
        // A request about something that has an id asks with that.
        let own = fields.first { $0.name == "id" }
        let id = if case .string(let text)? = own?.value { text } else { randomText() }
        let listed = call.broker.version == .v311 ? address.listed : nil
        let fields = fields + (listed == nil || own != nil ? [] : [JSON.Member("id", .string(id))])
        let inbox = inbox
        session.request(
            JSON.object(fields).bytes, to: address.request, responseTopic: listed ?? address.response,
            // The reply's topic is a random one for this request, so nobody else waits there.
            within: limit ?? max(deadline - .now, .milliseconds(100)), repeatedAfter: listed == nil ? pause : nil,
            leaves: listed == nil,
            matching: { message in (try? Reply(payload: message.payload))?.id == .string(id) },
            completion: { inbox.put(.replied($0)) })
        while true {
            // The session ends every request, by its deadline at the latest.
            guard let event = pending.popFirst() else {
                pending = inbox.take(within: .seconds(1))[...]
                continue
            }
            switch event {
            case .replied(.success(let message)):
                do throws(MalformedValue) { return try Reply(payload: message.payload) } catch {
                    let words = "what came at \(escaped(message.topic)) is not a reply: \(escaped("\(error)"))"
                    throw Failure(.protocolError, words)
                }
            case .replied(.failure(let error)):
                switch error.kind {
                case .timeout: throw silence
                case .refused: throw denial ?? Failure(error)
                default: throw Failure(error)
                }
            default: try meanwhile(event)
            }
        }
    }

    /// Subscribes, so that messages come in between replies.
    func listen(to filters: [String]) { subscribe(filters) }

    /// What has come since the last time; empty if nothing came in time.
    func next(within limit: Duration) -> [Event] {
        defer { pending = [] }
        return pending.isEmpty ? inbox.take(within: limit) : Array(pending)
    }

    /// The next event while a command still waits for one.
    private func nextBeforeDeadline() -> Event? {
        while pending.isEmpty {
            let left = deadline - .now
            guard left > .zero else { return nil }
            pending = inbox.take(within: left)[...]
        }
        return pending.popFirst()
    }

    private func subscribe(_ filters: [String]) {
        let inbox = inbox
        session.subscribe(filters.map { Subscription($0, qos: .atMostOnce) }) { _, error in inbox.put(.answered(error))
        }
    }
}

extension MQTTError {
    /// What was attempted, and why it did not work, without the hint.
    var sentence: String { "cannot \(attempted): \(reason)" }

    /// Whether the next try may succeed without anybody changing anything.
    fileprivate var mayPass: Bool {
        switch kind {
        case .refused, .tls, .invalid: false
        default: true
        }
    }
}

extension Failure {
    /// An error of the session's, with the code that the program ends with.
    init(_ error: MQTTError) {
        switch error.kind {
        case .unreachable, .notConnected, .stopped, .tls: self.init(.unavailable, error.sentence, hint: error.hint)
        case .timeout: self.init(.temporary, error.sentence, hint: error.hint)
        case .refused:
            let hint = error.hint ?? "check the user (--username, --password-file), and what the broker lets it do"
            self.init(.refused, error.sentence, hint: hint)
        case .tooManyWaiting: self.init(.temporary, error.sentence, hint: error.hint)
        case .protocolViolation: self.init(.protocolError, error.sentence, hint: error.hint)
        case .invalid: self.init(.configuration, error.sentence, hint: error.hint)
        case .batchRefused: self.init(.internalError, error.sentence, hint: error.hint)
        }
    }
}
