import Daemon
import Reactor

/// Plays an activity on a loop. Each record is due at its own distance from the start, so lateness never adds up;
/// records that are overdue follow one another at once, and none is left out.
final class Replay {
    private let loop: EventLoop
    private let speed: Double
    /// When the first record is due, in Unix milliseconds; nil if it is when the replay begins.
    private let beginning: Int64?
    private var activity: any Activity
    private let play: (Record) -> Void
    private let finish: () -> Void
    private var start: ContinuousClock.Instant?
    private var timer: EventLoop.Timer?

    /// - Parameters:
    ///   - speed: how many of the activity's seconds pass in one.
    ///   - beginning: when the first record is due, in Unix milliseconds; nil for the moment of `begin`.
    ///   - play: gets each record when it is due.
    ///   - finish: is called after the last one.
    init(
        _ activity: any Activity, speed: Double, beginning: Int64? = nil, on loop: EventLoop,
        play: @escaping (Record) -> Void,
        finish: @escaping () -> Void
    ) {
        self.activity = activity
        self.speed = speed
        self.beginning = beginning
        self.loop = loop
        self.play = play
        self.finish = finish
    }

    var isRunning: Bool { timer != nil }

    /// Begins, at the loop's next turn; only the first call counts.
    func begin() {
        guard start == nil else { return }
        start = .now + .milliseconds(beginning.map { $0 - unixMilliseconds() } ?? 0)
        waitForNext()
    }

    func cancel() {
        timer?.cancel()
        timer = nil
    }

    private func waitForNext() {
        guard let start, let record = activity.next() else {
            timer = nil
            return finish()
        }
        let due = start + .seconds(record.elapsed / speed)
        timer = loop.after(due - .now) { [weak self] in
            self?.play(record)
            // The callback may have cancelled the rest.
            if self?.timer != nil { self?.waitForNext() }
        }
    }
}
