import Glibc
public import Reactor

// A client of Music Player Daemon, on an event loop. One connection serves for everything: while nobody asks, mpd is
// told to be silent until something changes (`idle`); when somebody does, that is ended first (`noidle`). So whatever
// other clients do with the music is known at once, and nothing is asked for in vain.
//
// What is asked is a queue of exchanges, each a command and its answer, one under way at a time. A connection that is
// lost is made again after pauses. mpd says nothing at all while nothing changes; so after a silence `idle` is ended,
// which it has to answer, and begun again.

/// What a player tells its owner.
public enum PlayerEvent: Hashable, Sendable {
    /// mpd has greeted; with the version of its protocol.
    case connected(String)
    /// What it plays now. Told after each change, and now and then without one.
    case state(PlayerState)
    /// The connection was lost, or there was none, with the reason. It is tried again, and told each time.
    case disconnected(String)
}

/// A client of Music Player Daemon. Its events and answers come on the loop's thread.
// Proof of @unchecked: everything but what is constant is touched by the loop's thread only; `start`, `stop` and `ask`
// leave work for it.
public final class Player: @unchecked Sendable {
    /// How patient it is.
    public struct Patience: Sendable {
        /// How long to connect may take, the greeting included.
        public var connecting: Duration = .seconds(5)
        /// How long an answer may take.
        public var answering: Duration = .seconds(5)
        /// mpd has to show that it is there after such a silence.
        public var silence: Duration = .seconds(5)
        /// After a change, whatever else changes within this time is looked at together.
        public var gathering: Duration = .milliseconds(50)
        /// The pauses between tries; nil for half a second on this machine, and growing ones elsewhere.
        public var backoff: Backoff?

        public init() {}
    }

    /// A command and what to do with its answer.
    private struct Exchange {
        let command: String
        let arguments: [String]
        let take: (Result<PlayerReply, PlayerError>) -> Void
    }

    /// What is under way at a connection.
    private enum Turn {
        /// Nothing.
        case free
        /// An exchange waits for its answer.
        case asking(Exchange)
        /// mpd waits until something changes, or until it is told not to.
        case idling(isEnding: Bool)
    }

    /// Where mpd listens.
    public let address: PlayerAddress
    private let loop: EventLoop
    private let patience: Patience
    private let password: () throws(PlayerError) -> String?
    private let take: @Sendable (PlayerEvent) -> Void

    private var isStarted = false
    /// While it is being connected; then `link` has it.
    private var descriptor: Int32 = -1
    private var link: PlayerLink?
    private var watch: EventLoop.Watch?
    private var timer: EventLoop.Timer?
    private var gathering: EventLoop.Timer?
    private var backoff: Backoff
    /// Nil until mpd has greeted.
    private var version: String?
    /// Whether mpd was told who we are, and questions may be asked.
    private var isReady = false
    private var turn = Turn.free
    private var waiting: [Exchange] = []
    private var reply = PlayerReply()
    private var lastReason = "not connected yet"

    /// No more exchanges wait at a time.
    private static let mostWaiting = 64

