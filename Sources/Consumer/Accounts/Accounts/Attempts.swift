import Reactor

// How fast passwords and codes can be tried. After each failure a name has to wait before the next try, 1, 2, 4 …
// seconds and at most a quarter of an hour; after a hundred failures in a row it is locked until its password is reset.
// Names that do not exist are treated the same, so that no answer tells whether they do.
//
// The waits are kept in memory, by a clock that never runs backwards: setting the clock locks nobody out and lets
// nobody in. A restart forgives them. The number of failures is also kept with the account, see `Accounts`.

/// Failed tries by name. Belongs to one thread.
package struct Attempts {
    /// Why a try is refused now.
    package enum Refusal: Equatable {
        case wait(seconds: Int)
        case locked
    }

    private struct Entry {
        var failures = 0
        var notBefore: UInt64 = 0
        /// Tries whose outcome is not known yet.
        var underWay = 0
    }

    /// Failures in a row that lock a name.
    package static let lock = 100
    /// The longest wait.
    package static let longest: UInt64 = 15 * 60_000
    private static let waits = Backoff(first: .seconds(1), limit: .milliseconds(longest))

    private let capacity: Int
    private var entries: [[UInt8]: Entry] = [:]

    /// - Parameter capacity: how many names are remembered; beyond that, the names whose wait ended first are
    ///   forgotten.
    package init(capacity: Int = 10_000) { self.capacity = capacity }

    /// Why a name cannot be tried now; nil if it can.
    /// - Parameters:
    ///   - failures: how many the account itself remembers, if there is one. The account has the last word on locks:
    ///     an operator may have unlocked it.
    ///   - locks: whether `lock` failures lock the name; otherwise they only make the next try wait, however many there
    ///     are.
    ///   - now: milliseconds of a clock that never runs backwards.
    package mutating func refusal(_ name: [UInt8], failures: Int?, locks: Bool = true, now: UInt64) -> Refusal? {
        let entry = entries[name] ?? Entry()
        if locks, failures ?? entry.failures >= Self.lock { return .locked }
        guard !locks || entry.failures < Self.lock else {
            entries[name] = nil
            return nil
        }
        if entry.notBefore > now { return .wait(seconds: Int((entry.notBefore - now + 999) / 1000)) }
        return entry.underWay > 0 ? .wait(seconds: 1) : nil
    }

    /// A try begins. Until its outcome is known, there is no other: many tries at once are no way around the wait.
    package mutating func began(_ name: [UInt8]) {
        if entries[name] == nil { makeRoom() }
        entries[name, default: Entry()].underWay += 1
    }

    /// A try has failed.
    package mutating func failed(_ name: [UInt8], now: UInt64) {
        if entries[name] == nil { makeRoom() }
        var entry = entries[name] ?? Entry()
        entry.underWay = max(0, entry.underWay - 1)
        entry.failures += 1
        entry.notBefore = now + Self.wait(after: entry.failures)
        entries[name] = entry
    }

    /// A try came to no result, through no fault of the person who tried.
    package mutating func abandoned(_ name: [UInt8]) {
        guard var entry = entries[name] else { return }
        entry.underWay = max(0, entry.underWay - 1)
        entries[name] = entry.underWay == 0 && entry.failures == 0 ? nil : entry
    }

    /// The name's password was right, or has changed.
    package mutating func succeeded(_ name: [UInt8]) { entries[name] = nil }

    /// The wait in milliseconds after this many failures.
    package static func wait(after failures: Int) -> UInt64 {
        UInt64(waits.longest(afterFailures: failures) / .milliseconds(1))
    }

    private mutating func makeRoom() {
        guard entries.count >= capacity else { return }
        // Half of them at once: sorting at each new name would be work that a stranger could cause.
        let byTime = entries.sorted { $0.value.notBefore > $1.value.notBefore }
        entries = Dictionary(uniqueKeysWithValues: byTime.prefix(capacity / 2).map { ($0.key, $0.value) })
    }
}
