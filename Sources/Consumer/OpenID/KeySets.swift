import Daemon
import Reactor

// The providers' keys, as they are fetched and kept.
//
// A set is fetched when it is first needed, when it is a day old, and when a token names a key that is not in it:
// providers change their keys, and publish the next ones before they use them. Anybody may send a token with a made-up
// key name, so a provider's set is fetched at most every five minutes. A fetch that fails leaves the old set, and is
// not tried again for as long; if there was no set yet, it is tried again after 15 s, then 30 and so on, because
// until then nobody can sign in at all.
//
// Fetching takes its time, on a thread that has nothing else to do. Requests that need the set in the meantime wait, a
// bounded number of them.

/// The key sets of all providers. Belongs to the session's thread.
// Proof of @unchecked: every `var` is touched on the session's thread only; what another thread has fetched comes back
// by `back`.
package final class KeySets: @unchecked Sendable {
    /// Gives work to a thread.
    package typealias Perform = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

    package static let pause: UInt64 = 300_000
    static let firstPause: UInt64 = 15_000
    private static let pauses = Backoff(first: .milliseconds(firstPause), limit: .milliseconds(pause))
    static let maximumAge: UInt64 = 86_400_000
    static let maximumWaiting = 128

    /// The result of asking for a set.
    package enum Found {
        case keys(KeySet)
        /// There is none, and none can be fetched now; when to ask again.
        case unavailable(seconds: Int)
    }

    private struct Entry {
        var set: KeySet?
        var fetched: UInt64 = 0
        var nextTry: UInt64 = 0
        var failures = 0
        /// The callbacks that wait for the fetch that is under way; nil while there is none.
        var waiting: [(Found) -> Void]?
    }

    private let fetch: @Sendable (ProviderSettings) throws -> [UInt8]
    private let elsewhere: Perform
    private let back: Perform
    private let now: () -> UInt64
    private var entries: [String: Entry] = [:]

    /// - Parameters:
    ///   - fetch: gets a provider's set as bytes. Called elsewhere, and may take its time.
    ///   - elsewhere: has work done on another thread.
    ///   - back: has work done on the session's thread.
    ///   - now: milliseconds of a clock that never runs backwards.
    package init(
        fetch: @escaping @Sendable (ProviderSettings) throws -> [UInt8], elsewhere: @escaping Perform,
        back: @escaping Perform, now: @escaping () -> UInt64 = millisecondsSinceBoot
    ) {
        self.fetch = fetch
        self.elsewhere = elsewhere
        self.back = back
        self.now = now
    }

    /// Fetches a set that will probably be needed soon.
    package func prepare(_ provider: ProviderSettings) {
        // Only a bounded number may wait: a request that needs nothing yet must not take another's place.
        guard entries[provider.name]?.waiting == nil else { return }
        find(provider, wanted: { _ in true }, { _ in })
    }

    /// Finds a provider's keys; `found` is called at once, or when they have been fetched.
    /// - Parameter wanted: whether a set has what is looked for: if not, there may be a newer one.
    package func find(_ provider: ProviderSettings, wanted: (KeySet) -> Bool, _ found: @escaping (Found) -> Void) {
        let now = now()
        var entry = entries[provider.name] ?? Entry()
        if let set = entry.set, now < entry.fetched + Self.maximumAge, wanted(set) { return found(.keys(set)) }
        if let waiting = entry.waiting {
            guard waiting.count < Self.maximumWaiting else { return found(.unavailable(seconds: 10)) }
            entries[provider.name]?.waiting?.append(found)
            return
        }
        guard now >= entry.nextTry else { return found(Self.answer(entry, now)) }
        entry.waiting = [found]
        entries[provider.name] = entry
        // The other thread must not hold the last reference to this: see KeyFetching.
        elsewhere { [weak self, fetch, back] in
            let fetched = Result { try KeySet(fetch(provider)) }
            back { [weak self] in self?.finished(provider, fetched) }
        }
    }

    private func finished(_ provider: ProviderSettings, _ fetched: Result<KeySet, any Error>) {
        guard var entry = entries[provider.name] else { return }
        let now = now()
        let waiting = entry.waiting ?? []
        entry.waiting = nil
        switch fetched {
        case .success(let set):
            log.info("\(provider.name): \(counted(set.keys.count, "key")) from \(provider.keys)")
            (entry.set, entry.fetched, entry.failures, entry.nextTry) = (set, now, 0, now + Self.pause)
        case .failure(let error):
            entry.failures += 1
            let first = UInt64(Self.pauses.longest(afterFailures: entry.failures) / .milliseconds(1))
            entry.nextTry = now + (entry.set == nil ? first : Self.pause)
            let state = entry.set == nil ? "nobody can sign in with it" : "the earlier keys stay"
            log.warning("\(provider.name): the keys at \(provider.keys) cannot be fetched, \(state): \(error)")
        }
        entries[provider.name] = entry
        for found in waiting { found(Self.answer(entry, now)) }
    }

    private static func answer(_ entry: Entry, _ now: UInt64) -> Found {
        if let set = entry.set { return .keys(set) }
        return .unavailable(seconds: Int(clamping: (entry.nextTry - min(now, entry.nextTry)) / 1000 + 1))
    }
}
