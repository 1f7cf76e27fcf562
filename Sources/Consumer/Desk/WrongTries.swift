/// Counts wrong codes: after five within a minute, the asker has to wait until the minute is over. Belongs to one
/// thread.
package struct WrongTries<Asker: Hashable> {
    private static var most: Int { 5 }
    private static var window: UInt64 { 60_000 }
    private static var capacity: Int { 65_536 }
    private var tries: [Asker: (count: Int, since: UInt64)] = [:]

    package init() {}

    /// How many seconds to wait before the next try; nil if it may come now.
    /// - Parameter now: milliseconds of a clock that never runs backwards.
    package func wait(_ asker: Asker, now: UInt64) -> Int? {
        guard let (count, since) = tries[asker], count >= Self.most, now < since + Self.window else { return nil }
        return Int((since + Self.window - now + 999) / 1000)
    }

    /// A try was wrong.
    package mutating func failed(_ asker: Asker, now: UInt64) {
        if tries.count >= Self.capacity { tries = tries.filter { now < $0.value.since + Self.window } }
        if let known = tries[asker], now < known.since + Self.window {
            tries[asker] = (known.count + 1, known.since)
        } else {
            tries[asker] = (1, now)
        }
    }
}
