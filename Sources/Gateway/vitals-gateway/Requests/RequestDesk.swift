import Daemon
import MQTT
import Synchronization
import Telemetry

/// Where requests come in and replies go out: each request gets exactly one reply: what it asked for, or the reason why
/// not. Only refusals beyond a ceiling are not sent: the broker keeps a copy for every connection that has subscribed to
/// the reply and does not read, however little was asked.
///
/// They come in on the gateway's loop; the answer may be given from any thread.
// Proof of @unchecked: constants, and a count under a lock.
final class RequestDesk: @unchecked Sendable {
    /// A request that was taken, and has to be answered once.
    struct Task: Sendable {
        let request: Request
        /// The time until which somebody waits for the reply.
        let deadline: ContinuousClock.Instant
        let answer: @Sendable (Reply.Outcome) -> Void

        /// How long somebody waits from now on; zero or less if nobody waits any more.
        var limit: Duration { ContinuousClock.now.duration(to: deadline) }

        func refuse(_ error: ReplyError) { answer(.error(error)) }
    }

    /// Where a reply goes, and what it carries back.
    private struct Asker {
        let responseTopic: String
        let correlationData: [UInt8]?
        let id: RequestID?
    }

    /// The requests that are under way, and how often anything may be asked. We do not know who asks, so all clients
    /// share this.
    private struct State {
        var underWay = 0
        var allowance = Allowance<Bool>(perSecond: 100, burst: 500)
        /// Refusals. Those of requests that come too often must not take the place of those that say what is wrong.
        var refusals = Allowance<Refusal>(perSecond: 10, burst: 200)
        var largeReplies = LargeReplies()
    }

    private enum Refusal { case tooMany, other }

    /// How many may be under way; the rest are told to come back.
    private static let mostUnderWay = 256

    let gateway: ID
    let topics: Topics
    /// Where replies may go, apart from `responses/`.
    private let responsePrefixes: [String]
    private let session: Session
    private let limitedLog = LimitedLog()
    private let state = Mutex(State())

    init(of gateway: ID, _ topics: Topics, responsePrefixes: [String], on session: Session) {
        self.gateway = gateway
        self.topics = topics
        self.responsePrefixes = responsePrefixes
        self.session = session
    }

    /// Accepts a request, or says at once why it is not valid.
    ///
    /// - Parameter usual: how long the asker waits if the request has no Message Expiry.
    func receive(
        _ message: Message, _ topic: RequestTopic, usual: Duration, longest: Duration,
        begin body: (Task) -> Void
    ) {
        if message.retain {
            // Empty messages that delete a retained one come here, too.
            guard !message.payload.isEmpty else { return }
            // It would fill the broker's memory.
            session.clear(message.topic, heardBy: subscriptions)
        }
        let asked = message.properties?.responseTopic
        let isAllowed =
            asked.map {
                topics.allowsResponse(at: $0, of: gateway, prefixes: responsePrefixes)
            } ?? true
        let parsed = Result { () throws(MalformedValue) in try Request(payload: message.payload) }
        guard let place = (isAllowed ? asked : nil) ?? topics.listedResponse(to: topic) else {
            return log.debug(
                "a request gets no reply: its topic is too long to be answered next to it, and it names no other")
        }
        var correlationData = message.properties?.correlationData
        let tooLong = Request.refusal(ofCorrelationData: correlationData)
        if tooLong != nil { correlationData = nil }
        let asker = Asker(
            responseTopic: place, correlationData: correlationData, id: (try? parsed.get())?.id)
        let now = millisecondsSinceBoot()
        if let seconds = state.withLock({ $0.allowance.take(true, now: now) }) {
            let words = "too many requests; try again in \(seconds) s"
            return reply(.error(ReplyError(.rateLimited, words, retryAfterSeconds: seconds)), to: asker, .tooMany)
        }
        if let tooLong { return reply(.error(tooLong), to: asker) }
        guard isAllowed else {
            let words =
                """
                a response topic must be under \(topics[gateway, .response("…")]), with at most \
                \(Topics.maximumLevels) levels and \(Topics.maximumLength) bytes
                """
            return reply(.error(ReplyError(.badRequest, words, field: "response topic")), to: asker)
        }
        guard !message.retain else {
            return reply(.error(ReplyError(.badRequest, "a request must not be retained", field: "retain")), to: asker)
        }
        switch parsed {
        case .failure(let fault): reply(.error(Request.refusal(fault)), to: asker)
        case .success(let request):
            let limit = message.timeLeft(usual: usual, longest: longest)
            guard limit > .zero else {
                let words = "the gateway was held up, and read the request when its time may have been over"
                return reply(.error(ReplyError(.timeout, words, retryAfterSeconds: 1)), to: asker)
            }
            guard begin() else {
                let words = "too many requests are under way"
                return reply(.error(ReplyError(.busy, words, retryAfterSeconds: 5)), to: asker)
            }
            body(Task(request: request, deadline: .now + limit) { [self] in end($0, asker) })
        }
    }

    /// Where requests come in: a retained request can be told from others, and comes even if it was published before we
    /// came, so that it can be deleted.
    var subscriptions: [MQTT.Subscription] {
        let filters =
            SensorTopic.requests.map { topics.everySensor(of: gateway, $0) } + [
                topics.everyRequest(to: gateway)
            ]
        return filters.map {
            MQTT.Subscription($0, qos: .atLeastOnce, noLocal: true, retainAsPublished: true)
        }
    }

    private func begin() -> Bool {
        state.withLock { state in
            guard state.underWay < Self.mostUnderWay else { return false }
            state.underWay += 1
            return true
        }
    }

    private func end(_ outcome: Reply.Outcome, _ asker: Asker) {
        state.withLock { $0.underWay -= 1 }
        reply(outcome, to: asker)
    }

    private func reply(_ outcome: Reply.Outcome, to asker: Asker, _ refusal: Refusal = .other) {
        let bytes = Reply(outcome, id: asker.id).bytes
        if let seconds = state.withLock({ $0.largeReplies.secondsToWait(bytes.count, now: millisecondsSinceBoot()) }) {
            let words = "clients ask for too much; try again in \(seconds) s"
            return reply(.error(ReplyError(.rateLimited, words, retryAfterSeconds: seconds)), to: asker, .tooMany)
        }
        if case .error = outcome {
            let now = millisecondsSinceBoot()
            guard state.withLock({ $0.refusals.take(refusal, now: now) }) == nil else {
                let words = "clients ask so much that is refused that some refusals are not sent"
                return limitedLog.info(words) { words + $0 }
            }
        }
        let properties = asker.correlationData.map { Message.Properties(correlationData: $0) }
        session.publish(
            bytes, to: asker.responseTopic, qos: .atLeastOnce, properties: properties)
    }
}

/// How much the large replies of a gateway may have together, such as covers of music: the broker keeps a reply for every connection
/// that listens and does not read. Small ones always leave, so that nobody's music keeps others from their steps.
struct LargeReplies {
    /// Replies of at most so many bytes are not limited here.
    static let small = 2048

    /// In KiB.
    private var sizes = Allowance<Bool>(perSecond: 256, burst: 4096)

    /// How many seconds a reply of so many bytes has to wait; nil if it may leave, and then it counts.
    mutating func secondsToWait(_ bytes: Int, now: UInt64) -> Int? {
        guard bytes > Self.small else { return nil }
        if let seconds = sizes.take(true, now: now) { return seconds }
        sizes.charge(true, (bytes - 1) >> 10, now: now)
        return nil
    }
}
