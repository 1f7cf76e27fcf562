public import Files

// A code that brings a gateway and a consumer together, once.
//
//     7QKM-2DZX-  0H4W-9C1T-V6RA-XP3E
//     id, 40 bits secret, 80 bits
//
// A person, or the consumer's operator, asks the consumer for a code and types it at the gateway. The id goes over the
// broker in the clear and says which code is meant; the secret never does. From the secret both sides derive:
//
//     enrolment key   HKDF-SHA256(secret, salt: the id's eight digits, "enrolment")
//     code's key      HKDF-SHA256(secret, salt: the id's eight digits, "claim"), half of the claim key (ClaimKey.swift)
//
// The gateway proves with the enrolment key that it knows the code, and which key it will sign with; the consumer
// proves the same about itself, and which name it gives to the gateway. So a broker in between, or anybody who listens
// there, cannot pass for either of the two. What they hear lets them try codes offline, but 80 bits are too many for
// that.
//
// When a person asks for a code by MQTT, the reply that carries it passes the broker. A reader of that reply can use
// the code first, but that shows, because the gateway is then refused; once the code was used, it is worth nothing.

/// A code of 24 digits that enrols one gateway.
public struct EnrolmentCode: Sendable {
    /// Says which code it is; not secret. Eight digits.
    public let id: String
    /// 80 bits that nobody else may know.
    public let secret: [UInt8]

    /// Bytes in the secret.
    public static let secretLength = 10
    private static let idLength = 8

    /// A code drawn at random.
    public static func random() throws(VaultError) -> EnrolmentCode {
        let bytes = try RandomBytes.draw(5)
        let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return EnrolmentCode(
            checkedID: CrockfordBase32.text(number, count: idLength), secret: try RandomBytes.draw(secretLength))
    }

    /// The code that was kept as its parts. Throws `.malformed` if these are none.
    public init(id: String, secret: [UInt8]) throws(VaultError) {
        let attempted = "read an enrolment code"
        try OpenSSL.require(Self.secretLength, of: secret, attempted, "secret")
        guard let id = Self.id(id) else { throw VaultError(attempted, .malformed, said: "its id is not eight digits") }
        self.init(checkedID: id, secret: secret)
    }

    /// The code that somebody typed: either case, O for 0, I and L for 1, with or without hyphens and spaces. Throws
    /// `.malformed` if it has another length or other characters; the text is not repeated.
    public init(_ text: String) throws(VaultError) {
        let attempted = "read the enrolment code"
        guard let values = CrockfordBase32.values(in: text) else {
            throw VaultError(attempted, .malformed, said: "it has characters that are in no code")
        }
        guard values.count == 24 else {
            throw VaultError(attempted, .malformed, said: "it has \(values.count) of 24 characters")
        }
        let halves = [values[8..<16], values[16..<24]].map { CrockfordBase32.number($0) }
        self.init(
            checkedID: CrockfordBase32.text(CrockfordBase32.number(values[..<8]), count: Self.idLength),
            secret: halves.flatMap { half in (0..<5).reversed().map { UInt8(truncatingIfNeeded: half >> (8 * $0)) } })
    }

    private init(checkedID id: String, secret: [UInt8]) {
        self.id = id
        self.secret = secret
    }

    /// The id that a text spells, in capitals; nil if it spells none.
    public static func id(_ text: String) -> String? {
        guard let values = CrockfordBase32.values(in: text), values.count == idLength else { return nil }
        return CrockfordBase32.text(CrockfordBase32.number(values), count: idLength)
    }

    /// As it is shown: six groups of four.
    public var text: String {
        let halves = [secret[..<5], secret[5...]].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        return CrockfordBase32.grouped(
            id + halves.map { CrockfordBase32.text($0, count: 8) }.joined(), by: 4, "-")
    }

    /// What the gateway says: that it knows the code, and that this is its Ed25519 public key. 32 bytes.
    public func requestProof(gatewayKey: [UInt8]) throws(VaultError) -> [UInt8] {
        try proof("enrol", gatewayKey)
    }

    /// What the consumer says: that it knows the code, the name that the gateway gets, and both public keys. 32 bytes.
    public func replyProof(gateway: String, consumerKey: [UInt8], gatewayKey: [UInt8]) throws(VaultError) -> [UInt8] {
        // The keys have a fixed length, so it is clear where the name ends.
        try proof("enrolled", Array(gateway.utf8) + consumerKey + gatewayKey)
    }

    /// The half of the claim key that the code gives: see `ClaimKey`.
    public func codeKey() throws(VaultError) -> SymmetricKey { try key("claim") }

    private func proof(_ purpose: String, _ message: [UInt8]) throws(VaultError) -> [UInt8] {
        try HMACSHA256.code(for: Array(purpose.utf8) + message, key: key("enrolment"))
    }

    private func key(_ purpose: String) throws(VaultError) -> SymmetricKey {
        try SymmetricKey(
            HKDF.sha256(from: secret, salt: Array(id.utf8), info: Array(purpose.utf8), count: SymmetricKey.length))
    }
}
