// One thread that waits.
//
// libdbus, libmosquitto and the outbox each want one thread that owns their handle; several handles may share it. It sleeps in
// poll(2) until a descriptor is ready, a timer is due or another thread has left work, and then calls back, one thing at a
// time. Whatever is only touched from a loop's callbacks needs no lock, and the rest of the code is built like this: a
// class that belongs to a loop says so, and other threads reach it through `perform`.
//
// The order within one turn is fixed: work left by other threads, then due timers, then ready descriptors, then the
// `beforeWaiting` hooks, where a library flushes what the turn has queued with it and says what to wait for.

import Glibc
import Synchronization

/// A thread with a `poll` set, timers and a queue of work from other threads. Callbacks run on that thread, one at a
/// time, and must not block.
///
/// `start`, `stop` and `end` belong to the owner. `perform` and `isCurrent` may be called from any thread; everything
/// else only from the loop's own callbacks, or before `start`.
// Proof of @unchecked: `posted` and `phase` are under a lock or atomic; everything else is touched by the loop's thread
// only, or before it exists, or after it was joined.
public final class EventLoop: @unchecked Sendable {
    /// What to wait for, or what was found, at a descriptor.
    public struct Events: OptionSet, Sendable {
        public let rawValue: Int16
        public init(rawValue: Int16) { self.rawValue = rawValue }
        /// There is something to read, or the other end has closed.
        public static let readable = Events(rawValue: Int16(POLLIN))
        /// There is room to write.
        public static let writable = Events(rawValue: Int16(POLLOUT))
        /// Never asked for, always reported: error or hang-up.
        public static let failed = Events(rawValue: Int16(POLLERR | POLLHUP | POLLNVAL))
    }

    /// A descriptor in the poll set. Its owner changes `events` at will and ends it with `cancel()`, before it closes
    /// the descriptor.
    public final class Watch {
        public let descriptor: Int32
        public var events: Events
        fileprivate let handler: (Events) -> Void
        fileprivate var isCancelled = false

        fileprivate init(_ descriptor: Int32, _ events: Events, _ handler: @escaping (Events) -> Void) {
            self.descriptor = descriptor
            self.events = events
            self.handler = handler
        }

        public func cancel() { isCancelled = true }
    }

    /// A callback at a later time, once.
    public final class Timer {
        fileprivate let due: UInt64
        /// The thread wakes up for it then, if it has not before.
        fileprivate let latest: UInt64
        fileprivate var handler: (() -> Void)?

        fileprivate init(due: UInt64, latest: UInt64, handler: @escaping () -> Void) {
            (self.due, self.latest) = (due, latest)
            self.handler = handler
        }

        public func cancel() { handler = nil }
    }

    public let name: String

    private struct Posted {
        var work: [@Sendable () -> Void] = []
        var isStopping = false
    }

    private let posted = Mutex(Posted())
    private let wakeUp = WakeUpPipe()
    private let threadID = Atomic<UInt>(0)
    private var thread: pthread_t?
    private var watches: [Watch] = []
    private var timers: [Timer] = []  // the next one due is last
    private var hooks: [() -> Void] = []
    private var mustTurn = false
    private var pollSet: [pollfd] = []

    /// A loop that is not running yet.
    /// - Parameter name: the thread's name, as `top -H` shows it; the kernel keeps 15 bytes.
    public init(name: String) { self.name = name }

    /// Starts the thread. A loop runs once: after `stop` it is over.
    public func start() {
        precondition(thread == nil, "an event loop starts once")
        var thread = pthread_t()
        let box = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<EventLoop>.fromOpaque(pointer).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        precondition(code == 0, "pthread_create: out of threads (see ulimit -u)")
        self.thread = thread
    }

    /// Runs what other threads had left before, then ends the thread and waits for its end. Watches, timers and hooks
    /// are released, and so is what their closures hold.
    public func stop() {
        precondition(!isCurrent, "a loop cannot wait for its own end")
        guard let thread else { return }
        posted.withLock { $0.isStopping = true }
        wakeUp.signal()
        pthread_join(thread, nil)
        self.thread = nil
    }

    /// The same for an owner that ends wherever its last reference is released, which may be on the loop's own thread:
    /// there it does not wait, and the thread ends after the turn that it is in.
    public func end() {
        guard isCurrent else { return stop() }
        guard let thread else { return }
        posted.withLock { $0.isStopping = true }
        wakeUp.signal()
        pthread_detach(thread)
        self.thread = nil
    }

