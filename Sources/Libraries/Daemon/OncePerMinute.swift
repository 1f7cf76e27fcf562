/// Lets the same thing through once a minute, and at most `capacity` things in a minute.
public struct OncePerMinute<Subject: Hashable & Sendable>: Sendable {
    private let capacity: Int
    private var last: [Subject: UInt64] = [:]
    /// The counts that were not let through yet.
    private var counts: [Subject: Int] = [:]

    /// Nothing has been let through yet.
    public init(capacity: Int) { self.capacity = capacity }

    /// Whether to let it through now.
    /// - Parameter now: milliseconds of a clock that never runs backwards.
    public mutating func allows(_ subject: Subject, now: UInt64) -> Bool {
        if let last = last[subject], now < last + 60_000 { return false }
        if last.count >= capacity {
            last = last.filter { now < $0.value + 60_000 }
            guard last.count < capacity else { return false }
        }
        last[subject] = now
        return true
    }

    /// Counts something that happens again and again, and lets it through once a minute, with how much there was since
    /// the last time.
    /// - Parameters:
    ///   - count: how much there is now.
    ///   - now: milliseconds of a clock that never runs backwards.
    /// - Returns: nil if it is not let through now.
    public mutating func count(_ subject: Subject, _ count: Int = 1, now: UInt64) -> Int? {
        let known = counts[subject] ?? 0
        let sum = known.addingReportingOverflow(count).overflow ? .max : known + count
        guard allows(subject, now: now) else {
            // What was never let through is not counted either: strangers may make up as many things as they like.
            if last[subject] != nil { counts[subject] = sum }
            if counts.count > capacity { counts = counts.filter { last[$0.key] != nil } }
            return nil
        }
        counts[subject] = nil
        return sum
    }

    /// Lets some things through again at once.
    public mutating func forget(_ isMeant: (Subject) -> Bool) {
        last = last.filter { !isMeant($0.key) }
        counts = counts.filter { !isMeant($0.key) }
    }
}
