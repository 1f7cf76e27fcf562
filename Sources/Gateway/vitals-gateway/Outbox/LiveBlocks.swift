import Daemon
import Files
import Telemetry
import Vault

// Readings that are sent at once, besides being recorded: while somebody works out, the consumer has each of them before
// its block comes. Live blocks are outside the outbox's promises: they are sent once, at QoS 0, and nobody acknowledges
// them. Nothing is sent before the session's key block is written, because the consumer could not open it.

/// The live blocks of one session: a key of their own, numbers of their own, and at most so many a second.
struct LiveBlocks {
    /// What one sensor may send within a second; the rest comes with its blocks alone.
    static let mostPerSecond = 50
    /// Readings that waited longer than this, milliseconds, come with their blocks alone: the disk was busy.
    static let oldest: UInt64 = 5000

    private let cipher: BlockCipher
    private var nextSequence: UInt64 = 1
    private var second: UInt64 = 0
    private var count = 0

    init(_ key: SymmetricKey) { cipher = BlockCipher(key: key) }

    /// A block with this reading, under the next number; nil if this second is full, or if the reading cannot be encoded.
    /// - Parameter now: monotonic milliseconds.
    mutating func block(
        _ reading: Reading, of session: (stream: StreamID, id: SessionID), at now: UInt64
    ) throws(VaultError) -> [UInt8]? {
        if now / 1000 != second { (second, count) = (now / 1000, 0) }
        guard count < Self.mostPerSecond, let body = try? ReadingColumns.encode([reading]) else { return nil }
        count += 1
        let identity = BlockIdentity(stream: session.stream, session: session.id, sequence: nextSequence)
        nextSequence += 1
        let header = BlockHeader(.live, identity).bytes
        return header + (try cipher.seal(body, seq: identity.sequence, aad: header))
    }
}

extension Outbox {
    /// Sends a reading at once, if its grant asks for that and there is somebody to hear it. Its journal record and its
    /// block do not depend on what becomes of this.
    func sendLive(_ reading: Reading, _ grant: Grant) {
        guard grant.kinds.contains(.live), uplink.isOpen, let open = sessions[grant.stream] else { return }
        let now = millisecondsSinceBoot()
        guard now <= reading.moment.monotonic + LiveBlocks.oldest else { return }
        do throws(VaultError) {
            guard let block = try open.liveBlock(reading, at: now) else { return }
            session.publish(block, to: liveTopic)
        } catch {
            limitedLog.error("live block") { "a reading was not sealed to be sent at once: \(error)\($0)" }
        }
    }
}
