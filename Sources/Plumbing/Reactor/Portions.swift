/// Work that a loop does in portions, between everything else that it does. Belongs to the loop's thread.
public final class Portions {
    /// When the next portion comes.
    public enum Next {
        /// After a pause that is a little longer than the portion was, so that half of the time is left to everything
        /// else, and at least this long.
        case soon(atLeast: Duration = .zero)
        /// After this pause.
        case after(Duration)
        /// Not before somebody calls `goOn`.
        case never
    }

    private let work: () -> Next
    /// Nil before the start.
    private var loop: EventLoop?
    private var timer: EventLoop.Timer?

    /// Nothing is done before the start.
    /// - Parameter work: does a portion, and says when the next one comes.
    public init(_ work: @escaping () -> Next) { self.work = work }

    /// Begins, on the thread of this loop, which must be the caller's thread, or before the loop starts.
    public func start(_ loop: EventLoop) {
        self.loop = loop
        goOn()
    }

    /// There is something to do: the next portion comes after this pause, and not when it would have come.
    public func goOn(after pause: Duration = .zero) {
        timer?.cancel()
        timer = loop?.after(pause) { [weak self] in self?.doPortion() }
    }

    private func doPortion() {
        timer = nil
        let clock = ContinuousClock()
        let begun = clock.now
        let next = work()
        // What came up in the meantime does not wait for a pause.
        guard timer == nil else { return }
        switch next {
        case .soon(let least): goOn(after: max(least, clock.now - begun + .milliseconds(1)))
        case .after(let pause): goOn(after: pause)
        case .never: break
        }
    }
}
