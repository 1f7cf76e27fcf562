import Fetch
import Reactor
import Synchronization

/// Hands messages to Apprise and to browsers' push services, a few at a time, each on a thread of its own. When the value ends, so does
/// what is under way.
final class PushCourier: Sendable {
    /// How many are under way at once: with Apprise, each takes some 60 MB while it lasts.
    static let slots = 0..<2

    private let threads: [EventLoop]
    private struct State {
        var isEnding = false
        /// What posts to push services, by slot.
        var fetchers: [Int: Fetcher] = [:]
    }
    private let state = Mutex(State())

    init() {
        threads = Self.slots.map { EventLoop(name: "push-\($0 + 1)") }
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

    /// - Parameters:
    ///   - toBrowsers: what takes messages to browsers.
    ///   - slot: one where nothing is under way.
    ///   - completion: called on the slot's thread.
    func carry(
        _ message: PushMessage, _ settings: PushSettings, _ toBrowsers: PushToBrowser, in slot: Int,
        completion: @escaping @Sendable (PushOutcome) -> Void
    ) {
        guard let subscription = message.address.subscription else {
            return threads[slot].perform { [weak self] in
                completion(
                    PushProgram(settings).send(message) { self?.state.withLock { $0.isEnding } ?? true })
            }
        }
        let fetcher = toBrowsers.fetcher()
        state.withLock { $0.fetchers[slot] = fetcher }
        threads[slot].perform { completion(toBrowsers.send(message, to: subscription, with: fetcher)) }
    }
}
