import Daemon
import Synchronization
import Telemetry
import Vault

/// Seals a session's readings for the journal, one at a time. Two threads do that: the one that readings come on, and the
/// outbox's own. Both take their numbers from here, so that no number is used twice.
final class JournalSealer: Sendable {
    private struct State {
        let cipher: BlockCipher
        var nextNumber: UInt64 = 0
    }

    /// Stream and session, 24 bytes.
    let context: [UInt8]
    private let state: Mutex<State>

    init(_ key: SymmetricKey, _ context: [UInt8]) {
        self.context = context
        state = Mutex(State(cipher: BlockCipher(key: key)))
    }

    /// A journal record: its number, and the reading sealed under it; nil if the reading cannot be encoded.
    func seal(_ reading: Reading) throws(VaultError) -> (number: UInt64, bytes: [UInt8])? {
        // A reading whose times are out of range cannot be encoded.
        guard let columns = try? ReadingColumns.encode([reading]) else { return nil }
        return try state.withLock { state throws(VaultError) in
            let number = state.nextNumber
            state.nextNumber += 1
            return (number, try state.cipher.seal(columns, seq: number, aad: context))
        }
    }
}

/// One session of a stream: the key that lives in this process's memory only, and the numbers used under it.
///
/// A number is never used twice under a key, not even when what it sealed was thrown away: some bytes of a failed
/// transaction may have reached the disk.
///
/// Belongs to the outbox's thread.
final class OpenSession {
    /// Readings that are written down and in no block yet, of one kind.
    struct Pending {
        var readings: [Reading] = []
        /// Their rows in the journal.
        var rows: [Int64] = []

        mutating func append(_ reading: Reading, _ row: Int64) {
            readings.append(reading)
            rows.append(row)
        }

        mutating func removeFirst(_ count: Int) {
            readings.removeFirst(count)
            rows.removeFirst(count)
        }

        /// They become a block once there are enough of them, or they are old enough.
        var isFull: Bool { readings.count >= ReadingColumns.maximumCount }
        func isDue(_ now: UInt64, _ interval: Duration) -> Bool {
            guard let first = readings.first else { return false }
            return .milliseconds(now - min(now, first.moment.monotonic)) >= interval
        }
    }

    /// A block ends where the wall clock was stepped: within one, wall and monotonic time move together.
    private static let clockStep: Int64 = 500
    /// The longest time that the readings of one block span, milliseconds.
    private static let longestBlock: Int64 = 24 * 3_600_000

    let grant: Grant
    let id: SessionID
    /// Its key block, to be flushed before anything that it opens.
    let keyBlock: (identity: BlockIdentity, bytes: [UInt8])
    /// When another session should take its place, monotonic milliseconds.
    var end: UInt64
    var pending: [Reading.Kind: Pending] = [:]
    let journal: JournalSealer
    private let blocks: BlockCipher
    private let key: SessionKey
    private var live: LiveBlocks?
    private var nextSequence: UInt64 = 1

    /// A session ends after a day, milliseconds.
    private static let length: UInt64 = 24 * 3600 * 1000

    /// Makes a random session and its key, and seals the key to the person of the grant.
    init(for grant: Grant, boot: [UInt8], identity: Ed25519.SigningKey) throws(VaultError) {
        let idBytes = try RandomBytes.draw(8)
        id = SessionID(idBytes.reduce(0) { $0 << 8 | UInt64($1) })
        self.grant = grant
        end = millisecondsSinceBoot() + Self.length
        let key = try SessionKey.random()
        self.key = key
        blocks = BlockCipher(key: try key.blockKey(stream: grant.stream.bytes, session: idBytes))
        journal = JournalSealer(
            try key.journalKey(stream: grant.stream.bytes, session: idBytes), grant.stream.bytes + idBytes)
        let identityOfKey = BlockIdentity(stream: grant.stream, session: id, sequence: 0)
        let header = BlockHeader(.key, identityOfKey).bytes
        keyBlock = (
            identityOfKey,
            try key.sealed(header: header, bootID: boot, recipient: grant.personPublicKey, gateway: identity)
        )
    }

    /// A block with this body, under the next sequence number.
    func block(_ kind: BlockHeader.Kind, _ body: [UInt8]) throws(VaultError) -> (
        identity: BlockIdentity, bytes: [UInt8]
    ) {
        let identity = BlockIdentity(stream: grant.stream, session: id, sequence: nextSequence)
        nextSequence += 1
        let header = BlockHeader(kind, identity).bytes
        return (identity, header + (try blocks.seal(body, seq: identity.sequence, aad: header)))
    }

    /// A live block with this reading; nil if this second has had as many of them as are sent, or if the reading cannot
    /// be encoded.
    func liveBlock(_ reading: Reading, at now: UInt64) throws(VaultError) -> [UInt8]? {
        let stream = grant.stream
        var live =
            if let live { live } else { LiveBlocks(try key.liveKey(stream: stream.bytes, session: id.bytes)) }
        defer { self.live = live }
        return try live.block(reading, of: (stream, id), at: now)
    }

    /// Takes readings of one kind, at most a block's worth, from the oldest: up to a step of the wall clock, and of no
    /// more than a day. They may span weeks if the disk accepted nothing for that long, but a consumer does not
    /// keep a block that spans weeks.
    static func chunk(of pending: Pending) -> Int {
        guard let first = pending.readings.first else { return 0 }
        let offset = first.moment.wall - Int64(first.moment.monotonic)
        let step = pending.readings.firstIndex { reading in
            abs(reading.moment.wall - Int64(reading.moment.monotonic) - offset) > clockStep
                || abs(reading.moment.wall - first.moment.wall) > longestBlock
        }
        return min(step ?? pending.readings.count, ReadingColumns.maximumCount)
    }
}