    /// Whether the caller runs on this loop's thread.
    public var isCurrent: Bool { threadID.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Leaves work for the loop's thread; from any thread, the loop's own included. Work runs in the order in which it
    /// was left. After `stop` it is dropped.
    public func perform(_ work: @escaping @Sendable () -> Void) {
        let isFirst = posted.withLock { posted in
            guard !posted.isStopping else { return false }
            posted.work.append(work)
            return posted.work.count == 1
        }
        if isFirst { wakeUp.signal() }
    }

    /// Runs a closure on the loop's thread and waits for what it returns. Do not call it on the loop's own thread.
    public func sync<Result: Sendable>(_ work: @escaping @Sendable () -> Result) -> Result {
        precondition(!isCurrent, "a loop cannot wait for itself")
        let answer = Answer<Result>()
        perform { answer.set(work()) }
        return answer.wait()
    }

    /// Adds a descriptor to the poll set.
    public func watch(_ descriptor: Int32, for events: Events, _ handler: @escaping (Events) -> Void) -> Watch {
        let watch = Watch(descriptor, events, handler)
        watches.append(watch)
        return watch
    }

    /// Calls back once, after at least `delay`.
    /// - Parameter tolerance: how much later it may be, so that the thread does not wake up for this alone.
    @discardableResult
    public func after(_ delay: Duration, tolerance: Duration = .zero, _ handler: @escaping () -> Void) -> Timer {
        let due = Self.now() &+ delay.nanoseconds
        let timer = Timer(due: due, latest: due &+ tolerance.nanoseconds, handler: handler)
        var low = 0
        var high = timers.count
        while low < high {
            let middle = (low + high) / 2
            if timers[middle].due > timer.due { low = middle + 1 } else { high = middle }
        }
        timers.insert(timer, at: low)
        return timer
    }

    /// Calls back at the end of each turn, just before the thread waits again.
    public func beforeWaiting(_ hook: @escaping () -> Void) { hooks.append(hook) }

    /// Has the hooks called before the thread waits, though it may be in one of them now.
    public func turnAgain() { mustTurn = true }

    // MARK: The thread

    private func run() {
        threadID.store(UInt(pthread_self()), ordering: .relaxed)
        nameThread()
        while runPosted() {
            runDueTimers()
            callReadyWatches()
            mustTurn = false
            for hook in hooks { hook() }
            wait()
        }
        (watches, timers, hooks) = ([], [], [])
        threadID.store(0, ordering: .relaxed)  // The next thread may get the same id.
    }

    /// Does what was left for the thread. What that holds is released when this returns: the thread may then wait for a long time.
    /// - Returns: whether the loop goes on.
    private func runPosted() -> Bool {
        let (work, isStopping) = posted.withLock { posted in
            let work = posted.work
            posted.work = []
            return (work, posted.isStopping)
        }
        for item in work { item() }
        return !isStopping
    }

    private func runDueTimers() {
        guard !timers.isEmpty else { return }
        let now = Self.now()
        while let timer = timers.last, timer.due <= now || timer.handler == nil {
            timers.removeLast()
            timer.handler?()
        }
    }

    private func callReadyWatches() {
        for (index, entry) in pollSet.enumerated() where entry.revents != 0 && index > 0 {
            // The set was built from `watches`, which only grows at its end until the next `wait`.
            let watch = watches[index - 1]
            if !watch.isCancelled { watch.handler(Events(rawValue: entry.revents)) }
        }
    }

    private func wait() {
        watches.removeAll { $0.isCancelled }
        pollSet.removeAll(keepingCapacity: true)
        pollSet.append(pollfd(fd: wakeUp.readEnd, events: Int16(POLLIN), revents: 0))
        for watch in watches {
            pollSet.append(pollfd(fd: watch.descriptor, events: watch.events.rawValue, revents: 0))
        }
        if poll(&pollSet, nfds_t(pollSet.count), timeout()) < 0 {
            for index in pollSet.indices { pollSet[index].revents = 0 }  // EINTR: look again
        }
        if pollSet[0].revents != 0 { wakeUp.clear() }
    }

    /// Milliseconds until a timer cannot wait any longer, rounded up so that it is due when the wait ends; -1 without one.
    private func timeout() -> Int32 {
        guard !mustTurn else { return 0 }
        var end = UInt64.max
        // The next one is the last.
        for timer in timers.reversed() {
            if timer.due >= end { break }
            if timer.handler != nil { end = min(end, timer.latest) }
        }
        guard end < .max else { return -1 }
        let now = Self.now()
        return end <= now ? 0 : Int32(clamping: (end - now + 999_999) / 1_000_000)
    }

    /// pthread_setname_np is a GNU extension that Swift's Glibc module leaves out; this file does the same.
    private func nameThread() {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, name, min(name.utf8.count, 15))
        close(file)
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

/// A place for one value that another thread waits for.
public final class Answer<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isSet = WakeUpPipe()

    public init() {}

    /// Leaves the value; only the first one counts.
    public func set(_ newValue: Value) {
        let isFirst = value.withLock { value in
            guard value == nil else { return false }
            value = newValue
            return true
        }
        if isFirst { isSet.signal() }
    }

    /// Waits for the value, without a limit.
    public func wait() -> Value {
        while true { if let value = wait(atMost: .seconds(3600)) { return value } }
    }

    /// Waits for the value; nil if none came in time.
    public func wait(atMost limit: Duration) -> Value? {
        let clock = ContinuousClock()
        let end = clock.now + limit
        while true {
            if let value = value.withLock({ $0 }) { return value }
            let left = end - clock.now
            guard left > .zero else { return nil }
            var entry = pollfd(fd: isSet.readEnd, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, Int32(clamping: left.nanoseconds / 1_000_000 + 1))
        }
    }
}

extension Duration {
    /// Whole nanoseconds; 0 if negative, the largest value if it does not fit.
    fileprivate var nanoseconds: UInt64 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? UInt64.max / 2 : product &+ UInt64(attoseconds / 1_000_000_000)
    }
}
