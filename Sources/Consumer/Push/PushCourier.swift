import Reactor
import Synchronization

/// Hands messages to Apprise, a few at a time, each on a thread of its own. When the value ends, so does what is under way.
final class PushCourier: Sendable {
    /// How many are under way at once: each takes some 60 MB while it lasts.
    static let slots = 0..<2

    private let threads: [EventLoop]
    private let isEnding = Mutex(false)

    init() {
        threads = Self.slots.map { EventLoop(name: "push-\($0 + 1)") }
        for thread in threads { thread.start() }
    }

    deinit { end() }

    /// Ends what is under way, and waits for that.
    private func end() {
        isEnding.withLock { $0 = true }
        for thread in threads { thread.end() }
    }

    /// - Parameters:
    ///   - slot: one where nothing is under way.
    ///   - completion: called on the slot's thread.
    func carry(
        _ message: PushMessage, _ settings: PushSettings, in slot: Int,
        completion: @escaping @Sendable (PushProgram.Outcome) -> Void
    ) {
        threads[slot].perform { [weak self] in
            completion(
                PushProgram(settings).send(message) { self?.isEnding.withLock { $0 } ?? true })
        }
    }
}
