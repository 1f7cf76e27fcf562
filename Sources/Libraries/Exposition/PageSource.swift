import Reactor
import Synchronization

/// Pages of metrics, made by threads that have other things to do.
///
/// The values belong to those threads, which count without locks. A page is made only when somebody asks for one, at
/// most once a second however many ask, by work that is left for the owner of the values. If that thread does not come
/// to it in time, the answer is that there is no page; a page that is under way is waited for, and none is begun beside
/// it.
final class PageSource: Sendable {
    /// Has a page made, on whatever thread, and its text handed over, once.
    typealias Make = @Sendable (_ done: @escaping @Sendable (Page) -> Void) -> Void

    private struct State {
        var latest: (text: String, made: ContinuousClock.Instant)?
        var underWay: Answer<String>?
        var isLate = false
    }

    /// How old a page may be.
    private static let age = Duration.seconds(1)

    private let make: Make
    private let limit: Duration
    private let state = Mutex(State())

    /// - Parameter limit: how long the threads may take.
    init(limit: Duration, _ make: @escaping Make) {
        self.limit = limit
        self.make = make
    }

    /// A page of the last second; nil if none was made in time. Called on one thread, which waits.
    func text() -> String? {
        let (latest, waiting, isLate) = state.withLock { ($0.latest, $0.underWay, $0.isLate) }
        if let latest, ContinuousClock.now - latest.made < Self.age { return latest.text }
        let answer = waiting ?? begin()
        // Whoever asks while a page is late has no reason to wait as long as the first did.
        guard let text = answer.wait(atMost: isLate ? .zero : limit) else {
            state.withLock { $0.isLate = true }
            return nil
        }
        state.withLock { $0 = State(latest: (text, ContinuousClock.now)) }
        return text
    }

    private func begin() -> Answer<String> {
        let answer = Answer<String>()
        state.withLock { $0.underWay = answer }
        make { answer.set($0.text) }
        return answer
    }
}
