import Daemon
import MQTT
import Synchronization
import Telemetry

/// Where requests come in and replies go out: each request gets exactly one reply, what it asked for or the reason why not.
///
/// They come in on the mqtt loop; whoever has the answer gives it from any thread.
// Proof of @unchecked: constants, and a count under a lock.
final class RequestDesk: @unchecked Sendable {
    /// A request that was taken, and has to be answered once.
    struct Task: Sendable {
        let request: Request
        /// Until when somebody waits for the reply.
        let limit: Duration
        let answer: @Sendable (Reply.Outcome) -> Void

        func refuse(_ error: ReplyError) { answer(.error(error)) }
    }

    /// Where a reply goes, and what it carries back.
    private struct Asker {
        let responseTopic: String
        let correlationData: [UInt8]?
        let id: RequestID?
    }

    /// So many may be under way; the rest are told to come back.
    private static let mostUnderWay = 256

    private let settings: GatewaySettings
    private let session: Session
    private let underWay = Mutex(0)

    init(_ settings: GatewaySettings, on session: Session) {
        self.settings = settings
        self.session = session
    }

    /// Takes a request, or says at once why it is none.
    ///
    /// - Parameters:
    ///   - listed: where the reply goes when the request does not say.
    ///   - usual: how long it waits where it has no Message Expiry.
    func receive(
        _ message: Message, listed: String, usual: Duration, longest: Duration, begin body: (Task) -> Void
    ) {
        let asked = message.properties?.responseTopic
        let isAllowed =
            asked.map {
                settings.topics.allowsResponse(at: $0, of: settings.gateway, prefixes: settings.responsePrefixes)
            } ?? true
        let parsed = Result { () throws(MalformedValue) in try Request(payload: message.payload) }
        let asker = Asker(
            responseTopic: isAllowed ? asked ?? listed : listed, correlationData: message.properties?.correlationData,
            id: (try? parsed.get())?.id)
        guard isAllowed else {
            let words = "a response topic lies under \(settings.topics[settings.gateway, .response("…")])"
            return reply(.error(ReplyError(.badRequest, words, field: "response topic")), to: asker)
        }
        guard !message.retain else {
            return reply(.error(ReplyError(.badRequest, "a request is not to be retained", field: "retain")), to: asker)
        }
        switch parsed {
        case .failure(let fault): reply(.error(ReplyError(.badRequest, "\(fault)")), to: asker)
        case .success(let request):
            guard begin() else {
                let words = "too many requests are under way"
                return reply(.error(ReplyError(.busy, words, retryAfterSeconds: 5)), to: asker)
            }
            let limit = message.properties?.messageExpirySeconds.map { Duration.seconds(Int64($0)) } ?? usual
            body(Task(request: request, limit: min(limit, longest)) { [self] in end($0, asker) })
        }
    }

    private func begin() -> Bool {
        underWay.withLock { count in
            guard count < Self.mostUnderWay else { return false }
            count += 1
            return true
        }
    }

    private func end(_ outcome: Reply.Outcome, _ asker: Asker) {
        underWay.withLock { $0 -= 1 }
        reply(outcome, to: asker)
    }

    private func reply(_ outcome: Reply.Outcome, to asker: Asker) {
        let properties = asker.correlationData.map { Message.Properties(correlationData: $0) }
        session.publish(
            Reply(outcome, id: asker.id).bytes, to: asker.responseTopic, qos: .atLeastOnce, properties: properties)
    }
}
