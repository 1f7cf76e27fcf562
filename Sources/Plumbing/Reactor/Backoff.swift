/// Growing, jittered pauses between tries at something that may stay away for long: each is drawn from the upper half
/// of a span that doubles up to a limit, so a hundred gateways do not come back at the same instant.
public struct Backoff: Sendable {
    private let first: Duration
    private let limit: Duration
    private var span: Duration

    /// - Parameters:
    ///   - first: the longest first pause.
    ///   - limit: the longest pause of all.
    public init(first: Duration = .milliseconds(500), limit: Duration = .seconds(60)) {
        self.first = first
        self.limit = limit
        span = first
    }

    /// The pause before the next try.
    public mutating func next() -> Duration {
        let pause = span * Double.random(in: 0.5...1)
        span = min(span * 2, limit)
        return pause
    }

    /// After half a success: the next pause is no longer than this.
    public mutating func shrink(to pause: Duration) { span = min(span, max(pause, first)) }

    /// After a success: the next pause is a first one again.
    public mutating func reset() { span = first }
}
