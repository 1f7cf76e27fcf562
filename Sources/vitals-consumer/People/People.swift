import Daemon
import MQTT
import Telemetry
import Vault

// What people ask, and those who want to become people.
//
// Requests come on `users/{user}/requests/{resource}/{verb}` and `accounts/{verb}`, on the session's thread. The desk here
// refuses what is no request (retained, too long, a Response Topic that is not the asker's), what comes too often, and what
// nobody knows; it finds those that come again. What is left goes to whoever has registered for its name. Each gets one reply.
//
// With accounts go the broker's rules: see BrokerRules/.

/// How a request is worked on. Both run on the session's thread, and must not hold it up.
enum Handling {
    /// Answered when it returns. What it changes must be durable then: `store.database.transaction`.
    case atOnce((PeopleRequest) throws -> JSON)
    /// Answered later: after hashing a password, or when the broker has confirmed something.
    case later((PeopleRequest) -> Void)
}

/// What all who answer people share. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
final class PeopleContext: @unchecked Sendable {
    /// What a running service takes from settings that are read again changes here, too.
    var settings: ConsumerSettings
    let store: Store
    let keys: Keys
    let session: Session
    /// Nil where the broker's rules are the operator's own.
    var rules: BrokerRules?
    var topics: Topics { settings.topics }
    var documents: Documents { Documents(store: store, keys: keys) }
    /// Requests that must not be done twice.
    let answered: Answered
    let notifications: Notifications
    /// What people's days come to; nil where nobody asks.
    var days: Days?
    /// The wall clock, Unix milliseconds.
    var now: () -> Int64 = unixMilliseconds
    /// Brings the streams of these sensors in line with settings and claims, and publishes their grants: now, or where that fails, as
    /// soon as it can be done. Not within a transaction.
    var settle: (Set<SensorName>) -> Void = { _ in }
    /// Whether all that is a person's is being deleted now: nothing of theirs is to come to be meanwhile.
    var isBeingForgotten: (ID) -> Bool = { _ in false }
    /// What is to be seen of these people's days is different: see Today/.
    var shownDifferently: (Set<ID>) -> Void = { _ in }
    /// Gateways were enrolled or removed.
    var gatewaysChanged: () -> Void = {}

    init(
        _ settings: ConsumerSettings, store: Store, keys: Keys, session: Session, notifications: Notifications? = nil
    ) {
        answered = Answered(store, keys)
        self.notifications = notifications ?? Notifications(store, keys)
        self.settings = settings
        self.store = store
        self.keys = keys
        self.session = session
    }
}

/// Where people's requests come in and replies go out. Belongs to the session's thread.
// Proof of @unchecked: as for `PeopleContext`.
final class People: @unchecked Sendable {
    /// Who may ask something.
    enum Audience { case guests, persons }

    private struct Desk {
        let maximumLength: Int
        var bulk: Allowance<ID>?
        let handling: Handling
    }

    /// Where a reply goes, and what it carries back.
    private struct Return {
        let topic: String
        let correlationData: [UInt8]?
        let id: RequestID?
    }

    let context: PeopleContext
    /// Signs people up and in.
    var accounts: Accounts?
    private var desks: [String: Desk] = [:]
    private var waiting: [Message] = []
    private var recent = RecentReplies()
    private var isForgetting = false
    /// All guests share it, for the broker does not say which of them asks; each verb has its own, so that who floods one
    /// leaves the others alone.
    private var guests = Allowance<String>(perSecond: 20, burst: 100)
    private var persons = Allowance<ID>(perSecond: 10, burst: 50)
    private var reported = OncePerMinute<String>(capacity: 64)

    init(_ context: PeopleContext) { self.context = context }

    /// Makes a request known.
    /// - Parameters:
    ///   - name: a verb for guests, `resource/verb` for people.
    ///   - maximumLength: of its payload.
    ///   - bulk: how often a person may ask it, beside all else that they ask: for what comes in many parts, each of which can be
    ///     asked for again. Replies to it are not remembered, for they would take the place of all others.
    func register(
        _ name: String, for audience: Audience = .persons, maximumLength: Int = Request.maximumLength,
        bulk: Allowance<ID>? = nil, _ handling: Handling
    ) {
        desks[Self.key(name, audience)] = Desk(maximumLength: maximumLength, bulk: bulk, handling: handling)
    }

    /// What guests may ask.
    var guestRequests: Set<String> { Set(desks.keys.filter { $0.hasPrefix("guest ") }.map { String($0.dropFirst(6)) }) }

    /// The filters of all requests. What was asked before we came is not answered, and a retained request can be told from others.
    var subscriptions: [Subscription] {
        [context.topics.everyAccountRequest, context.topics.everyUserRequest].map {
            Subscription($0, qos: .atLeastOnce, retainAsPublished: true, retainHandling: .doNotSend)
        }
    }

    /// Collects a request of this batch.
    func collect(_ message: Message) { waiting.append(message) }

    /// Works on what was collected. Replies leave before the acknowledgements of the batch do.
    func answerCollected() {
        var messages: [Message] = []
        swap(&messages, &waiting)
        for message in messages { receive(message) }
    }

    private static func key(_ name: String, _ audience: Audience) -> String {
        audience == .guests ? "guest \(name)" : name
    }
}

// MARK: A request's way

