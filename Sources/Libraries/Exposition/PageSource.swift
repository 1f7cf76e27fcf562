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
        var latest: Made?
        var underWay: Answer<Made>?
        var isLate = false
    }

    private struct Made: Sendable {
        let text: String
        let time: ContinuousClock.Instant
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
        if let latest, ContinuousClock.now - latest.time < Self.age { return latest.text }
        // One that came too late for whoever has asked for it is old by now.
        let answer = waiting.flatMap { isOld($0) ? nil : $0 } ?? begin()
        // Whoever asks while a page is late has no reason to wait as long as the first did.
        guard let made = answer.wait(atMost: isLate ? .zero : limit) else {
            state.withLock { $0.isLate = true }
            return nil
        }
        state.withLock { $0 = State(latest: made) }
        return made.text
    }

    private func isOld(_ answer: Answer<Made>) -> Bool {
        guard let made = answer.wait(atMost: .zero) else { return false }
        return ContinuousClock.now - made.time >= Self.age
    }

    private func begin() -> Answer<Made> {
        let answer = Answer<Made>()
        state.withLock { $0.underWay = answer }
        make { answer.set(Made(text: $0.text, time: ContinuousClock.now)) }
        return answer
    }
}
