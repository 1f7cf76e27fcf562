/// Counts something that is logged once a minute, with how often it happened since the last time.
public struct CountToTell: Sendable {
    private var count = 0
    private var last: UInt64?

    private static let minute: UInt64 = 60_000

    /// Nothing has happened yet, and the first time is reported at once.
    public init() {}

    /// Whether something happened that was not reported yet.
    var isAnythingLeft: Bool { count > 0 }

    /// When the minute is over, milliseconds of a clock that never runs backwards.
    var end: UInt64 { last.map { $0 + Self.minute } ?? 0 }

    /// Whether what happens now is reported at once.
    /// - Parameter now: milliseconds of a clock that never runs backwards.
    func isDue(now: UInt64) -> Bool { now >= end }

    /// Adds to the count.
    /// - Parameter now: milliseconds of a clock that never runs backwards.
    /// - Returns: the count to report now; nil if that has to wait.
    public mutating func toTell(of more: Int, now: UInt64) -> Int? {
        let (sum, isOver) = count.addingReportingOverflow(more)
        count = isOver ? .max : sum
        guard count > 0, isDue(now: now) else { return nil }
        defer { count = 0 }
        last = now
        return count
    }
}

/// A problem that lasts, such as a broker that cannot be reached: reported when it begins, when its reason changes, and
/// once a minute.
public struct LastingTrouble: Sendable {
    private var reason: String?
    private var count = CountToTell()

    /// No problem.
    public init() {}

    /// The problem occurred again.
    /// - Parameter now: milliseconds of a clock that never runs backwards.
    /// - Returns: how often it occurred since it was last reported, if it should be reported now; nil otherwise.
    public mutating func toTell(_ reason: String, now: UInt64) -> Int? {
        if reason != self.reason { (self.reason, count) = (reason, CountToTell()) }
        return count.toTell(of: 1, now: now)
    }
}
