import Fetch
import Reactor
import Synchronization

/// Hands messages to Apprise and to browsers' push services, a few at a time, each on a thread of its own. When the value ends, so does
/// what is under way.
package final class PushCourier: Sendable {
    /// One for each thread. With Apprise, a message takes some 60 MB while it is under way.
    package let slots: Range<Int>

    private let threads: [EventLoop]
    private struct State {
        var isEnding = false
        /// What posts to push services, by slot.
        var fetchers: [Int: Fetcher] = [:]
    }
    private let state = Mutex(State())

    /// - Parameter threadNames: at most 15 bytes each.
    package init(_ threadNames: [String]) {
        threads = threadNames.map { EventLoop(name: $0) }
        slots = threads.indices
        for thread in threads { thread.start() }
    }

    deinit { end() }

    /// Ends what is under way, and waits for that.
    private func end() {
        state.withLock { state in
            state.isEnding = true
            for fetcher in state.fetchers.values { fetcher.cancel() }
        }
        for thread in threads { thread.end() }
    }

    /// Hands a message to Apprise.
    /// - Parameters:
    ///   - slot: one where nothing is under way.
    ///   - completion: called on the slot's thread.
    package func carry(
        _ message: AppriseMessage, _ settings: AppriseSettings, in slot: Int,
        completion: @escaping @Sendable (AppriseResult) -> Void
    ) {
        threads[slot].perform { [weak self] in
            completion(AppriseProgram(settings).send(message) { self?.state.withLock { $0.isEnding } ?? true })
        }
    }

    /// Hands a message to whatever its address is for.
    /// - Parameter toBrowsers: what takes messages to browsers.
    func carry(
        _ message: PushMessage, _ settings: PushSettings, _ toBrowsers: PushToBrowser, in slot: Int,
        completion: @escaping @Sendable (PushOutcome) -> Void
    ) {
        guard let subscription = message.address.subscription else {
            return carry(AppriseMessage(message), settings.apprise, in: slot) { completion($0.outcome) }
        }
        let fetcher = toBrowsers.fetcher()
        state.withLock { $0.fetchers[slot] = fetcher }
        threads[slot].perform { completion(toBrowsers.send(message, to: subscription, with: fetcher)) }
    }
}
