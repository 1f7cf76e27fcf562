import Reactor

/// Watches a sensor that is connected: a strap may keep its link but send nothing. The remedy is to subscribe again
/// first, and then to connect again. Each round that does not help makes the next wait longer, so that a watch that
/// measures once in a while saves its battery.
///
/// Belongs to the loop.
final class Silence {
    /// What to do about it.
    enum Remedy {
        case subscribeAgain, reconnect
    }

    private static let longest = Duration.seconds(600)

    private let limit: Duration
    private let loop: EventLoop
    private let onSilence: (Remedy, Duration) -> Void
    private var timer: EventLoop.Timer?
    private var hasHeard = false
    private var rounds = 0
    private var hasSubscribedAgain = false

    /// - Parameters:
    ///   - limit: how long nothing may come; silence is noticed after at most twice that.
    ///   - onSilence: is told what to do, and for how long nothing has come at least.
    init(_ limit: Duration, on loop: EventLoop, onSilence: @escaping (Remedy, Duration) -> Void) {
        self.limit = limit
        self.loop = loop
        self.onSilence = onSilence
    }

    deinit { timer?.cancel() }

    /// A value has come. Every heartbeat calls this, so it does nothing else.
    func heard() { hasHeard = true }

    /// The link is there, and values should come from now on.
    func begin() {
        (hasHeard, hasSubscribedAgain) = (false, false)
        wait()
    }

    func end() {
        timer?.cancel()
        timer = nil
    }

    private func wait() {
        let pause = min(limit * (1 << min(rounds, 10)), max(limit, Self.longest))
        timer?.cancel()
        timer = loop.after(pause) { [weak self] in self?.look(after: pause) }
    }

    private func look(after pause: Duration) {
        if hasHeard {
            (hasHeard, hasSubscribedAgain, rounds) = (false, false, 0)
            return wait()
        }
        guard hasSubscribedAgain else {
            hasSubscribedAgain = true
            wait()
            return onSilence(.subscribeAgain, pause)
        }
        rounds += 1
        end()
        onSilence(.reconnect, pause)
    }
}
