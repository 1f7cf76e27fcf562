/// Lets the same thing through once a minute, and no more than `capacity` things in a minute.
struct OncePerMinute<Subject: Hashable> {
    private let capacity: Int
    private var last: [Subject: UInt64] = [:]

    init(capacity: Int) { self.capacity = capacity }

    /// Whether it is time.
    /// - Parameter now: milliseconds of a clock that never runs backwards.
    mutating func allows(_ subject: Subject, now: UInt64) -> Bool {
        if let last = last[subject], now < last + 60_000 { return false }
        if last.count >= capacity {
            last = last.filter { now < $0.value + 60_000 }
            guard last.count < capacity else { return false }
        }
        last[subject] = now
        return true
    }

    /// Lets some things through again at once.
    mutating func forget(_ isMeant: (Subject) -> Bool) { last = last.filter { !isMeant($0.key) } }
}
