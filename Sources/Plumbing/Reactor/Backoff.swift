/// The pauses between tries at something that may stay away for long. They grow, and each is drawn from the upper half
/// of a span that doubles up to a limit, so a hundred gateways do not come back at the same instant; or they are steady.
public struct Backoff: Sendable {
    private let first: Duration
    private let limit: Duration
    private let shortest: Double
    private var span: Duration

    /// - Parameters:
    ///   - first: the longest first pause.
    ///   - limit: the longest pause of all.
    public init(first: Duration = .milliseconds(500), limit: Duration = .seconds(60)) {
        self.init(first: first, limit: limit, shortest: 0.5)
    }

    private init(first: Duration, limit: Duration, shortest: Double) {
        self.first = first
        self.limit = limit
        self.shortest = shortest
        span = first
    }

    /// Always the same pause, for what is done on this machine alone.
    public static func steady(_ pause: Duration) -> Backoff { Backoff(first: pause, limit: pause, shortest: 1) }

    /// The pause before the next try.
    public mutating func next() -> Duration {
        let pause = shortest < 1 ? span * Double.random(in: shortest...1) : span
        span = min(span * 2, limit)
        return pause
    }

    /// The longest pause after this many failures in a row, for those who count failures: the first one after one
    /// failure, twice as long after two.
    public func longest(afterFailures failures: Int) -> Duration {
        // No limit is 2^30 times the first pause.
        min(first * (1 << max(0, min(failures - 1, 30))), limit)
    }

    /// After half a success: the next pause is no longer than this.
    public mutating func shrink(to pause: Duration) { span = min(span, max(pause, first)) }

    /// After a success: the next pause is a first one again.
    public mutating func reset() { span = first }
}