    /// A client that does nothing until it is started.
    /// - Parameters:
    ///   - password: asked for at each connection; nil where mpd needs none.
    ///   - take: is given each event, on the loop's thread; it must not block.
    public init(
        _ address: PlayerAddress, on loop: EventLoop, patience: Patience = Patience(),
        password: @escaping () throws(PlayerError) -> String? = { () throws(PlayerError) in nil },
        _ take: @escaping @Sendable (PlayerEvent) -> Void
    ) {
        self.address = address
        self.loop = loop
        self.patience = patience
        self.password = password
        self.take = take
        backoff =
            patience.backoff
            ?? (address.isLocal ? .steady(.milliseconds(500)) : Backoff(limit: .seconds(10)))
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
    /// - Parameter answer: is called once, on the loop's thread.
    public func ask(
        _ request: PlayerRequest, _ answer: @escaping @Sendable (Result<PlayerAnswer, PlayerError>) -> Void
    ) {
        loop.perform { [self] in
            guard isReady else { return answer(.failure(.away(lastReason))) }
            guard waiting.count < Self.mostWaiting else { return answer(.failure(.busy)) }
            carryOut(request, answer)
        }
    }

    // MARK: The connection

    private func connect() {
        let (descriptor, error) = address.connect()
        guard descriptor >= 0 else { return giveUp(String(cString: strerror(error))) }
        self.descriptor = descriptor
        watch = loop.watch(descriptor, for: .writable) { [weak self] events in self?.ready(events) }
        timer = loop.after(patience.connecting) { [weak self] in self?.giveUp("no connection in time") }
    }

    private func ready(_ events: EventLoop.Events) {
        guard let link else { return connected() }
        if let reason = link.move(events) { return giveUp(reason) }
        read(link)
        if self.link === link { watch?.events = link.wanted }
    }

    private func connected() {
        var (error, size): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        if getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0 { error = errno }
        guard error == 0 else { return giveUp(String(cString: strerror(error))) }
        guard let link = PlayerLink(descriptor) else { return giveUp("no memory") }
        self.link = link
        descriptor = -1
        watch?.events = link.wanted
    }

    private func giveUp(_ reason: String, _ error: PlayerError? = nil) {
        disconnect(because: reason, error)
        guard isStarted else { return }
        timer = loop.after(backoff.next()) { [weak self] in self?.connect() }
        take(.disconnected(reason))
    }

    private func disconnect(because reason: String, _ error: PlayerError? = nil) {
        watch?.cancel()
        timer?.cancel()
        gathering?.cancel()
        if descriptor >= 0 { close(descriptor) }
        (watch, timer, gathering, descriptor, link) = (nil, nil, nil, -1, nil)
        (version, isReady, lastReason, reply) = (nil, false, reason, PlayerReply())
        var abandoned = waiting
        if case .asking(let exchange) = turn { abandoned.insert(exchange, at: 0) }
        (turn, waiting) = (.free, [])
        for exchange in abandoned { exchange.take(.failure(error ?? .away(reason))) }
    }

    // MARK: What mpd says

    private func read(_ link: PlayerLink) {
        // Whatever is done with a line may end the connection.
        while self.link === link {
            if reply.binaryLeft > 0 {
                let bytes = link.bytes(atMost: min(reply.binaryLeft, 4096))
                guard !bytes.isEmpty else { break }
                reply.take(bytes)
            } else if version == nil {
                guard let text = link.text() else { break }
                greeted(text)
            } else {
                guard let line = link.line() else { break }
                understand(line)
            }
        }
        if self.link === link, let fault = link.fault { giveUp(fault) }
    }

    private func greeted(_ text: String) {
        guard text.hasPrefix("OK MPD ") else { return giveUp("it does not greet: this is not mpd") }
        let version = harmless(String(text.dropFirst("OK MPD ".count)), atMost: 32)
        self.version = version
        introduce(version)
    }

    /// Says who we are, and what we want to be told.
    private func introduce(_ version: String) {
        do throws(PlayerError) {
            if let password = try password() {
                exchange("password", [password]) { [self] result in
                    if case .failure(.refused) = result { giveUp("the password is wrong", .notPermitted) }
                }
            }
        } catch {
            return giveUp("\(error)", error)
        }
        // A version that does not know these sends all tags, and smaller parts of pictures.
        exchange("tagtypes", ["clear"]) { _ in }
        exchange("tagtypes", ["enable", "Title", "Name", "Artist", "Album"]) { _ in }
        exchange("binarylimit", ["\(ArtworkPart.most)"]) { [self] result in
            // Where the connection was given up meanwhile, this was only abandoned.
            guard link != nil else { return }
            isReady = true
            take(.connected(version))
        }
        look { _ in }
    }

    private func understand(_ line: PlayerLink.Line) {
        if case .free = turn { return giveUp("it speaks unasked: this is not mpd") }
        switch line {
        case .pair(let name, let value):
            do throws(PlayerReply.Fault) { try reply.take(name, value) } catch { giveUp(error.words) }
        case .malformed: giveUp("a line that is not understood: this is not mpd")
        case .done: end(.success(reply))
        case .refused(let number): end(.failure(PlayerError(number)))
        }
    }

    /// The answer is complete.
    private func end(_ result: Result<PlayerReply, PlayerError>) {
        let ended = turn
        (turn, reply) = (.free, PlayerReply())
        switch ended {
        case .asking(let exchange): exchange.take(result)
        case .idling(let isEnding):
            // Without the right to look, idle would be asked for all the time.
            guard case .success(let reply) = result else { return giveUp("it does not let us listen", .notPermitted) }
            if reply["changed"] == nil {
                guard isEnding else { return giveUp("it speaks unasked: this is not mpd") }
            } else {
                gathering = loop.after(patience.gathering) { [weak self] in
                    self?.gathering = nil
                    self?.look { _ in }
                }
            }
        case .free: break
        }
        advance()
    }

    // MARK: What is asked

    /// Asks mpd a command. What it says to it is taken on the loop.
    func exchange(
        _ command: String, _ arguments: [String] = [],
        _ take: @escaping (Result<PlayerReply, PlayerError>) -> Void
    ) {
        guard link != nil else { return take(.failure(.away(lastReason))) }
        waiting.append(Exchange(command: command, arguments: arguments, take: take))
        advance()
    }

    /// Finds out what is played now, and tells the owner, too.
    func look(_ answer: @escaping (Result<PlayerState, PlayerError>) -> Void) {
        exchange("status") { [self] result in
            guard case .success(let status) = result else { return answer(result.map { $0.state(with: nil) }) }
            exchange("currentsong") { [self] result in
                let state = result.map { status.state(with: $0.songs.first) }
                if case .success(let state) = state {
                    // Only now: something that greets and is silent must not be asked all the time.
                    backoff.reset()
                    take(.state(state))
                }
                answer(state)
            }
        }
    }

    private func advance() {
        guard let link else { return }
        switch turn {
        case .asking, .idling(isEnding: true): return
        case .idling(isEnding: false):
            guard !waiting.isEmpty else { return }
            endIdling()
        case .free:
            if waiting.isEmpty {
                // Until a change was looked at, nothing is gained by waiting for the next one.
                guard isReady, gathering == nil else { return }
                turn = .idling(isEnding: false)
                guard send("idle", ["player", "playlist"], on: link) else { return }
                wait(patience.silence) { player in player.endIdling() }
            } else {
                let exchange = waiting.removeFirst()
                turn = .asking(exchange)
                guard send(exchange.command, exchange.arguments, on: link) else { return }
                wait(patience.answering) { player in player.giveUp("mpd does not answer", .timeout) }
            }
        }
    }

    /// mpd answers the command that waits, and not this one.
    private func endIdling() {
        guard let link, case .idling(isEnding: false) = turn else { return }
        turn = .idling(isEnding: true)
        guard send("noidle", on: link) else { return }
        wait(patience.answering) { player in player.giveUp("mpd does not answer", .timeout) }
    }

    /// - Returns: whether there was room for it: one command is smaller than the buffer, which is empty unless mpd does not
    ///   read. Otherwise the connection was given up.
    private func send(_ command: String, _ arguments: [String] = [], on link: PlayerLink) -> Bool {
        guard link.send(command, arguments) else {
            giveUp("could not write")
            return false
        }
        watch?.events = link.wanted
        return true
    }

    private func wait(_ limit: Duration, _ body: @escaping (Player) -> Void) {
        timer?.cancel()
        timer = loop.after(limit) { [weak self] in
            if let self { body(self) }
        }
    }
}

extension PlayerError {
    /// What the protocol's number for a refusal says (mpd/protocol.h).
    fileprivate init(_ number: Int) {
        switch number {
        case 4: self = .notPermitted
        case 50: self = .noSuchTrack
        default: self = .refused(number)
        }
    }
}
