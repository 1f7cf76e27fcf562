/// How often something happened that is logged once a minute, with how often it was since the last time.
public struct CountToTell: Sendable {
    private var count = 0
    private var last: UInt64?

    private static let minute: UInt64 = 60_000

    /// Nothing has happened yet, and the first time is told at once.
    public init() {}

    /// Adds to the count.
    /// - Parameter now: milliseconds of a clock that never runs backwards.
    /// - Returns: the count that is to be told now; nil where that has to wait.
    public mutating func toTell(of more: Int, now: UInt64) -> Int? {
        count += more
        guard count > 0, last.map({ now >= $0 + Self.minute }) ?? true else { return nil }
        defer { count = 0 }
        last = now
        return count
    }
}

/// A trouble that goes on, such as a broker that cannot be reached: told when it begins, when its reason changes, and once a minute.
public struct LastingTrouble: Sendable {
    private var reason: String?
    private var count = CountToTell()

    /// No trouble.
    public init() {}

    /// It was met with again.
    /// - Parameter now: milliseconds of a clock that never runs backwards.
    /// - Returns: how often since it was told last, where it is to be told now; nil otherwise.
    public mutating func toTell(_ reason: String, now: UInt64) -> Int? {
        if reason != self.reason { (self.reason, count) = (reason, CountToTell()) }
        return count.toTell(of: 1, now: now)
    }
}
