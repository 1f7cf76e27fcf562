/// What a consumer tells a gateway: small, binary, signed.
///
/// ```
/// version 1 | purpose 1 | store 16 | gateway: length 1, ASCII | body | Ed25519 signature 64
/// ```
///
/// The signature covers a fixed text and all bytes before it, so a message means one thing to one gateway from one
/// store.
public struct ControlMessage: Hashable, Sendable {
    /// What is said.
    public enum Body: Hashable, Sendable {
        /// These blocks are stored: the gateway may forget them. 1 to 256.
        case acknowledgement([BlockIdentity])
        /// This block will never be stored. The digest, the first 16 bytes of the refused bytes' SHA-256, says which
        /// bytes are meant: a stranger can publish others under the same identity.
        case refusal(BlockIdentity, digest: [UInt8], RefusalReason)
        /// Send the key block of this session again.
        case keyRequest(StreamID, SessionID)
        /// Which person's stream a sensor's readings go to.
        case grant(Grant)
    }

    /// Why a block will never be stored.
    public enum RefusalReason: UInt8, Sendable {
        /// It does not open under the session's verified key.
        case unreadable = 1
        /// Other bytes were stored under the same identity.
        case conflict = 2
    }

    /// The store that speaks.
    public var store: StoreID
    /// The gateway that is meant.
    public var gateway: ID
    /// What is said.
    public var body: Body

    /// No acknowledgement names more blocks.
    public static let maximumAcknowledged = 256

    /// How much of a SHA-256 a refusal quotes.
    public static let digestLength = 16

    /// A message from its parts. A refusal's digest has `digestLength` bytes.
    public init(store: StoreID, gateway: ID, _ body: Body) {
        self.store = store
        self.gateway = gateway
        self.body = body
    }

    /// The message that `unsigned` spells, to the last byte; there is no signature at its end.
    public init(unsigned: [UInt8]) throws(MalformedValue) {
        var reader = ByteReader(unsigned, of: "control message")
        let version = try reader.byte()
        guard version == Self.version else { throw reader.malformed(.unsupported("version \(version)")) }
        let purpose = try reader.byte()
        store = try StoreID(from: &reader)
        gateway = try ID(from: &reader)
        switch purpose {
        case 1:
            let count = try reader.count(1...UInt64(Self.maximumAcknowledged), "count")
            guard reader.remaining == count * 32 else { throw reader.malformed(.truncated) }
            var identities: [BlockIdentity] = []
            identities.reserveCapacity(count)
            for _ in 0..<count { identities.append(try BlockIdentity(from: &reader)) }
            body = .acknowledgement(identities)
        case 2:
            let identity = try BlockIdentity(from: &reader)
            let digest = Array(try reader.take(Self.digestLength))
            let number = try reader.byte()
            guard let reason = RefusalReason(rawValue: number) else {
                throw reader.malformed(.unsupported("reason \(number)"))
            }
            body = .refusal(identity, digest: digest, reason)
        case 3: body = .keyRequest(try StreamID(from: &reader), try SessionID(from: &reader))
        case 4: body = .grant(try Grant(from: &reader))
        default: throw reader.malformed(.unsupported("purpose \(purpose)"))
        }
        try reader.end()
    }

    /// The message without its signature.
    public var unsigned: [UInt8] {
        var bytes = [Self.version, purpose]
        bytes += store.bytes
        gateway.append(to: &bytes)
        switch body {
        case .acknowledgement(let identities):
            bytes.reserveCapacity(bytes.count + 2 + identities.count * 32)
            bytes.appendVarint(UInt64(identities.count))
            for identity in identities { identity.append(to: &bytes) }
        case .refusal(let identity, let digest, let reason):
            identity.append(to: &bytes)
            bytes += digest
            bytes.append(reason.rawValue)
        case .keyRequest(let stream, let session): bytes += stream.bytes + session.bytes
        case .grant(let grant): grant.append(to: &bytes)
        }
        return bytes
    }

    /// What the consumer's identity signs.
    public var signedBytes: [UInt8] { Self.prefix + unsigned }

    /// The whole message with its signature, 64 bytes.
    public func bytes(signature: [UInt8]) -> [UInt8] { unsigned + signature }

    private var purpose: UInt8 {
        switch body {
        case .acknowledgement: 1
        case .refusal: 2
        case .keyRequest: 3
        case .grant: 4
        }
    }

    private static let version: UInt8 = 1
    fileprivate static let prefix = Array("vitals/1 control".utf8)
}

/// A control message as it came. Nobody has checked the signature yet: `message` is only worth something after that.
public struct SignedControlMessage: Hashable, Sendable {
    /// What it says.
    public let message: ControlMessage
    /// The bytes that the signature must cover: taken from the bytes that came, not encoded again.
    public let signedBytes: [UInt8]
    /// The signature, 64 bytes.
    public let signature: [UInt8]

    /// The parts of a message.
    public init(bytes: [UInt8]) throws(MalformedValue) {
        guard bytes.count > 64 else { throw MalformedValue("control message", .truncated) }
        let unsigned = Array(bytes.dropLast(64))
        message = try ControlMessage(unsigned: unsigned)
        signedBytes = ControlMessage.prefix + unsigned
        signature = Array(bytes.suffix(64))
    }
}
