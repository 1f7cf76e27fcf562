import Daemon
package import MQTT
package import Telemetry

// Requests of people, and of guests, who are not signed in yet.
//
// Requests come on `users/{user}/requests/{resource}/{verb}` and `accounts/{verb}`, on the session's thread. The desk
// here refuses requests that come too often, messages that are not proper requests (retained, too long, a Response
// Topic that is not the asker's or that a broker would not take), and unknown names; it recognises requests that come
// again. Every other request goes to the verb of its name. Each gets one reply, except for refusals beyond the ceiling
// (ReplyCeilings.swift): their askers run into their own timeouts.
//
// The desk does not know any feature: see Verb.swift.

/// Where people's requests come in and replies go out. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class Desk: @unchecked Sendable {
    private struct Name: Hashable {
        let name: String
        let audience: Verb.Audience
    }

    /// A verb, and what is left of its allowance.
    private struct Registered {
        let verb: Verb
        var allowance: Allowance<ID>?
    }

    /// Where a reply goes, and what it carries back.
    private struct Return {
        let topic: String
        let correlationData: [UInt8]?
        let id: RequestID?
        let asker: Asker
        /// What its refusal is counted with.
        let line: ReplyCeilings.Line
    }

    /// Up to how many bytes a request is read that is one of too many.
    private static let longestOfTooMany = 1024

    private let session: Session
    private let topics: Topics
    private let closed: (ID) -> ReplyError?
    private let unknown: (_ name: String) -> ReplyError
    private var limitedLog = LimitedLog()
    private var registered: [Name: Registered] = [:]
    private var waiting: [Message] = []
    private var recent = RecentReplies()
    private var isForgetting = false
    /// How requests were answered.
    package private(set) var counts = DeskCounts()
    /// All guests share an allowance, because the broker does not say which of them asks; each verb has its own, so
    /// that a flood of one does not disturb the others.
    private var guests = Allowance<String>(perSecond: 20, burst: 100)
    private var persons = Allowance<ID>(perSecond: 10, burst: 50)
    private var ceilings = ReplyCeilings()

    /// A desk that takes no requests yet.
    /// - Parameters:
    ///   - closed: says why a person is not served now; nil if they are.
    ///   - unknown: the answer to a request whose name is not a verb's; the name is cut.
    package init(
        _ session: Session, _ topics: Topics, closed: @escaping (ID) -> ReplyError? = { _ in nil },
        unknown: @escaping (_ name: String) -> ReplyError = {
            ReplyError(.notSupported, "there is no request \"\($0)\"")
        }
    ) {
        self.session = session
        self.topics = topics
        self.closed = closed
        self.unknown = unknown
    }

    /// Makes verbs available from now on.
    package func register(_ verbs: [Verb]) {
        for verb in verbs {
            registered[Name(name: verb.name, audience: verb.audience)] =
                Registered(verb: verb, allowance: verb.allowance)
        }
    }

    /// Everything that may be asked.
    package var verbs: [Verb] { registered.values.map(\.verb) }

    /// What may be asked: verbs of guests, `resource/verb` of people.
    package func requests(of audience: Verb.Audience) -> Set<String> {
        Set(registered.keys.filter { $0.audience == audience }.map(\.name))
    }

    /// The filters of all requests: a retained request can be told from others, and comes even if it was published
    /// before we connected, so that it can be taken back. Gateways answer their own requests; but nobody else takes
    /// back retained ones for gateways that are not there.
    package var subscriptions: [Subscription] {
        let filters =
            [topics.everyAccountRequest, topics.everyUserRequest, topics.everyRequest()]
            + SensorTopic.requests.map { topics.everySensor($0) }
        return filters.map {
            Subscription($0, qos: .atLeastOnce, noLocal: true, retainAsPublished: true)
        }
    }

    /// Collects a request of this batch.
    package func collect(_ message: Message) { waiting.append(message) }

    /// Works on what was collected. Replies leave before the acknowledgements of the batch do.
    package func answerCollected() {
        var messages: [Message] = []
        swap(&messages, &waiting)
        for message in messages { receive(message) }
    }
}

// MARK: The path of a request