extension People {
    private func receive(_ message: Message) {
        if message.retain {
            // What takes a retained message back comes here, too, ours among it.
            guard !message.payload.isEmpty else { return }
            // It would fill the broker's memory, and may hold a password.
            context.session.publish([], to: message.topic, qos: .atLeastOnce, retain: true)
        }
        let topics = context.topics
        let asked = message.properties?.responseTopic
        switch topics.parse(message.topic) {
        case .account(.request(let verb))?:
            // Nobody who is not signed in has a topic of their own to be told at.
            guard let asked, topics.allowsGuestResponse(at: asked) else {
                return report(
                    "a request to \(verb) names no response topic accounts/responses/{32 hex digits}: no reply")
            }
            receive(message, .guest, verb.text, replyAt: asked, isAllowed: true)
        case .user(let user, .request(let resource, let verb))?:
            let listed = topics[user: user, .response("\(resource)/\(verb)")]
            let isAllowed = asked.map { topics.allowsResponse(at: $0, toUser: user) } ?? true
            receive(
                message, .person(user), "\(resource)/\(verb)", replyAt: isAllowed ? asked ?? listed : listed,
                isAllowed: isAllowed)
        default: return
        }
    }

    private func receive(_ message: Message, _ asker: Asker, _ name: String, replyAt topic: String, isAllowed: Bool) {
        let desk = desks[Self.key(name, asker == .guest ? .guests : .persons)]
        let parsed = Result { () throws(MalformedValue) in
            try Request(payload: message.payload, limit: desk?.maximumLength ?? Request.maximumLength)
        }
        let correlationData = message.properties?.correlationData
        let way = Return(topic: topic, correlationData: correlationData, id: (try? parsed.get())?.id)
        guard isAllowed else {
            let words = "a response topic lies under your own responses/"
            return refuse(ReplyError(.badRequest, words, field: "response topic"), way)
        }
        guard !message.retain else {
            return refuse(ReplyError(.badRequest, "a request is not to be retained", field: "retain"), way)
        }
        if let seconds = secondsToWait(asker, name) {
            let words = "too many requests; try again in \(seconds) s"
            return refuse(ReplyError(.rateLimited, words, retryAfterSeconds: seconds), way)
        }
        if case .person(let user) = asker, context.isBeingForgotten(user) {
            let words = "all that is yours is being deleted: wait until it is done"
            return refuse(ReplyError(.busy, words, retryAfterSeconds: 5), way)
        }
        guard let desk else {
            return refuse(ReplyError(.notSupported, "there is no request \"\(name)\""), way)
        }
        switch parsed {
        case .failure(let fault): refuse(ReplyError(.badRequest, "\(fault)"), way)
        case .success(let request):
            let key =
                desk.bulk != nil
                ? nil
                : correlationData.map {
                    RecentReplies.Key(topic: message.topic, responseTopic: topic, correlationData: $0)
                }
            switch key.map({ recent.begin($0, now: millisecondsSinceBoot()) }) ?? .new {
            case .underWay: return
            case .replied(let bytes): return send(bytes, way)
            case .new: break
            }
            work(
                desk.handling,
                PeopleRequest(
                    asker: asker, name: name, fields: request.fields, identity: key.flatMap { try? $0.digest },
                    limit: .seconds(min(60, Int(message.properties?.messageExpirySeconds ?? 10)))
                ) { [unowned self] outcome in
                    let bytes = Reply(outcome, id: way.id).bytes
                    send(bytes, way)
                    guard let key else { return }
                    recent.end(key, bytes)
                    forgetLater()
                })
        }
    }

    /// Sees to it that no reply is remembered for much longer than a minute.
    private func forgetLater() {
        guard !isForgetting else { return }
        isForgetting = true
        context.session.loop.after(.seconds(60)) { [weak self] in
            guard let self else { return }
            isForgetting = false
            recent.expire(millisecondsSinceBoot())
            if !recent.isEmpty { forgetLater() }
        }
    }

    private func secondsToWait(_ asker: Asker, _ name: String) -> Int? {
        let now = millisecondsSinceBoot()
        guard case .person(let user) = asker else {
            return guests.take(desks[Self.key(name, .guests)] == nil ? "" : name, now: now)
        }
        guard desks[name]?.bulk != nil else { return persons.take(user, now: now) }
        return desks[name]?.bulk?.take(user, now: now)
    }

    private func work(_ handling: Handling, _ request: PeopleRequest) {
        switch handling {
        case .later(let body): body(request)
        case .atOnce(let body):
            do { request.done(try body(request)) } catch { request.refuse(refusal(error, request.name)) }
        }
    }

    /// What to tell the asker of an error: what a handler says to them, and of everything else that it is our fault.
    func refusal(_ error: any Error, _ name: String) -> ReplyError {
        if let error = error as? ReplyError { return error }
        report("\(name) failed: \(error)", isFailure: true)
        return ReplyError(.internal, "this cannot be done now; the operator's log says why", retryAfterSeconds: 60)
    }

    private func refuse(_ error: ReplyError, _ way: Return) { send(Reply(.error(error), id: way.id).bytes, way) }

    private func send(_ bytes: [UInt8], _ way: Return) {
        let properties = way.correlationData.map { Message.Properties(correlationData: $0) }
        context.session.publish(bytes, to: way.topic, qos: .atLeastOnce, properties: properties) { error in
            if let error { log.debug("a reply did not get away: \(error)") }
        }
    }

    private func report(_ words: String, isFailure: Bool = false) {
        guard reported.allows(words, now: millisecondsSinceBoot()) else { return }
        if isFailure { log.error(words) } else { log.info(words) }
    }
}
