/// Something that is tried again on a loop, after a pause. At most one try is due: the one that was asked for last.
/// Belongs to the loop's thread, or to whoever makes it before the loop starts.
public final class Retry {
    private let loop: EventLoop
    private let attempt: () -> Void
    private var pauses: Backoff
    private var timer: EventLoop.Timer?

    /// - Parameters:
    ///   - pauses: the pauses between one try and the next.
    ///   - attempt: the next try. It calls `later` where it fails.
    public init(on loop: EventLoop, _ pauses: Backoff, _ attempt: @escaping () -> Void) {
        self.loop = loop
        self.pauses = pauses
        self.attempt = attempt
    }

    /// Tries again after the next pause.
    public func later() {
        timer?.cancel()
        timer = loop.after(pauses.next(), attempt)
    }

    /// No try is due any longer. The next pause is as long as it would have been.
    public func cancel() {
        timer?.cancel()
        timer = nil
    }

    /// After a success: the next pause is a first one again. A try that is due stays so.
    public func reset() { pauses.reset() }
}
