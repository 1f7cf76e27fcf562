/// The block that opens a session: the session's key, sealed to a person's public key and signed by the gateway.
///
/// ```
/// header 36 | ephemeral X25519 public key 32 | ciphertext 48 | tag 16 | Ed25519 signature 64
/// ```
///
/// The plaintext is the session key, 32 bytes, and the boot id, 16. The nonce is 12 zero bytes, for the wrapping key is used once.
public struct KeyBlock: Hashable, Sendable {
    /// The header; its number is 0.
    public let header: BlockHeader
    /// The ephemeral X25519 public key, 32 bytes.
    public let ephemeral: [UInt8]
    /// The sealed plaintext, 48 bytes.
    public let ciphertext: [UInt8]
    /// The tag, 16 bytes.
    public let tag: [UInt8]
    /// The gateway's Ed25519 signature, 64 bytes, of `signedMessage(to:)`.
    public let signature: [UInt8]

    /// Bytes in a key block.
    public static let length = 196
    /// The nonce of the wrapping.
    public static let nonce = [UInt8](repeating: 0, count: 12)
    /// The info of the wrapping key's derivation. Its salt is the ephemeral public key and then the recipient's.
    public static let wrappingInfo = Array("vitals/1 key".utf8)
    /// The info of the block key's derivation from the session key. Its salt is stream and session.
    public static let blockKeyInfo = Array("block".utf8)
    /// The info of the journal key's derivation from the session key. Its salt is stream and session.
    public static let journalKeyInfo = Array("journal".utf8)

    /// A key block from its parts; refuses parts of other lengths, and a header of another kind.
    public init(
        header: BlockHeader, ephemeral: [UInt8], ciphertext: [UInt8], tag: [UInt8], signature: [UInt8]
    ) throws(MalformedValue) {
        guard header.kind == .key, header.identity.sequence == 0, ephemeral.count == 32, ciphertext.count == 48,
            tag.count == BlockHeader.tagLength, signature.count == 64
        else { throw MalformedValue("key block", .outOfRange("parts")) }
        self.header = header
        self.ephemeral = ephemeral
        self.ciphertext = ciphertext
        self.tag = tag
        self.signature = signature
    }

    /// The parts of a key block; exactly 196 bytes.
    public init(bytes: [UInt8]) throws(MalformedValue) {
        var reader = ByteReader(bytes, of: "key block")
        header = try BlockHeader(from: &reader)
        guard header.kind == .key else { throw reader.malformed(.unsupported("type \(header.kind.rawValue) here")) }
        ephemeral = Array(try reader.take(32))
        ciphertext = Array(try reader.take(48))
        tag = Array(try reader.take(BlockHeader.tagLength))
        signature = Array(try reader.take(64))
        try reader.end()
    }

    /// The whole block.
    public var bytes: [UInt8] { header.bytes + ephemeral + ciphertext + tag + signature }

    /// What the gateway signs: a fixed text, the block up to the signature, and the recipient's X25519 public key (32 bytes).
    public func signedMessage(to recipient: [UInt8]) -> [UInt8] {
        Self.signedMessage(
            header: header, ephemeral: ephemeral, ciphertext: ciphertext, tag: tag, recipient: recipient)
    }

    /// The same before there is a signature.
    public static func signedMessage(
        header: BlockHeader, ephemeral: [UInt8], ciphertext: [UInt8], tag: [UInt8], recipient: [UInt8]
    ) -> [UInt8] {
        Array("vitals/1 key block".utf8) + header.bytes + ephemeral + ciphertext + tag + recipient
    }

    /// What a key block seals.
    public struct Plaintext: Hashable, Sendable {
        /// The session key, 32 bytes.
        public let sessionKey: [UInt8]
        /// The boot in which the whole session lies.
        public let boot: BootID

        /// A plaintext from its parts; refuses a key of another length.
        public init(sessionKey: [UInt8], boot: BootID) throws(MalformedValue) {
            guard sessionKey.count == 32 else {
                throw MalformedValue("session key", .outOfRange("length, 32 bytes"))
            }
            self.sessionKey = sessionKey
            self.boot = boot
        }

        /// The parts of exactly 48 bytes.
        public init(bytes: [UInt8]) throws(MalformedValue) {
            var reader = ByteReader(bytes, of: "key block's plaintext")
            sessionKey = Array(try reader.take(32))
            boot = try BootID(from: &reader)
            try reader.end()
        }

        /// The 48 bytes.
        public var bytes: [UInt8] { sessionKey + boot.bytes }
    }
}
