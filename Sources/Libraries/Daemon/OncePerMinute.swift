/// Lets the same thing through once a minute, and at most `capacity` things in a minute.
public struct OncePerMinute<Subject: Hashable & Sendable>: Sendable {
    private let capacity: Int
    /// What was let through, with how much of it was not since then.
    private var known: [Subject: CountToTell] = [:]
    /// When the first of them makes room, where the table is full: until then nobody needs to look again.
    private var roomAt: UInt64 = 0

    /// Nothing has been let through yet.
    public init(capacity: Int) { self.capacity = capacity }

    /// Whether to let it through now.
    /// - Parameter now: milliseconds of a clock that never runs backwards.
    public mutating func allows(_ subject: Subject, now: UInt64) -> Bool { count(subject, now: now) != nil }

    /// Counts something that happens again and again, and lets it through once a minute, with how much there was since
    /// the last time.
    /// - Parameters:
    ///   - count: how much there is now.
    ///   - now: milliseconds of a clock that never runs backwards.
    /// - Returns: nil if it is not let through now.
    public mutating func count(_ subject: Subject, _ count: Int = 1, now: UInt64) -> Int? {
        // What was never let through is not counted either: strangers may make up as many things as they like.
        guard known[subject] != nil || hasRoom(now: now) else { return nil }
        return known[subject, default: CountToTell()].toTell(of: count, now: now)
    }

    private mutating func hasRoom(now: UInt64) -> Bool {
        guard known.count >= capacity else { return true }
        guard now >= roomAt else { return false }
        // What has still to be reported goes last.
        known = known.filter { !$0.value.isDue(now: now) || $0.value.isAnythingLeft }
        if known.count >= capacity { known = known.filter { !$0.value.isDue(now: now) } }
        guard known.count >= capacity else { return true }
        roomAt = known.values.map(\.end).min() ?? 0
        return false
    }

    /// Lets some things through again at once.
    public mutating func forget(_ isMeant: (Subject) -> Bool) { known = known.filter { !isMeant($0.key) } }
}
