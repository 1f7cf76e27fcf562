import Reactor

/// Something that is done again and again at even distances from its start, so lateness never adds up.
final class Ticker {
    private let loop: EventLoop
    private let interval: Duration
    private let tick: () -> Void
    private var due: ContinuousClock.Instant?
    private var timer: EventLoop.Timer?

    init(every interval: Duration, on loop: EventLoop, tick: @escaping () -> Void) {
        self.interval = interval
        self.loop = loop
        self.tick = tick
    }

    /// Begins, one interval from now; nothing if it runs already.
    func begin() {
        guard due == nil else { return }
        due = .now
        waitForNext()
    }

    func cancel() {
        timer?.cancel()
        (timer, due) = (nil, nil)
    }

    private func waitForNext() {
        guard let next = due.map({ $0 + interval }) else { return }
        due = next
        timer = loop.after(next - .now) { [weak self] in
            guard let self else { return }
            tick()
            // The callback may have ended it.
            waitForNext()
        }
    }
}
