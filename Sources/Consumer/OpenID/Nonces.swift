import Records
package import Storage
package import Vault

// Nonces bind an ID token to one sign-in here: a token that was seen on its way, or that another service got, cannot be
// used a second time.
//
// Nonces that are given out are not stored, so asking for many fills nothing: a nonce says when it was drawn and
// carries a code that only we can make, over the provider's name too. Used nonces are remembered in the database until
// they are a day past their end, because a clock may be set back; a restart forgets none.
//
//     base64url(time in ms, 8 | random, 16 | HMAC-SHA256(key, "nonce" | 0 | provider | 0 | time | random), 32)

/// Draws nonces, and uses them up.
package struct Nonces {
    /// How long a nonce is valid, in milliseconds.
    package static let lifetime: Int64 = 600_000
    /// How long used ones are remembered after that.
    package static let memory: Int64 = 86_400_000

    private let key: SymmetricKey

    /// - Parameter pepper: the service's own secret, from which the key is derived.
    package init(pepper: SymmetricKey) throws(VaultError) {
        key = try HKDF.key(from: pepper, salt: [], info: "openid nonce")
    }

    /// A new one.
    /// - Parameter now: Unix milliseconds.
    package func issue(for provider: String, now: Int64) throws(VaultError) -> (nonce: String, expires: Int64) {
        let head = Self.bytes(now) + (try RandomBytes.draw(16))
        return (Base64URL.text(head + (try code(head, provider))), now + Self.lifetime)
    }

    /// Checks that a nonce is ours, this provider's and of the last ten minutes; returns its code, by which `use` knows
    /// it.
    /// - Throws: a refusal, or what OpenSSL said.
    package func check(_ nonce: String, for provider: String, now: Int64) throws -> (id: [UInt8], expires: Int64) {
        guard let bytes = Base64URL.bytes(Array(nonce.utf8)), bytes.count == 56 else {
            throw TokenRefusal.nonce(.notOurs)
        }
        let head = Array(bytes[..<24])
        let given = Array(bytes[24...])
        guard isEqualInConstantTime(given, try code(head, provider)) else { throw TokenRefusal.nonce(.notOurs) }
        let drawn = head[..<8].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        // A nonce from the future was drawn before the clock was set back.
        guard drawn <= now + 60_000, now < drawn + Self.lifetime else { throw TokenRefusal.nonce(.expired) }
        return (given, drawn + Self.lifetime)
    }

    /// Whether a nonce was used. Only `use` decides: this check saves work for tokens that cannot succeed.
    package static func isUsed(_ id: [UInt8], _ database: Database) throws(VaultError) -> Bool {
        try database.first("SELECT 1 FROM nonces WHERE nonce = ?", [.blob(id)], row: Row.int) != nil
    }

    /// Uses a nonce up, within a transaction of the caller's.
    /// - Throws: a refusal if it was used before, or what the database said.
    package static func use(_ id: [UInt8], expires: Int64, now: Int64, _ database: Database) throws {
        // One that is exactly a day past its end is still remembered.
        try database.removeExpired(from: "nonces", at: now - memory - 1)
        let inserted = try database.execute(
            "INSERT INTO nonces (nonce, expires_ms) VALUES (?, ?) ON CONFLICT (nonce) DO NOTHING",
            [.blob(id), .integer(expires)])
        guard inserted == 1 else { throw TokenRefusal.nonce(.used) }
    }

    private func code(_ head: [UInt8], _ provider: String) throws(VaultError) -> [UInt8] {
        try HMACSHA256.code(for: Array("nonce".utf8) + [0] + Array(provider.utf8) + [0] + head, key: key)
    }

    private static func bytes(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * Int64($0))) }
    }
}
