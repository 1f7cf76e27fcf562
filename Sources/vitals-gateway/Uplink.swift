import Telemetry

/// Which blocks are on their way, and when each is sent again: a state machine whose methods say what to do.
///
/// At most `window` blocks are in flight. One that is not acknowledged is sent again after 5 s, then after pauses that
/// double up to five minutes, each a little off, so that many gateways do not speak at once.
struct Uplink {
    static let window = 64
    private static let firstPause: UInt64 = 5_000
    private static let longestPause: UInt64 = 300_000

    private struct Flight {
        let bytes: [UInt8]
        var pause: UInt64
        /// Monotonic milliseconds.
        var due: UInt64
    }

    private var flights: [BlockIdentity: Flight] = [:]
    /// The last block that was taken from the store.
    private(set) var cursor: Int64 = 0
    private var isConnected = false
    private var hasConsumer = false

    /// Whether there is somebody to send to.
    var isOpen: Bool { isConnected && hasConsumer }
    var isEmpty: Bool { flights.isEmpty }
    /// How many more may be in flight.
    var room: Int { isOpen ? Self.window - flights.count : 0 }

    /// Takes a block from the store, to be sent at once.
    mutating func take(_ block: OutboxStore.Block) {
        cursor = block.id
        guard !block.bytes.isEmpty else { return }
        flights[block.identity] = Flight(bytes: block.bytes, pause: Self.firstPause, due: 0)
    }

    /// What is to be sent now, and when to ask again; nil where nothing waits.
    mutating func send(at now: UInt64) -> (blocks: [[UInt8]], next: UInt64?) {
        guard isOpen else { return ([], nil) }
        var blocks: [(order: BlockIdentity, bytes: [UInt8])] = []
        for (identity, flight) in flights where flight.due <= now {
            blocks.append((identity, flight.bytes))
            let jitter = Double.random(in: 0.8...1.2)
            flights[identity]?.due = now + UInt64(Double(flight.pause) * jitter)
            flights[identity]?.pause = min(flight.pause * 2, Self.longestPause)
        }
        // In order within a session: the key block first spares the consumer a question.
        blocks.sort { $0.order.sequence < $1.order.sequence }
        return (blocks.map(\.bytes), flights.values.map(\.due).min())
    }

    /// It was acknowledged, or refused.
    mutating func remove(_ identity: BlockIdentity) { flights[identity] = nil }

    mutating func brokerChanged(isConnected: Bool) {
        self.isConnected = isConnected
        if isConnected { sendAllAgain() }
    }

    mutating func consumerChanged(isThere: Bool) {
        // A consumer that has come back may have missed what was sent meanwhile.
        if isThere, !hasConsumer { sendAllAgain() }
        hasConsumer = isThere
    }

    /// Begins with the first block again: a consumer lacks what it once had acknowledged.
    mutating func rewind() {
        flights = [:]
        cursor = 0
    }

    private mutating func sendAllAgain() {
        for identity in flights.keys {
            flights[identity]?.due = 0
            flights[identity]?.pause = Self.firstPause
        }
    }
}
