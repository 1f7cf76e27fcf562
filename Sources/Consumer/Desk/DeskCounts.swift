package import Exposition
package import Telemetry

/// How requests were answered since the start, by verb. It holds no more than there are verbs and codes, whatever
/// strangers ask.
package struct DeskCounts: Sendable {
    /// Of requests whose name is no verb's.
    package static let unknown = "unknown"

    /// By verb.
    package private(set) var answered: [String: Int] = [:]
    package private(set) var refused: [String: Int] = [:]
    /// By the error that was the reply.
    package private(set) var errors: [ReplyError.Code: Int] = [:]
    /// Refusals that were not sent, because there were too many.
    package private(set) var unanswered = 0
    /// From a request's batch to its reply.
    package private(set) var seconds = Histogram([0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60])

    package init() {}

    mutating func count(_ outcome: Reply.Outcome, of verb: String?, since began: ContinuousClock.Instant) {
        let name = verb ?? Self.unknown
        switch outcome {
        case .ok: answered[name, default: 0] += 1
        case .error(let error):
            refused[name, default: 0] += 1
            errors[error.code, default: 0] += 1
        }
        seconds.observe(ContinuousClock.now - began)
    }

    mutating func countUnanswered() { unanswered += 1 }
}
