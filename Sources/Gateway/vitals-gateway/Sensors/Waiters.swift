import Reactor
import Telemetry

/// Callers that want to know when something has happened: each is told once, either that it has happened or, at its
/// deadline, why it has not. Belongs to the loop.
final class Waiters {
    private final class Waiter {
        var completion: ((ReplyError?) -> Void)?
        var deadline: EventLoop.Timer?

        func finish(_ error: ReplyError?) {
            deadline?.cancel()
            completion?(error)
            completion = nil
        }
    }

    private var waiters: [Waiter] = []

    /// - Parameter error: what the caller is told at the deadline.
    func add(
        within limit: Duration, on loop: EventLoop, orElse error: @escaping () -> ReplyError,
        completion: @escaping (ReplyError?) -> Void
    ) {
        let waiter = Waiter()
        waiter.completion = completion
        waiter.deadline = loop.after(limit) { [weak self, weak waiter] in
            guard let waiter else { return }
            self?.waiters.removeAll { $0 === waiter }
            waiter.finish(error())
        }
        waiters.append(waiter)
    }

    /// Tells all of them: nil if it has happened.
    func finish(_ error: ReplyError?) {
        let all = waiters
        waiters = []
        for waiter in all { waiter.finish(error) }
    }
}
