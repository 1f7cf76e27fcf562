/// A block as it is sent and stored: header, body, tag. Nothing here encrypts; it says where everything is, and what
/// is authenticated.
///
/// ```
/// version 1 | suite 1 | type 1 | flags 1 | stream 16 | session 8 | seq 8 | ciphertext | tag 16
/// ```
///
/// Integers are big-endian. The header is the additional authenticated data, the nonce is the sequence number under a
/// key of the session's own. The key block, number 0 of its session, has a layout of its own, which `Vault` reads and
/// writes: what it carries is a key.
public struct BlockHeader: Hashable, Sendable {
    /// What the plaintext of a block is.
    public enum Kind: UInt8, CaseIterable, Sendable {
        /// The session's key, sealed to a person's public key.
        case key = 1
        /// `ReadingColumns`.
        case readings = 2
        /// `LooseBody`.
        case loose = 3
        /// `ClockBody`.
        case clock = 4
        /// `GapBody`.
        case gap = 5
        /// `ReadingColumns` of one reading, sent at once: sealed under a key and with numbers of its own, and never
        /// kept, acknowledged or sent again. The same reading also comes in a block of readings.
        case live = 6
    }

    /// What the plaintext is.
    public var kind: Kind
    /// Which block this is.
    public var identity: BlockIdentity

    /// Bytes in a header.
    public static let length = 36
    /// Bytes in the tag of AES-GCM.
    public static let tagLength = 16

    /// A header from its parts.
    public init(_ kind: Kind, _ identity: BlockIdentity) {
        self.kind = kind
        self.identity = identity
    }

    /// The header at the front of `bytes`; whatever follows is ignored. Refuses other versions, suites and flags, a key
    /// block that is not number 0 and any other block that is.
    public init(startOf bytes: [UInt8]) throws(MalformedValue) {
        var reader = ByteReader(bytes, of: "block header")
        try self.init(from: &reader)
    }

    init(from reader: inout ByteReader) throws(MalformedValue) {
        let version = try reader.byte()
        let suite = try reader.byte()
        let type = try reader.byte()
        let flags = try reader.byte()
        guard version == Self.version else { throw reader.malformed(.unsupported("version \(version)")) }
        guard suite == Self.suite else { throw reader.malformed(.unsupported("suite \(suite)")) }
        guard let kind = Kind(rawValue: type) else { throw reader.malformed(.unsupported("type \(type)")) }
        guard flags == 0 else { throw reader.malformed(.unsupported("flags \(flags)")) }
        self.kind = kind
        identity = try BlockIdentity(from: &reader)
        guard (kind == .key) == (identity.sequence == 0) else {
            throw reader.malformed(.outOfRange("sequence number, 0 for key blocks alone"))
        }
    }

    /// The 36 bytes, which are also the additional authenticated data.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.length)
        bytes += [Self.version, Self.suite, kind.rawValue, 0]
        identity.append(to: &bytes)
        return bytes
    }

    /// The nonce under which the body of any block but a key block is sealed: four zero bytes and the sequence number.
    public var nonce: [UInt8] { Self.nonce(identity.sequence) }

    /// The nonce for a number: four zero bytes and the number. Journal records use it with their own numbers.
    public static func nonce(_ number: UInt64) -> [UInt8] {
        var bytes: [UInt8] = [0, 0, 0, 0]
        bytes.appendBig(number)
        return bytes
    }

    private static let version: UInt8 = 1
    /// AES-256-GCM.
    private static let suite: UInt8 = 1
}

/// Which block: its stream, the session within the stream, the number within the session. The same identity always has
/// the same bytes.
public struct BlockIdentity: Hashable, Sendable, CustomStringConvertible {
    /// The stream.
    public var stream: StreamID
    /// The session within the stream.
    public var session: SessionID
    /// The number within the session.
    public var sequence: UInt64

    /// An identity from its parts.
    public init(stream: StreamID, session: SessionID, sequence: UInt64) {
        self.stream = stream
        self.session = session
        self.sequence = sequence
    }

    init(from reader: inout ByteReader) throws(MalformedValue) {
        stream = try StreamID(from: &reader)
        session = try SessionID(from: &reader)
        sequence = try reader.uint64Big()
    }

    /// The 32 bytes: stream, session, number.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// Stream and session, 24 bytes: the salt of the session's keys, and the additional authenticated data of its
    /// journal records.
    public var sessionContext: [UInt8] { stream.bytes + session.bytes }

    /// For logs: `stream/session/number`.
    public var description: String { "\(stream)/\(session)/\(sequence)" }

    func append(to bytes: inout [UInt8]) {
        bytes.appendBig(stream.high)
        bytes.appendBig(stream.low)
        bytes.appendBig(session.number)
        bytes.appendBig(sequence)
    }
}
