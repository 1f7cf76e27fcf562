import COpenSSL
public import Files

// The key of a gateway's claim codes.
//
// It has two halves. One comes from the enrolment code, which may have passed the broker when a person asked for it.
// The other half is never sent anywhere: X25519 gives it to both sides from their identities, as each has had the
// other's public key since the enrolment.
//
//     claim key   HKDF-SHA256(X25519(own identity, the other's) | the code's key,
//                             salt: the gateway's public key | the consumer's, "vitals/1 claim")
//
// So a reader of the code, the request and the reply lacks the second half, and somebody who has one gateway's identity
// does not know the code's half. The second half needs no message, so gateways that were enrolled before it existed
// have it at once: both sides still keep the same things from the enrolment.
//
// An identity is an Ed25519 key, and its curve is that of X25519 in other coordinates (RFC 7748, 4.1): the private
// scalar is the beginning of SHA-512 of the seed (RFC 8032, 5.1.5), and the public u is (1 + y) / (1 - y).

/// The key of a gateway's claim codes.
public enum ClaimKey {
    /// The key as the gateway computes it.
    /// - Parameters:
    ///   - consumer: the public key of the consumer's identity.
    ///   - codeKey: what the enrolment code gave: see `EnrolmentCode.codeKey`.
    public static func atGateway(
        _ identity: Ed25519.SigningKey, consumer: [UInt8], codeKey: SymmetricKey
    ) throws(VaultError) -> SymmetricKey {
        let secret = try identity.sharedSecret(with: consumer)
        return try key(secret, codeKey, gateway: identity.publicKey, consumer: consumer)
    }

    /// The key as the consumer computes it.
    /// - Parameters:
    ///   - gateway: the public key of the gateway's identity.
    ///   - codeKey: what the enrolment code gave: see `EnrolmentCode.codeKey`.
    public static func atConsumer(
        _ identity: Ed25519.SigningKey, gateway: [UInt8], codeKey: SymmetricKey
    ) throws(VaultError) -> SymmetricKey {
        let secret = try identity.sharedSecret(with: gateway)
        return try key(secret, codeKey, gateway: gateway, consumer: identity.publicKey)
    }

    private static func key(
        _ secret: SymmetricKey, _ codeKey: SymmetricKey, gateway: [UInt8], consumer: [UInt8]
    ) throws(VaultError) -> SymmetricKey {
        var both = secret.bytes + codeKey.bytes
        defer { both.overwrite() }
        let info = Array("vitals/1 claim".utf8)
        return try SymmetricKey(
            HKDF.sha256(from: both, salt: gateway + consumer, info: info, count: SymmetricKey.length))
    }
}

extension Ed25519.SigningKey {
    /// The secret shared with the owner of another identity, 32 bytes; derive keys from it, do not use it as one.
    ///
    /// Throws if `identity` is not a valid public key, or is one of small order, with which everyone shares the same
    /// secret.
    public func sharedSecret(with identity: [UInt8]) throws(VaultError) -> SymmetricKey {
        let own = try X25519KeyPair(privateKey: scalar())
        return try own.sharedSecret(with: Ed25519.montgomery(identity))
    }

    /// What X25519 multiplies by: the first half of SHA-512 of the seed, which X25519 clamps as Ed25519 does.
    private func scalar() throws(VaultError) -> SymmetricKey {
        let attempted = "read an Ed25519 private key"
        var seed = [UInt8](repeating: 0, count: SymmetricKey.length)
        var digest = [UInt8](repeating: 0, count: 64)
        defer {
            seed.overwrite()
            digest.overwrite()
        }
        var count = seed.count
        try OpenSSL.check(EVP_PKEY_get_raw_private_key(handle, &seed, &count), attempted)
        try OpenSSL.check(EVP_Digest(seed, seed.count, &digest, nil, EVP_sha512(), nil), attempted)
        return try SymmetricKey(Array(digest[..<SymmetricKey.length]))
    }
}

extension Ed25519 {
    /// The X25519 public key of an Ed25519 public key: u = (1 + y) / (1 - y) modulo p = 2^255 - 19. All of it is
    /// public, so it does not have to take constant time.
    static func montgomery(_ publicKey: [UInt8]) throws(VaultError) -> [UInt8] {
        let attempted = "read an Ed25519 public key"
        try OpenSSL.require(32, of: publicKey, attempted, "public key")
        // The top bit is x's sign, which u does not depend on.
        var bytes = publicKey
        bytes[31] &= 0x7F
        let context = try OpenSSL.check(BN_CTX_new(), attempted)
        defer { BN_CTX_free(context) }
        BN_CTX_start(context)
        defer { BN_CTX_end(context) }
        // Once one of them is nil, all that follow are.
        guard let p = BN_CTX_get(context), let y = BN_CTX_get(context), let one = BN_CTX_get(context),
            let above = BN_CTX_get(context), let below = BN_CTX_get(context), let u = BN_CTX_get(context)
        else { throw OpenSSL.failure(attempted) }
        try OpenSSL.check(BN_set_bit(p, 255), attempted)
        try OpenSSL.check(BN_sub_word(p, 19), attempted)
        try OpenSSL.check(BN_set_word(one, 1), attempted)
        guard BN_lebin2bn(bytes, 32, y) != nil else { throw OpenSSL.failure(attempted) }
        guard BN_cmp(y, p) < 0, BN_cmp(y, one) != 0 else {
            throw VaultError(attempted, .malformed, said: "these bytes are not a public key")
        }
        try OpenSSL.check(BN_mod_add(above, one, y, p, context), attempted)
        try OpenSSL.check(BN_mod_sub(below, one, y, p, context), attempted)
        guard BN_mod_inverse(below, below, p, context) != nil else { throw OpenSSL.failure(attempted) }
        try OpenSSL.check(BN_mod_mul(u, above, below, p, context), attempted)
        var result = [UInt8](repeating: 0, count: 32)
        guard BN_bn2lebinpad(u, &result, 32) == 32 else { throw OpenSSL.failure(attempted) }
        return result
    }
}
