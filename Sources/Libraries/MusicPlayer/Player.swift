import Glibc
public import Reactor

// A client of Music Player Daemon, on an event loop. One connection serves for everything: while nobody asks, mpd is
// told to be silent until something changes (`idle`); when somebody does, that is ended first (`noidle`). So whatever
// other clients do with the music is known at once, and nothing is asked for in vain.
//
// What is asked is a queue of exchanges, each a command and its answer, one under way at a time. A connection that is
// lost is made again after pauses. mpd says nothing at all while nothing changes; so after a silence `idle` is ended,
// which it has to answer, what is played is looked at, and `idle` begins again.

/// A client of Music Player Daemon. Its events and answers come on the loop's thread.
///
/// The process has to ignore SIGPIPE, as `Signals.block()` has services do: libmpdclient writes to sockets that somebody
/// may have closed.
// Proof of @unchecked: everything but what is constant is touched by the loop's thread only; `start`, `stop` and `ask`
// leave work for it.
public final class Player: @unchecked Sendable {
    /// Where mpd listens.
    public let address: PlayerAddress
    let loop: EventLoop
    let patience: Patience
    let password: () throws(PlayerError) -> String?
    private let owner: @Sendable (PlayerEvent) -> Void

    private var isStarted = false
    /// While it is being connected; then `link` has it.
    private var descriptor: Int32 = -1
    var link: PlayerLink?
    var watch: EventLoop.Watch?
    /// The pause before the next connection.
    private var pause: EventLoop.Timer?
    /// The end of the patience with what is under way.
    var expiry: EventLoop.Timer?
    /// The pause between a change and the look at it.
    var gathering: EventLoop.Timer?
    var absences: Backoff
    var refusals: Backoff
    /// Nil until mpd has greeted.
    var version: String?
    /// Whether mpd was told who we are, and questions may be asked.
    var isReady = false
    var turn = Turn.free
    var waiting: [Exchange] = []
    var reply = PlayerReply(for: .nothing)
    /// When it was last known what is played.
    var looked: ContinuousClock.Instant?
    /// How much was asked for and is not answered of what takes mpd long.
    private var efforts: [PlayerRequest.Effort: Int] = [:]
    /// What searches have found.
    var foundSongs = FoundSongs()
    var lastReason = "not connected yet"

    /// How many exchanges may wait at a time.
    private static let mostWaiting = 64
    /// How many parts of pictures may be asked for at a time, and how many searches.
    private static let mostEfforts = 4

    /// A client that does nothing until it is started.
    /// - Parameters:
    ///   - password: asked for at each connection; nil where mpd needs none.
    ///   - owner: is given each event, on the loop's thread; it must not block.
    public init(
        _ address: PlayerAddress, on loop: EventLoop, patience: Patience = Patience(),
        password: @escaping () throws(PlayerError) -> String? = { () throws(PlayerError) in nil },
        _ owner: @escaping @Sendable (PlayerEvent) -> Void
    ) {
        self.address = address
        self.loop = loop
        self.patience = patience
        self.password = password
        self.owner = owner
        absences =
            patience.absences
            ?? (address.isLocal ? .steady(.milliseconds(500)) : Backoff(limit: .seconds(10)))
        refusals = patience.refusals
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Connects, and stays connected until it is stopped; from any thread.
    public func start() {
        loop.perform { [self] in
            guard !isStarted else { return }
            isStarted = true
            connect()
        }
    }

    /// Disconnects, and refuses whatever waits. No event comes after the loop has done what was left for it before; from
    /// any thread.
    public func stop() {
        loop.perform { [self] in
            isStarted = false
            disconnect(because: "it was stopped")
        }
    }

    /// Asks mpd; from any thread.
    /// - Parameters:
    ///   - deadline: after it nothing is changed any more, because the asker has given up.
    ///   - answer: is called once, on the loop's thread.
    public func ask(
        _ request: PlayerRequest, by deadline: ContinuousClock.Instant? = nil,
        _ answer: @escaping @Sendable (Result<PlayerAnswer, PlayerError>) -> Void
    ) {
        loop.perform { [self] in
            guard isReady else { return answer(.failure(.away(lastReason))) }
            guard waiting.count < Self.mostWaiting else { return answer(.failure(.busy)) }
            guard let effort = request.effort else {
                return carryOut(request, for: Asker(deadline: deadline, answer: answer))
            }
            guard efforts[effort, default: 0] < Self.mostEfforts else { return answer(.failure(.busy)) }
            efforts[effort, default: 0] += 1
            let asker = Asker(deadline: deadline) { [self] result in
                efforts[effort, default: 0] -= 1
                answer(result)
            }
            carryOut(request, for: asker)
        }
    }

    /// Tells the owner of an event, but nothing after it has said that it wants to hear no more.
    func tell(_ event: PlayerEvent) {
        if isStarted { owner(event) }
    }

    // MARK: The connection

    private func connect() {
        let (descriptor, error) = address.connect()
        guard descriptor >= 0 else { return giveUp(String(cString: strerror(error))) }
        self.descriptor = descriptor
        watch = loop.watch(descriptor, for: .writable) { [weak self] events in self?.ready(events) }
        expire(after: patience.connecting) { player in player.giveUp("no connection in time") }
    }

    private func ready(_ events: EventLoop.Events) {
        guard let link else { return connected() }
        if let reason = link.move(events) { return lost(link, reason) }
        read(link)
        if self.link === link { watch?.events = link.wanted }
    }

    private func connected() {
        var (error, size): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        if getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0 { error = errno }
        guard error == 0 else { return giveUp(String(cString: strerror(error))) }
        do throws(PlayerLink.Refusal) {
            let link = try PlayerLink(descriptor)
            self.link = link
            descriptor = -1
            watch?.events = link.wanted
        } catch { distrust(error.words) }
    }

    func lost(_ link: PlayerLink, _ reason: String) {
        link.isMalformed ? distrust(reason) : giveUp(reason)
    }

    /// Ends the connection, and makes another one soon.
    func giveUp(_ reason: String, _ error: PlayerError? = nil) {
        endConnection(because: reason, error) { $0.absences.next() }
    }

    /// Ends the connection to what is not mpd or does not let us in, or because a library is missing; the next one is made
    /// later and later.
    func distrust(_ reason: String, _ error: PlayerError? = nil) {
        endConnection(because: reason, error) { $0.refusals.next() }
    }

    private func endConnection(because reason: String, _ error: PlayerError?, then pause: (Player) -> Duration) {
        disconnect(because: reason, error)
        guard isStarted else { return }
        self.pause = loop.after(pause(self)) { [weak self] in self?.connect() }
        tell(.disconnected(reason))
    }

    private func disconnect(because reason: String, _ error: PlayerError? = nil) {
        watch?.cancel()
        for timer in [pause, expiry, gathering] { timer?.cancel() }
        if descriptor >= 0 { close(descriptor) }
        (watch, pause, expiry, gathering, descriptor, link) = (nil, nil, nil, nil, -1, nil)
        (version, isReady, looked, lastReason) = (nil, false, nil, reason)
        var abandoned = waiting
        if case .asking(let exchange) = turn { abandoned.insert(exchange, at: 0) }
        (turn, waiting, reply) = (.free, [], PlayerReply(for: .nothing))
        for exchange in abandoned { exchange.end(.failure(error ?? .away(reason))) }
    }
}
