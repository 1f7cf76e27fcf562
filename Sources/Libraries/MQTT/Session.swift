// A session with a broker that outlives any outage.
//
// One thread, the session's event loop, owns libmosquitto's handle; other threads leave work for it. Others may run on the
// same loop. The library's own loops are not used: `mosquitto_loop_forever` and `mosquitto_loop_start` end for good on protocol, TLS and
// authentication errors (loop.c, handle_connack.c; pinned by KnownFactsTests), which this session never does. It tries
// again forever, after pauses that grow to 15 s.
//
//     ┌─► connecting ──► connected ──┐        Each try has a `Connection` of its own. What was published and not
//     │       │                      │        acknowledged ends with its connection, and its owner is told; owners
//     └── waiting ◄──────────────────┘        publish again when `connected` is told.
//
// Messages are received in batches: they are read until none is left or the batch is full, and each is handed to
// `received`; then `commit` makes durable what they meant; only then are the acknowledgements sent. If `commit` says
// no, the connection is thrown away with the acknowledgements in it, and after a pause there is a new one.
//
// A commit costs a flush of the disk, a signature and more, however few messages it is for. So while messages come
// fast, `receive` sleeps for a millisecond at a time and takes what has come in the meantime, until there are enough.
// That also saves a wake-up for each message. A message that comes alone, such as a person's request, waits for
// nothing.
//
// What may block is done apart, by a thread that ends with the try: see Trying.swift.

import Glibc
public import Reactor
import Synchronization

/// What a session tells its owner: each closure is called on the session's thread, and must not block, nor call `stop`.
public struct Handlers: Sendable {
    /// The session has entered another state.
    public var stateChanged: @Sendable (State) -> Void
    /// A message came.
    public var received: @Sendable (Message) -> Void
    /// The messages since the last call are a batch: make durable what must be, and let them be acknowledged (true), or
    /// have the broker drop this connection's batch (false): the session reconnects after a pause.
    public var commit: @Sendable () -> Bool
    /// Something was refused that nobody else is told about: a subscription, a publication without a completion.
    public var problem: @Sendable (MQTTError) -> Void

    public init(
        stateChanged: @escaping @Sendable (State) -> Void = { _ in },
        received: @escaping @Sendable (Message) -> Void = { _ in },
        commit: @escaping @Sendable () -> Bool = { true },
        problem: @escaping @Sendable (MQTTError) -> Void = { _ in }
    ) {
        self.stateChanged = stateChanged
        self.received = received
        self.commit = commit
        self.problem = problem
    }
}

/// Where a session is.
public enum State: Sendable, Equatable, CustomStringConvertible {
    /// A try began.
    case connecting
    /// The broker accepted us, and the subscriptions are renewed.
    case connected(sessionPresent: Bool)
    /// A try failed, or the connection was lost.
    case waiting(reason: MQTTError, retryIn: Duration)
    /// The session was stopped: the last state.
    case stopped

    /// A sentence for people.
    public var description: String {
        switch self {
        case .connecting: return "connecting to the broker"
        case .connected: return "connected to the broker"
        case .waiting(let reason, let pause):
            let tenths = pause / .milliseconds(100)
            return "\(reason); next try in \((tenths.rounded()) / 10) s"
        case .stopped: return "stopped"
        }
    }
}

/// A session with a broker. `start` and `stop` belong to the owner, who must stop what was started; the rest may be
/// called from any thread.
// Proof of @unchecked: `outgoing` is under a lock; `handlers` is set by `start`, before it leaves anything for the loop; everything
// else is touched on its thread only.
public final class Session: @unchecked Sendable {
    /// What the session was made with.
    public let options: Options
    /// The session's thread, for timers that belong to it.
    public let loop: EventLoop

    var handlers = Handlers()
    let outgoing = Mutex(Outgoing())
    let outgoingLimit: Int
    var draining: [Outgoing.Work] = []
    var inFlight: [Int32: InFlight] = [:]
    var subscriptions: [Remembered] = []
    var asked: [Int32: Remembered] = [:]
    var replies = Replies()
    var blame = Blame()
    /// Whether subscriptions are about to be made again: see `clear`.
    var isHearingAgain = false

    private(set) var connection: Connection?
    /// Rises with each connection that is asked for or given up: what another thread makes for an earlier number is not wanted.
    var tries = 0
    /// How many of these have not ended.
    var triesOut = 0
    /// Whether the rest of a batch is read in the next turn.
    private var mustReceive = false
    private let isLoopShared: Bool
    private var backoff = Backoff(limit: .seconds(15))
    private var connectedAt: ContinuousClock.Instant?
    /// Numeric addresses of the host that this try has not used yet.
    private var addresses: ArraySlice<String> = []
    /// The end of a try, the next try, or the next check of the keep-alive: never two of them at once.
    private var timer: EventLoop.Timer?
    private var batchCount = 0
    private var arrivals = Arrivals()
    private var goodbye: Goodbye?
    private let isStarted = Atomic(false)

