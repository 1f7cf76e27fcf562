import Telemetry

/// Which blocks are on their way, and when each is sent again: a state machine whose methods say what to do.
///
/// At most `window` blocks are in flight. One that is not acknowledged is sent again after 5 s, then after pauses that
/// double up to five minutes, each with a little jitter, so that many gateways do not send at once. A stream of which
/// the consumer accepts nothing, because it lacks a key, must not hold up the others: when the window is full and one
/// of its blocks was sent three times, the whole stream is parked for five minutes.
struct Uplink {
    static let window = 64
    private static let firstPause: UInt64 = 5_000
    private static let longestPause: UInt64 = 300_000
    private static let patience = 3

    private struct Flight {
        let bytes: [UInt8]
        var wasSent = false
        /// How often it was sent since the last connection was lost.
        var sent = 0
        var pause: UInt64
        /// Monotonic milliseconds.
        var due: UInt64
    }

    private var flights: [BlockIdentity: Flight] = [:]
    /// The time until which it is parked.
    private var parkedUntil: [StreamID: UInt64] = [:]
    /// The last block that was taken from the store.
    private(set) var cursor: Int64 = 0
    private var isConnected = false
    private var hasConsumer = false

    /// Whether there is somebody to send to.
    var isOpen: Bool { isConnected && hasConsumer }
    var isEmpty: Bool { flights.isEmpty }
    /// How many more may be in flight.
    var room: Int { isOpen ? Self.window - flights.count : 0 }
    /// Streams from which to take nothing now.
    var parked: [StreamID] { Array(parkedUntil.keys) }

    /// Whether it was sent, and the consumer may have it.
    func isOnItsWay(_ identity: BlockIdentity) -> Bool { flights[identity]?.wasSent ?? false }

    /// Parks streams that fill the window in vain, and takes back those that have waited.
    mutating func makeWay(at now: UInt64) {
        guard isOpen else { return }
        for (stream, until) in parkedUntil where until <= now { unpark(stream) }
        guard room == 0 else { return }
        let stuck = Set(flights.filter { $0.value.due <= now && $0.value.sent >= Self.patience }.map(\.key.stream))
        for stream in stuck { parkedUntil[stream] = now + Self.jittered(Self.longestPause) }
        flights = flights.filter { !stuck.contains($0.key.stream) }
    }

    /// Takes a block from the store, to be sent at once; one that is on its way stays as it is.
    mutating func take(_ block: OutboxStore.Block) {
        cursor = block.id
        guard !block.bytes.isEmpty, flights[block.identity] == nil else { return }
        flights[block.identity] = Flight(bytes: block.bytes, pause: Self.firstPause, due: 0)
    }

    /// What to send now, and when to ask again; nil if nothing waits.
    mutating func send(at now: UInt64) -> (blocks: [[UInt8]], next: UInt64?) {
        guard isOpen else { return ([], nil) }
        var blocks: [(order: BlockIdentity, bytes: [UInt8])] = []
        for (identity, flight) in flights where flight.due <= now {
            blocks.append((identity, flight.bytes))
            flights[identity]?.due = now + Self.jittered(flight.pause)
            flights[identity]?.pause = min(flight.pause * 2, Self.longestPause)
            flights[identity]?.sent += 1
            flights[identity]?.wasSent = true
        }
        // In order within a session: the key block first spares the consumer a question.
        blocks.sort { $0.order.sequence < $1.order.sequence }
        let next = [flights.values.map(\.due).min(), parkedUntil.values.min()].compactMap { $0 }.min()
        return (blocks.map(\.bytes), next)
    }

    /// It was acknowledged, or refused. Its stream is taken again, so others need not wait.
    mutating func remove(_ identity: BlockIdentity) {
        flights[identity] = nil
        unpark(identity.stream)
    }

    /// The consumer now has what it lacked to accept this stream's blocks: they do not have to wait for the end of
    /// their pauses.
    mutating func keyWasTold(of stream: StreamID) {
        unpark(stream)
        for identity in flights.keys where identity.stream == stream { flights[identity]?.due = 0 }
    }

    mutating func brokerChanged(isConnected: Bool) {
        self.isConnected = isConnected
        if isConnected { sendAllAgain() }
    }

    /// - Parameter saysSo: whether it has just said that it is there. It says so at each of its connections; and where its broker
    ///   is behind a bridge, this comes again when the bridge was cut: nobody else says that there was a cut.
    mutating func consumerChanged(isThere: Bool, saysSo: Bool = false) {
        // A consumer that has come back may have missed what was sent in the meantime.
        if isThere, !hasConsumer || saysSo { sendAllAgain() }
        hasConsumer = isThere
    }

    /// Begins with the first block again: a consumer lacks what it once had acknowledged.
    mutating func rewind() {
        flights = [:]
        parkedUntil = [:]
        cursor = 0
    }

    private mutating func sendAllAgain() {
        for stream in parked { unpark(stream) }
        for identity in flights.keys {
            flights[identity]?.due = 0
            flights[identity]?.sent = 0
            flights[identity]?.pause = Self.firstPause
        }
    }

    /// What was parked is behind the cursor.
    private mutating func unpark(_ stream: StreamID) {
        guard parkedUntil.removeValue(forKey: stream) != nil else { return }
        cursor = 0
    }

    private static func jittered(_ pause: UInt64) -> UInt64 { UInt64(Double(pause) * Double.random(in: 0.8...1.2)) }
}
