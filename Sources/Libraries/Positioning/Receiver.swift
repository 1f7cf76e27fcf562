import Glibc
public import Reactor
import Telemetry

// A receiver for satellites through gpsd, which knows all kinds of them, finds the speed of a serial port, and shares
// one receiver between programs. Its protocol is lines of JSON over TCP (gpsd_json(5)): it greets, we ask for reports
// once, and it sends them for as long as the connection lasts.
//
// libgps would be the other way. It needs a new name with nearly each version of gpsd (libgps28 on Debian 12,
// libgps30t64 on Debian 13), its structure changes with them, and connecting blocks. The protocol has not changed in
// what is read here since version 3.20, and the house has a reader of JSON that trusts nobody.
//
// A connection that is lost is made again, after pauses that grow. gpsd says nothing at all while it has no receiver;
// so after a silence we ask for its version, and only if that is not answered the connection is given up.

/// What a receiver tells its owner.
public enum ReceiverEvent: Hashable, Sendable {
    /// gpsd has greeted, and will send reports; with its version.
    case connected(String)
    /// A place that is to be believed.
    case fix(ReceiverFix)
    /// The receiver does not know where it is any longer, or was taken away. Told once, until there is a fix again.
    case noFix
    /// How many satellites it uses, whenever that changes.
    case satellites(Int)
    /// The connection was lost, or there was none, with the reason. It is tried again, and told each time.
    case disconnected(String)
}

/// A client of gpsd, on an event loop. Its events come on the loop's thread.
// Proof of @unchecked: everything but what is constant is touched by the loop's thread only; `start` and `stop` leave
// work for it.
public final class Receiver: @unchecked Sendable {
    /// How patient it is.
    public struct Patience: Sendable {
        /// How long to connect may take.
        public var connecting: Duration = .seconds(10)
        /// gpsd is asked whether it is there after a silence of once to twice as long, and given up after as long
        /// again.
        public var silence: Duration = .seconds(30)
        /// The pauses between tries.
        public var backoff = Backoff()

        public init() {}
    }

    /// Where gpsd listens.
    public let address: ReceiverAddress
    private let loop: EventLoop
    private let patience: Patience
    private let take: @Sendable (ReceiverEvent) -> Void

    private var isStarted = false
    private var descriptor: Int32 = -1
    private var watch: EventLoop.Watch?
    private var timer: EventLoop.Timer?
    private var backoff: Backoff
    private var isConnected = false
    private var isSilent = false
    private var isAsked = false
    private var unread: [UInt8] = []
    private var sieve: FixSieve
    private let freshSieve: FixSieve
    /// Nil until gpsd has greeted.
    private var hasFix: Bool?
    private var satellites: Int?
    private var malformed = 0

    /// A client that does nothing until it is started.
    /// - Parameters:
    ///   - sieve: what to leave out of the fixes.
    ///   - take: is given each event, on the loop's thread; it must not block.
    public init(
        _ address: ReceiverAddress = .usual, on loop: EventLoop, patience: Patience = Patience(),
        sieve: FixSieve = FixSieve(), _ take: @escaping @Sendable (ReceiverEvent) -> Void
    ) {
        self.address = address
        self.loop = loop
        self.patience = patience
        self.sieve = sieve
        self.take = take
        freshSieve = sieve
        backoff = patience.backoff
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

    /// Disconnects. No event comes after the loop has done what was left for it before; from any thread.
    public func stop() {
        loop.perform { [self] in
            isStarted = false
            disconnect()
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
        guard isConnected else { return connected() }
        read()
    }

    private func connected() {
        var (error, size): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        if getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0 { error = errno }
        guard error == 0 else { return giveUp(String(cString: strerror(error))) }
        isConnected = true
        watch?.events = .readable
        listen()
        send("?WATCH={\"enable\":true,\"json\":true};\n")
    }

    private func giveUp(_ reason: String) {
        disconnect()
        guard isStarted else { return }
        timer = loop.after(backoff.next()) { [weak self] in self?.connect() }
        take(.disconnected(reason))
    }

    private func disconnect() {
        watch?.cancel()
        timer?.cancel()
        if descriptor >= 0 { close(descriptor) }
        (watch, timer, descriptor) = (nil, nil, -1)
        (isConnected, isSilent, isAsked) = (false, false, false)
        (unread, hasFix, satellites) = ([], nil, nil)
        sieve = freshSieve
    }

    private func send(_ text: String) {
        let bytes = Array(text.utf8)
        // A few bytes into an empty buffer go at once, or the connection is of no use. MSG_NOSIGNAL: no SIGPIPE.
        let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        if count != bytes.count { giveUp("could not write") }
    }

    /// Looks, after a while, whether anything has come since.
    private func listen() {
        timer?.cancel()
        timer = loop.after(patience.silence) { [weak self] in self?.silence() }
    }

    private func silence() {
        guard !isAsked else { return giveUp("gpsd does not answer") }
        isAsked = isSilent
        isSilent = true
        listen()
        if isAsked { send("?VERSION;\n") }
    }

    // MARK: What gpsd says

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count > 0 else {
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            return giveUp(count == 0 ? "gpsd closed the connection" : String(cString: strerror(errno)))
        }
        (isSilent, isAsked) = (false, false)
        unread += buffer[..<count]
        let lines = unread.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        unread = Array(lines.last ?? [])
        let current = descriptor
        for line in lines.dropLast() {
            understand(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
            // The owner may have stopped it, or the line may have ended the connection.
            guard descriptor == current, isStarted else { return }
        }
        if unread.count > ReceiverLine.maximumLength { giveUp("a line that is too long: this is not gpsd") }
    }

    private func understand(_ line: ArraySlice<UInt8>) {
        let said: ReceiverLine
        do throws(MalformedValue) { said = try ReceiverLine(Array(line)) } catch { return doubt() }
        malformed = 0
        // Only now: something that takes connections, greets and closes them must not be asked all the time.
        if case .version = said {} else if hasFix != nil { backoff.reset() }
        switch said {
        case .version(let release):
            // It is also the answer to a question after a silence.
            guard hasFix == nil else { return }
            hasFix = false
            take(.connected(release))
        case .fix(let fix):
            guard hasFix != nil, sieve.passes(fix) else { return }
            hasFix = true
            take(.fix(fix))
        case .noFix:
            guard hasFix == true else { return }
            hasFix = false
            take(.noFix)
        case .satellites(let used):
            guard hasFix != nil, used != satellites else { return }
            satellites = used
            take(.satellites(used))
        case .other: break
        }
    }

    /// A line now and then that is not understood costs only itself. Nothing else but such lines is not gpsd.
    private func doubt() {
        malformed += 1
        if malformed >= 100 {
            malformed = 0
            giveUp("lines that are not understood: this is not gpsd")
        }
    }
}