    /// A caller that waits for the end, and how far it has come.
    private struct Goodbye {
        let done: Answer<Bool>
        var isSaid = false
    }

    /// A session that does not run yet.
    /// - Parameters:
    ///   - shared: the loop to run on; its owner starts it, and stops it after the session. Nil if the session has its own.
    ///   - threadName: the name of the session's own thread, as `top -H` shows it; the kernel keeps 15 bytes.
    public init(_ options: Options, on shared: EventLoop? = nil, threadName: String = "mqtt") {
        self.options = options
        outgoingLimit = min(options.outgoingLimit, 60_000)  // Packet ids have 16 bits.
        (loop, isLoopShared) = (shared ?? EventLoop(name: threadName), shared != nil)
    }

    /// Starts its own thread and connects. A session runs once: after `stop` it is over.
    public func start(_ handlers: Handlers) {
        self.handlers = handlers
        isStarted.store(true, ordering: .relaxed)
        loop.perform {
            // The loop and the session hold each other until the loop stops.
            self.loop.beforeWaiting { self.flush() }
            self.beginTry()
        }
        if !isLoopShared { loop.start() }
    }

    /// Ends the session and its own thread; not from the session's loop.
    /// - Parameters:
    ///   - sayGoodbye: write what was published, wait for acknowledgements, and disconnect. Otherwise the connection is
    ///     just dropped, and the broker publishes the will.
    ///   - limit: how long that may take.
    public func stop(sayGoodbye: Bool = true, within limit: Duration = .seconds(2)) {
        guard isStarted.exchange(false, ordering: .relaxed) else { return }
        let done = Answer<Bool>()
        loop.perform { self.beginStopping(sayGoodbye, limit, done) }
        _ = done.wait()
        if !isLoopShared { loop.stop() }
    }

    func tell(_ state: State) { handlers.stateChanged(state) }
}

// MARK: Connecting

extension Session {
    private func beginTry() {
        tell(.connecting)
        connect(to: nil)
    }

    /// - Parameter known: the host's addresses that are left; nil if they are not known yet.
    private func connect(to known: ArraySlice<String>?) {
        timer = loop.after(Self.longestTry) { [unowned self] in
            lost(MQTTError(.unreachable, "connect to \(options.address)", "the try has not ended in \(Self.longestTry)"))
        }
        tryApart(known) { [self] result in
            timer?.cancel()
            addresses = result.addresses
            switch result.made {
            case .success(let connection): begin(connection)
            case .failure(let error): lost(error)
            }
        }
    }

    /// A resolver asks a few servers for a few times, and a file may be on another machine: a longer try never ends.
    private static let longestTry = Duration.seconds(300)

    private func begin(_ connection: Connection) {
        self.connection = connection
        connection.watch = loop.watch(connection.socket, for: [.readable, .writable]) { [unowned self] in ready($0) }
        timer = loop.after(options.connectTimeout) { [unowned self] in
            lost(MQTTError(.unreachable, connection.attempted, "no answer in \(options.connectTimeout)"))
        }
    }

    /// The broker has said yes. Called from within `Connection.read`.
    func accepted(sessionPresent: Bool) {
        connectedAt = .now
        arrivals = Arrivals()
        blame.begin()
        timer?.cancel()
        keepAliveLater()
        for remembered in subscriptions { ask(for: remembered) }
        if goodbye == nil { outgoing.withLock { $0.isOpen = true } }
        tell(.connected(sessionPresent: sessionPresent))
    }

    private func keepAliveLater() {
        // Once a second or so, so that we know for how long nobody has looked: see Arrivals.swift.
        timer = loop.after(.milliseconds(500), tolerance: .seconds(1)) { [unowned self] in
            do throws(MQTTError) {
                arrivals.looked(connection?.waitingBytes ?? 0)
                try connection?.keepAlive()
                keepAliveLater()
            } catch {
                lost(error)
            }
        }
    }

    /// A try failed, or the connection is gone. Not from within one of the library's callbacks: it ends the handle.
    private func lost(_ reason: MQTTError) {
        let isTry = connectedAt == nil
        if !isTry, let code = reason.reasonCode, Blame.codes.contains(code) { findBlame(code) }
        dropConnection(
            MQTTError(.notConnected, "publish to \(options.address)", "the connection was lost: \(reason.reason)"))
        guard goodbye == nil else { return finishStopping() }
        if isTry && reason.kind == .unreachable && !addresses.isEmpty { return connect(to: addresses) }
        let pause = backoff.next()
        tell(.waiting(reason: reason, retryIn: pause))
        timer = loop.after(pause) { [unowned self] in beginTry() }
    }

