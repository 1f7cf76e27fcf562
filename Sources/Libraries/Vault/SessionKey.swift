public import Files

/// The key of one session, and the key block that carries it from a gateway to a person's X25519 key.
///
/// ```
/// key block: header 36 | ephemeral public key 32 | ciphertext 48 | tag 16 | Ed25519 signature 64
/// ```
///
/// The ciphertext is session key 32 | boot id 16 under AES-256-GCM with the wrapping key, 12 zero bytes of nonce (the
/// wrapping key, drawn with its ephemeral pair, is used once) and the header as additional data. The wrapping key is
/// HKDF-SHA256 of the shared secret, salt ephemeral public key | recipient, info `vitals/1 key`. The gateway signs
/// `vitals/1 key block` | everything before the signature | recipient: anybody with a person's public key can seal to
/// it, but only the enrolled gateway can vouch for it.
public struct SessionKey: Sendable {
    /// Bytes in a key block.
    public static let blockLength = 196
    /// Bytes in a block's header.
    public static let headerLength = 36

    /// The secret itself. Gateways keep it in memory only.
    public let secret: SymmetricKey

    /// A session key read back.
    public init(_ secret: SymmetricKey) {
        self.secret = secret
    }

    /// A session key drawn at random.
    public static func random() throws(VaultError) -> SessionKey {
        SessionKey(try .random())
    }

    /// The key of the session's blocks. `stream` is 16 bytes, `session` 8.
    public func blockKey(stream: [UInt8], session: [UInt8]) throws(VaultError) -> SymmetricKey {
        try key("block", stream, session)
    }

    /// The key of the session's journal. `stream` is 16 bytes, `session` 8.
    public func journalKey(stream: [UInt8], session: [UInt8]) throws(VaultError) -> SymmetricKey {
        try key("journal", stream, session)
    }

    /// The key of the session's live blocks, which have numbers of their own. `stream` is 16 bytes, `session` 8.
    public func liveKey(stream: [UInt8], session: [UInt8]) throws(VaultError) -> SymmetricKey {
        try key("live", stream, session)
    }

    private func key(_ purpose: String, _ stream: [UInt8], _ session: [UInt8]) throws(VaultError) -> SymmetricKey {
        try OpenSSL.require(16, of: stream, "derive the \(purpose) key", "stream")
        try OpenSSL.require(8, of: session, "derive the \(purpose) key", "session")
        return try HKDF.key(from: secret, salt: stream + session, info: purpose)
    }

    /// The whole key block, 196 bytes: this key and the boot id (16 bytes), sealed to `recipient` (an X25519 public
    /// key) and signed by `gateway`. `ephemeral` is for this one block; only tests with fixed vectors pass their own.
    public func sealed(
        header: [UInt8], bootID: [UInt8], recipient: [UInt8], gateway: Ed25519.SigningKey,
        ephemeral drawn: X25519KeyPair? = nil
    ) throws(VaultError) -> [UInt8] {
        let attempted = "seal a key block"
        try OpenSSL.require(Self.headerLength, of: header, attempted, "header")
        try OpenSSL.require(16, of: bootID, attempted, "boot id")
        try OpenSSL.require(32, of: recipient, attempted, "recipient")
        let ephemeral = if let drawn { drawn } else { try X25519KeyPair.random() }
        let wrapping = try Self.wrappingKey(
            ephemeral, with: recipient, ephemeral: ephemeral.publicKey, recipient: recipient)
        var plaintext = secret.bytes + bootID
        defer { plaintext.overwrite() }
        let body = ephemeral.publicKey + (try BlockCipher(key: wrapping).seal(plaintext, seq: 0, aad: header))
        let block = header + body
        return block + (try gateway.sign(Self.signed(block[...], recipient)))
    }

    /// The session key and boot id (16 bytes) of a key block. Throws `.malformed` for another length, `.notAuthentic`
    /// unless `gateway` signed it for `recipient` and every bit is as it was. The caller has to read the header itself.
    public static func open(
        _ block: [UInt8], recipient: X25519KeyPair, gateway: Ed25519.VerifyingKey
    ) throws(VaultError) -> (key: SessionKey, bootID: [UInt8]) {
        try OpenSSL.require(blockLength, of: block, "open a key block", "key block")
        let header = Array(block[..<headerLength])
        let ephemeral = Array(block[36..<68])
        let signature = Array(block[132...])
        try gateway.verify(signature, of: signed(block[..<132], recipient.publicKey))
        let wrapping = try wrappingKey(recipient, with: ephemeral, ephemeral: ephemeral, recipient: recipient.publicKey)
        var plaintext = try BlockCipher(key: wrapping).open(block[68..<132], seq: 0, aad: header)
        defer { plaintext.overwrite() }
        return (SessionKey(try SymmetricKey(Array(plaintext[..<32]))), Array(plaintext[32...]))
    }

    private static func wrappingKey(
        _ own: X25519KeyPair, with other: [UInt8], ephemeral: [UInt8], recipient: [UInt8]
    ) throws(VaultError) -> SymmetricKey {
        try HKDF.key(from: own.sharedSecret(with: other), salt: ephemeral + recipient, info: "vitals/1 key")
    }

    private static func signed(_ block: ArraySlice<UInt8>, _ recipient: [UInt8]) -> [UInt8] {
        Array("vitals/1 key block".utf8) + block + recipient
    }
}