extension Desk {
    private func receive(_ message: Message) {
        guard let request = topics.request(at: message.topic) else { return }
        if message.retain {
            // The message that takes a retained one back comes here, too.
            guard !message.payload.isEmpty else { return }
            // A retained request would fill the broker's memory, and may hold a password.
            session.clear(message.topic, heardBy: subscriptions)
        }
        let asked = message.properties?.responseTopic
        switch request {
        case .account(let name):
            // A guest has no topic of their own to be answered at.
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
                    "a request gets no reply: its topic is too long to be answered next to it, and it names no other")
            }
            receive(message, .person(user), name, replyAt: place, isAllowed: isAllowed)
        case .user(nil, _), .gateway, .sensor: return
        }
    }

    private func receive(
        _ message: Message, _ asker: Asker, _ name: String, replyAt topic: String, isAllowed: Bool
    ) {
        let began = ContinuousClock.now
        let key = Name(name: name, audience: asker == .guest ? .guests : .persons)
        let verb = registered[key]?.verb
        let wait = secondsToWait(asker, key)
        let parsed = Result { () throws(MalformedValue) in
            // One of too many costs little: a long one is not read at all, and its reply has no id.
            let longest = wait == nil ? verb?.maximumLength ?? Request.maximumLength : Self.longestOfTooMany
            return try Request(payload: message.payload, limit: longest)
        }
        var correlationData = message.properties?.correlationData
        let tooLong = ReplyCeilings.refusal(ofCorrelationData: correlationData, asker)
        if tooLong != nil { correlationData = nil }
        let way = Return(
            topic: topic, correlationData: correlationData, id: (try? parsed.get())?.id, asker: asker,
            line: wait == nil ? .verb(asker == .guest || verb?.allowance != nil ? verb?.name : nil) : .tooMany)
        let admitted: (verb: Verb, request: Request, limit: Duration)
        do throws(ReplyError) {
            if let wait {
                throw ReplyError(.rateLimited, "too many requests; try again in \(wait) s", retryAfterSeconds: wait)
            }
            if let tooLong { throw tooLong }
            admitted = try admit(message, asker, name, verb, parsed, isAllowed: isAllowed)
        } catch {
            counts.count(.error(error), of: verb?.name, since: began)
            return refuse(error, way)
        }
        let identity =
            admitted.verb.isRemembered
            ? correlationData.map {
                RecentReplies.Key(topic: message.topic, responseTopic: topic, correlationData: $0)
            }
            : nil
        switch identity.map({ recent.begin($0, now: millisecondsSinceBoot()) }) ?? .new {
        case .underWay: return
        case .replied(let bytes):
            return send(bytes, way, isRefusal: (try? Reply(payload: bytes))?.outcome.isError ?? false)
        case .new: break
        }
        let (unheard, verbName, isReplyKept) = (Unheard(), admitted.verb.name, admitted.verb.isReplyKept)
        work(
            admitted.verb.handling,
            PeopleRequest(
                asker: asker, name: name, fields: admitted.request.fields,
                identity: identity.flatMap { try? $0.digest },
                limit: admitted.limit, unheard: unheard,
                report: { [unowned self] in report($0, isFailure: true) }
            ) { [unowned self] outcome in
                counts.count(outcome, of: verbName, since: began)
                let bytes = bytes(of: outcome, to: name, way)
                // Remembered first: a reply that does not leave is forgotten at once.
                if let identity {
                    if isReplyKept { recent.end(identity, bytes) } else { recent.forget(identity) }
                    forgetLater()
                }
                send(bytes, way, isRefusal: outcome.isError) { [unowned self] in
                    guard let takeBack = unheard.takeBack else { return }
                    if let identity { recent.forget(identity) }
                    takeBack()
                }
            })
    }

    /// What a request asks, and how long it may take.
    /// - Throws: what it is refused with.
    private func admit(
        _ message: Message, _ asker: Asker, _ name: String, _ verb: Verb?, _ parsed: Result<Request, MalformedValue>,
        isAllowed: Bool
    ) throws(ReplyError) -> (verb: Verb, request: Request, limit: Duration) {
        guard isAllowed else {
            let words =
                "a response topic must be under your own responses/, with at most \(Topics.maximumLevels) levels and \(Topics.maximumLength) bytes"
            throw ReplyError(.badRequest, words, field: "response topic")
        }
        guard !message.retain else {
            throw ReplyError(.badRequest, "a request must not be retained", field: "retain")
        }
        if case .person(let user) = asker, let refusal = closed(user) { throw refusal }
        guard let verb else { throw unknown(String(name.prefix(64))) }
        switch parsed {
        case .failure(let fault): throw Request.refusal(fault)
        case .success(let request):
            let limit = message.timeLeft(usual: .seconds(10), longest: .seconds(60))
            guard limit > .zero else {
                let words = "the consumer was held up, and read the request when its time may have been over"
                throw ReplyError(.timeout, words, retryAfterSeconds: 1)
            }
            return (verb, request, limit)
        }
    }

    /// Makes sure that no reply is remembered for much longer than a minute.
    private func forgetLater() {
        guard !isForgetting else { return }
        isForgetting = true
        session.loop.after(.seconds(60)) { [weak self] in
            guard let self else { return }
            isForgetting = false
            recent.expire(millisecondsSinceBoot())
            if !recent.isEmpty { forgetLater() }
        }
    }

    private func secondsToWait(_ asker: Asker, _ name: Name) -> Int? {
        let now = millisecondsSinceBoot()
        guard case .person(let user) = asker else {
            return guests.take(registered[name] == nil ? "" : name.name, now: now)
        }
        // A thief who has fetched a lot keeps nobody from defending themselves.
        let isExempt = registered[name]?.verb.isExempt ?? false
        if !isExempt, let wait = ceilings.secondsToWait(user, now: now) { return wait }
        guard registered[name]?.allowance != nil else { return persons.take(user, now: now) }
        return registered[name]?.allowance?.take(user, now: now)
    }

    private func work(_ handling: Handling, _ request: PeopleRequest) {
        switch handling {
        case .later(let body): body(request)
        case .atOnce(let body):
            request.finish(Result { try body(request) })
        }
    }

    /// A reply as it is sent. Nobody reads one that is longer than 64 KiB: verbs answer with less, and say what follows.
    private func bytes(of outcome: Reply.Outcome, to name: String, _ way: Return) -> [UInt8] {
        let bytes = Reply(outcome, id: way.id).bytes
        guard bytes.count > JSON.maximumLength else { return bytes }
        report("a reply to \(name) has more than \(JSON.maximumLength) bytes: it was refused", isFailure: true)
        let words = "the answer is longer than \(JSON.maximumLength >> 10) KiB: ask for less at once"
        return Reply(.error(ReplyError(.notSupported, words)), id: way.id).bytes
    }

    private func refuse(_ error: ReplyError, _ way: Return) {
        send(Reply(.error(error), id: way.id).bytes, way, isRefusal: true)
    }

    private func mayRefuse(_ way: Return) -> Bool {
        guard !ceilings.mayRefuse(way.asker, way.line, now: millisecondsSinceBoot()) else { return true }
        counts.countUnanswered()
        let who = way.asker == .guest ? "guests" : "people"
        report("\(who) ask so much that is refused that some refusals are not sent")
        return false
    }

    /// If the connection is lost before the broker has acknowledged the reply, the asker may or may not have it.
    /// Then nothing is taken back: a device that was signed in stays. Otherwise an asker who has the reply, with a
    /// valid password in it, would be signed out again; an asker who does not have it signs in once more, and can
    /// revoke the device that they do not use.
    /// - Parameter unheard: called if it is certain that nobody has the reply: it did not leave, or the broker says
    ///   that nobody listens.
    private func send(_ bytes: [UInt8], _ way: Return, isRefusal: Bool, unheard: (@Sendable () -> Void)? = nil) {
        guard !isRefusal || mayRefuse(way) else {
            unheard?()
            return
        }
        let length = bytes.count + way.topic.utf8.count + (way.correlationData?.count ?? 0)
        ceilings.spend(length, way.asker, now: millisecondsSinceBoot())
        let properties = way.correlationData.map { Message.Properties(correlationData: $0) }
        let hasLeft = session.publish(
            bytes, to: way.topic, qos: .atLeastOnce, properties: properties,
            acknowledged: { error in
                guard let error else { return }
                log.debug("a reply did not get away: \(error)")
                // Nobody has a reply that was not even sent.
                if error.kind == .invalid { unheard?() }
            },
            unheard: unheard)
        guard !hasLeft else { return }
        log.debug("a reply did not leave: there is no connection, or too many messages wait")
        unheard?()
    }

    private func report(_ words: String, isFailure: Bool = false) {
        if isFailure {
            limitedLog.error(words) { words + $0 }
        } else {
            limitedLog.info(words) { words + $0 }
        }
    }
}