    private func dropConnection(_ reason: MQTTError) {
        tries += 1
        timer?.cancel()
        connection?.watch?.cancel()
        connection = nil
        // A broker that accepts and then ends connections at once must not be asked faster and faster. A broker that
        // has accepted us is there, and may be again in a moment. If another client with our id throws us out, or we
        // ourselves cannot accept what comes, the pauses still grow.
        if let connectedAt {
            let isInVain = reason.kind == .batchRefused || reason.isTakenOver
            if .now - connectedAt > .seconds(isInVain ? 10 : 1) {
                backoff.reset()
            } else if !isInVain {
                backoff.shrink(to: .seconds(2))
            }
        }
        connectedAt = nil
        asked = [:]
        dropOutgoing(reason)
        dropReplies(reason)
    }
}

// MARK: A turn of the loop

extension Session {
    private func ready(_ events: EventLoop.Events) {
        guard let connection else { return }
        if events.contains(.failed), let error = connection.socketError() { return lost(error) }
        guard !events.isDisjoint(with: [.readable, .failed]) else { return }  // `flush` writes.
        // What is left of the batch before is read in the next turn: others on this loop have theirs in between.
        if !mustReceive { receive() }
    }

    /// Reads a batch, has it committed, and leaves its acknowledgements to `flush`.
    private func receive() {
        guard let connection else { return }
        let end = ContinuousClock.now + options.batchDuration
        var isMore = true
        var failure: MQTTError?
        batchCount = 0
        arrivals.looked(connection.waitingBytes)
        do {
            repeat {
                let before = batchCount
                while isMore && batchCount < options.batchLimit && .now < end { isMore = try connection.read() }
                guard !isMore, batchCount - before >= Self.many, batchCount < options.batchEnough, .now < end else {
                    break
                }
                // They come fast.
                usleep(1000)
                isMore = true
            } while true
        } catch {
            failure = error
        }
        if !isMore { arrivals.looked(0) }
        if batchCount > 0 && !handlers.commit() {
            failure = MQTTError(.batchRefused, "commit \(batchCount) messages", "they will have to be sent again")
        }
        // With TLS the rest may wait in a buffer that `poll` does not see.
        if let failure { return lost(failure) }
        guard isMore, !mustReceive else { return }
        mustReceive = true
        loop.perform { [self] in
            mustReceive = false
            receive()
        }
    }

    /// Has `commit` called soon, in a turn of its own: for what is to be made durable though no message comes. What it
    /// answers means nothing then, because there is nothing to acknowledge.
    public func commitSoon() {
        loop.perform { [self] in _ = handlers.commit() }
    }

    /// A message came. Called from within `Connection.read`.
    func deliver(_ message: Message) {
        var message = message
        message.heldAtMost = arrivals.heldAtMost
        arrivals.took(message.topic.utf8.count + message.payload.count) { connection?.waitingBytes ?? 0 }
        guard !takesReply(message) else { return }
        batchCount += 1
        handlers.received(message)
    }

    /// The end of each turn: what the turn has published, asked for or acknowledged is written.
    private func flush() {
        drain()
        if let connection { write(connection) }
        batchCount = 0
    }

    /// From this many messages on, their acknowledgements are sent together; and if so many came within a
    /// millisecond, there are more to come.
    private static let many = 8

    private func write(_ connection: Connection) {
        do {
            try connection.write(isMuch: batchCount >= Self.many)
            try sayGoodbyeWhenFinished(connection)
            connection.watch?.events = connection.wantsToWrite ? [.readable, .writable] : .readable
        } catch {
            lost(error)
        }
    }
}

// MARK: Stopping

extension Session {
    private func beginStopping(_ sayGoodbye: Bool, _ limit: Duration, _ done: Answer<Bool>) {
        goodbye = Goodbye(done: done)
        outgoing.withLock { $0.isOpen = false }
        guard sayGoodbye, connectedAt != nil else { return finishStopping() }
        loop.after(limit) { [unowned self] in finishStopping() }
    }

    private func sayGoodbyeWhenFinished(_ connection: Connection) throws(MQTTError) {
        guard let goodbye, !goodbye.isSaid, unfinishedCount == 0 else { return }
        self.goodbye?.isSaid = true
        try connection.disconnect()
        try connection.write()
    }

    private func finishStopping() {
        guard let done = goodbye?.done else { return }
        goodbye = nil
        dropConnection(MQTTError(.stopped, "publish to \(options.address)", "the session was stopped"))
        outgoing.withLock { $0.isOver = true }
        drain()  // Callers that have just asked are told that there is no connection.
        tell(.stopped)
        handlers = Handlers()  // This releases an owner that its handlers hold.
        done.set(true)
    }
}
