import Admission
import Daemon
import MQTT
import Records
import Telemetry

// What people ask, and those who want to become people.
//
// Requests come on `users/{user}/requests/{resource}/{verb}` and `accounts/{verb}`, on the session's thread. The desk here
// refuses what comes too often, what is no request (retained, too long, a Response Topic that is not the asker's or that a broker would
// not take), and what nobody knows; it finds those that come again. What is left goes to whoever has registered for its name. Each gets one reply.
//
// With accounts go the broker's rules: see the target Admission.

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
    /// What people and guests bring about goes here.
    var limitedLog = LimitedLog()
    /// Gateways were enrolled or removed.
    var gatewaysChanged: () -> Void = {}
    /// Gateways were removed, and the broker is to forget them.
    var gatewaysEnded: () -> Void = {}

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

    private struct DeskName: Hashable {
        let name: String
        let audience: Audience
    }

    private struct Desk {
        let maximumLength: Int
        /// How often a person may ask it, beside all else; nil where it is counted with all else.
        var allowance: Allowance<ID>?
        let isRemembered: Bool
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
    private var desks: [DeskName: Desk] = [:]
    private var waiting: [Message] = []
    private var recent = RecentReplies()
    private var isForgetting = false
    /// All guests share it, for the broker does not say which of them asks; each verb has its own, so that who floods one
    /// leaves the others alone.
    private var guests = Allowance<String>(perSecond: 20, burst: 100)
    private var persons = Allowance<ID>(perSecond: 10, burst: 50)

    init(_ context: PeopleContext) { self.context = context }

    /// Makes a request known.
    /// - Parameters:
    ///   - name: a verb for guests, `resource/verb` for people.
    ///   - maximumLength: of its payload.
    ///   - bulk: how often a person may ask it, beside all else that they ask: for what comes in many parts, each of which can be
    ///     asked for again. Replies to it are not remembered, for they would take the place of all others.
    ///   - own: how often a person may ask it, beside all else that they ask: `.defence` or `.devices` for what people defend themselves
    ///     with. A thief who has one of their devices can then flood the desk with something else, and they are still answered.
    func register(
        _ name: String, for audience: Audience = .persons, maximumLength: Int = Request.maximumLength,
        bulk: Allowance<ID>? = nil, own: Allowance<ID>? = nil, _ handling: Handling
    ) {
        desks[DeskName(name: name, audience: audience)] = Desk(
            maximumLength: maximumLength, allowance: bulk ?? own, isRemembered: bulk == nil, handling: handling)
    }

    /// What may be asked: verbs of guests, `resource/verb` of people.
    func requests(of audience: Audience) -> Set<String> {
        Set(desks.keys.filter { $0.audience == audience }.map(\.name))
    }

    /// The filters of all requests: a retained one can be told from others, and comes also where it was published before we came, to be
    /// taken back. Requests to gateways are theirs to answer; but what is kept for gateways that are not there nobody else takes back.
    var subscriptions: [Subscription] {
        let topics = context.topics
        let filters =
            [topics.everyAccountRequest, topics.everyUserRequest, topics.everyRequest()]
            + SensorTopic.requests.map { topics.everySensor($0) }
        return filters.map {
            Subscription($0, qos: .atLeastOnce, noLocal: true, retainAsPublished: true)
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
}

/// How often each person may ask what they defend themselves with.
extension Allowance<ID> {
    static var defence: Self { Self(perSecond: 5, burst: 50) }
    /// To see the devices and to end one costs little, and nothing else puts a thief out without ending all of them.
    static var devices: Self { Self(perSecond: 20, burst: 200) }
}

// MARK: A request's way

extension People {
    private func receive(_ message: Message) {
        let topics = context.topics
        guard let request = topics.request(at: message.topic) else { return }
        if message.retain {
            // What takes a retained message back comes here, too.
            guard !message.payload.isEmpty else { return }
            // It would fill the broker's memory, and may hold a password.
            context.session.clear(message.topic, heardBy: subscriptions)
        }
        let asked = message.properties?.responseTopic
        switch request {
        case .account(let name):
            // Nobody who is not signed in has a topic of their own to be told at.
            guard let asked, topics.allowsGuestResponse(at: asked) else {
                return report(
                    "a guest's request names no response topic accounts/responses/{32 hex digits}: no reply")
            }
            receive(message, .guest, name, replyAt: asked, isAllowed: true)
        case .user(let user?, let name):
            let isAllowed = asked.map { topics.allowsResponse(at: $0, toUser: user) } ?? true
            let place = (isAllowed ? asked : nil) ?? topics.listedResponse(to: request)
            guard let place else {
                return report(
                    "a request's topic is too long to be answered beside it, and it names no other: no reply")
            }
            receive(message, .person(user), name, replyAt: place, isAllowed: isAllowed)
        case .user(nil, _), .gateway, .sensor: return
        }
    }

    private func receive(
        _ message: Message, _ asker: Asker, _ name: String, replyAt topic: String, isAllowed: Bool
    ) {
        let deskName = DeskName(name: name, audience: asker == .guest ? .guests : .persons)
        let desk = desks[deskName]
        let parsed = Result { () throws(MalformedValue) in
            try Request(payload: message.payload, limit: desk?.maximumLength ?? Request.maximumLength)
        }
        var correlationData = message.properties?.correlationData
        let tooLong = Request.refusal(ofCorrelationData: correlationData)
        if tooLong != nil { correlationData = nil }
        let way = Return(topic: topic, correlationData: correlationData, id: (try? parsed.get())?.id)
        if let seconds = secondsToWait(asker, deskName) {
            let words = "too many requests; try again in \(seconds) s"
            return refuse(ReplyError(.rateLimited, words, retryAfterSeconds: seconds), way)
        }
        if let tooLong { return refuse(tooLong, way) }
        guard isAllowed else {
            let words =
                "a response topic lies under your own responses/, with at most \(Topics.maximumLevels) levels and \(Topics.maximumLength) bytes"
            return refuse(ReplyError(.badRequest, words, field: "response topic"), way)
        }
        guard !message.retain else {
            return refuse(ReplyError(.badRequest, "a request must not be retained", field: "retain"), way)
        }
        if case .person(let user) = asker, context.isBeingForgotten(user) {
            let words = "all that is yours is being deleted: wait until it is done"
            return refuse(ReplyError(.busy, words, retryAfterSeconds: 5), way)
        }
        guard let desk else {
            let words = "there is no request \"\(name.prefix(64))\""
            // Most of what is missing then has to do with accounts.
            let place = context.settings.accounts == nil ? "this home has no accounts: without them " : ""
            let field = context.settings.accounts == nil ? "accounts" : nil
            return refuse(ReplyError(.notSupported, place + words, field: field), way)
        }
        switch parsed {
        case .failure(let fault): refuse(Request.refusal(fault), way)
        case .success(let request):
            let limit = message.timeLeft(usual: .seconds(10), longest: .seconds(60))
            guard limit > .zero else {
                let words = "the consumer was held up, and read the request when its time may have been over"
                return refuse(ReplyError(.timeout, words, retryAfterSeconds: 1), way)
            }
            let key =
                desk.isRemembered
                ? correlationData.map {
                    RecentReplies.Key(topic: message.topic, responseTopic: topic, correlationData: $0)
                }
                : nil
            switch key.map({ recent.begin($0, now: millisecondsSinceBoot()) }) ?? .new {
            case .underWay: return
            case .replied(let bytes): return send(bytes, way)
            case .new: break
            }
            let unheard = Unheard()
            work(
                desk.handling,
                PeopleRequest(
                    asker: asker, name: name, fields: request.fields, identity: key.flatMap { try? $0.digest },
                    limit: limit, unheard: unheard
                ) { [unowned self] outcome in
                    let bytes = Reply(outcome, id: way.id).bytes
                    // Remembered first: a reply that does not leave is forgotten at once.
                    if let key {
                        recent.end(key, bytes)
                        forgetLater()
                    }
                    send(bytes, way) { [unowned self] in
                        guard let takeBack = unheard.takeBack else { return }
                        if let key { recent.forget(key) }
                        takeBack()
                    }
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

    private func secondsToWait(_ asker: Asker, _ name: DeskName) -> Int? {
        let now = millisecondsSinceBoot()
        guard case .person(let user) = asker else {
            return guests.take(desks[name] == nil ? "" : name.name, now: now)
        }
        guard desks[name]?.allowance != nil else { return persons.take(user, now: now) }
        return desks[name]?.allowance?.take(user, now: now)
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
        if let refusal = error as? TokenRefusal { return refusal.reply }
        report("\(name) failed: \(error)", isFailure: true)
        return ReplyError(.internal, "this cannot be done now; the operator's log says why", retryAfterSeconds: 60)
    }

    private func refuse(_ error: ReplyError, _ way: Return) { send(Reply(.error(error), id: way.id).bytes, way) }

    /// Where the connection is lost before the broker has acknowledged the reply, the asker may have it or not. Then nothing is taken back:
    /// a device that was signed in stays. Otherwise somebody who holds a good password would be signed out again; and where they do not have
    /// it, they sign in once more, and can revoke the device that they do not use.
    /// - Parameter unheard: called where surely nobody has the reply: it did not leave, or the broker says that nobody listens.
    private func send(_ bytes: [UInt8], _ way: Return, unheard: (@Sendable () -> Void)? = nil) {
        let properties = way.correlationData.map { Message.Properties(correlationData: $0) }
        let hasLeft = context.session.publish(
            bytes, to: way.topic, qos: .atLeastOnce, properties: properties,
            acknowledged: { error in
                guard let error else { return }
                log.debug("a reply did not get away: \(error)")
                // What is not even sent nobody has.
                if error.kind == .invalid { unheard?() }
            },
            unheard: unheard)
        guard !hasLeft else { return }
        log.debug("a reply did not leave: there is no connection, or too many messages wait")
        unheard?()
    }

    private func report(_ words: String, isFailure: Bool = false) {
        if isFailure {
            context.limitedLog.error(words) { words + $0 }
        } else {
            context.limitedLog.info(words) { words + $0 }
        }
    }
}
