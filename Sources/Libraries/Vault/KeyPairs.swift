import COpenSSL
public import Files

/// An X25519 key pair (RFC 7748): for the keys that gateways seal to, and for the ephemeral half of a key block.
// @unchecked Sendable: the handle is set once; OpenSSL lets any number of threads read one EVP_PKEY
// (openssl-threads(7)), and every operation here makes its own context.
public final class X25519KeyPair: @unchecked Sendable {
    /// The public key, 32 bytes.
    public let publicKey: [UInt8]
    private let handle: OpaquePointer

    /// The pair of a private key; any 32 bytes will do (RFC 7748 clamps them).
    public init(privateKey: SymmetricKey) throws(VaultError) {
        (handle, publicKey) = try EdwardsKey.pair("X25519", privateKey)
    }

    deinit { EVP_PKEY_free(handle) }

    /// A pair drawn at random.
    public static func random() throws(VaultError) -> X25519KeyPair {
        try X25519KeyPair(privateKey: .random())
    }

    /// The secret shared with the owner of `publicKey`, 32 bytes; derive keys from it, do not use it as one. A public
    /// key of small order, with which everyone shares the same secret, is refused.
    public func sharedSecret(with publicKey: [UInt8]) throws(VaultError) -> SymmetricKey {
        try OpenSSL.require(32, of: publicKey, "agree on a secret", "public key")
        let peer = try OpenSSL.check(
            EVP_PKEY_new_raw_public_key_ex(nil, "X25519", nil, publicKey, 32), "read an X25519 public key")
        defer { EVP_PKEY_free(peer) }
        let context = try OpenSSL.check(EVP_PKEY_CTX_new_from_pkey(nil, handle, nil), "agree on a secret")
        defer { EVP_PKEY_CTX_free(context) }
        return try SymmetricKey("agree on a secret") { secret in
            var count = SymmetricKey.length
            guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer) == 1 else { return 0 }
            return EVP_PKEY_derive(context, secret, &count)
        }
    }
}

/// Ed25519 (RFC 8032).
public enum Ed25519 {
    /// Bytes in a signature.
    public static let signatureLength = 64

    /// A private key, which signs.
    // @unchecked Sendable: as X25519KeyPair.
    public final class SigningKey: @unchecked Sendable {
        /// The public key, 32 bytes.
        public let publicKey: [UInt8]
        let handle: OpaquePointer

        /// The key of a seed, the 32 bytes that RFC 8032 calls the private key.
        public init(seed: SymmetricKey) throws(VaultError) {
            (handle, publicKey) = try EdwardsKey.pair("ED25519", seed)
        }

        deinit { EVP_PKEY_free(handle) }

        /// The signature, 64 bytes; the same message always gets the same.
        public func sign(_ message: [UInt8]) throws(VaultError) -> [UInt8] {
            let context = try OpenSSL.check(EVP_MD_CTX_new(), "sign")
            defer { EVP_MD_CTX_free(context) }
            try OpenSSL.check(EVP_DigestSignInit_ex(context, nil, nil, nil, nil, handle, nil), "sign")
            var signature = [UInt8](repeating: 0, count: signatureLength)
            var count = signature.count
            try OpenSSL.check(EVP_DigestSign(context, &signature, &count, message, message.count), "sign")
            return signature
        }
    }

    /// A public key, which verifies.
    // @unchecked Sendable: as X25519KeyPair.
    public final class VerifyingKey: @unchecked Sendable {
        /// The public key, 32 bytes.
        public let publicKey: [UInt8]
        private let handle: OpaquePointer

        /// The key of 32 bytes.
        public init(_ publicKey: [UInt8]) throws(VaultError) {
            try OpenSSL.require(32, of: publicKey, "read an Ed25519 public key", "public key")
            handle = try OpenSSL.check(
                EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, publicKey, 32), "read an Ed25519 public key")
            self.publicKey = publicKey
        }

        deinit { EVP_PKEY_free(handle) }

        /// Throws `.notAuthentic` unless `signature` is this key's signature of `message`.
        public func verify(_ signature: [UInt8], of message: [UInt8]) throws(VaultError) {
            let context = try OpenSSL.check(EVP_MD_CTX_new(), "verify a signature")
            defer { EVP_MD_CTX_free(context) }
            try OpenSSL.check(EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, handle, nil), "verify a signature")
            guard EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1 else {
                ERR_clear_error()
                throw VaultError("verify a signature", .notAuthentic, said: "the signature does not match")
            }
        }
    }
}

/// What X25519 and Ed25519 keys have in common in OpenSSL.
private enum EdwardsKey {
    /// A handle that the caller owns, and the public key.
    static func pair(_ algorithm: String, _ secret: SymmetricKey) throws(VaultError) -> (OpaquePointer, [UInt8]) {
        let handle = try OpenSSL.check(
            secret.lend { EVP_PKEY_new_raw_private_key_ex(nil, algorithm, nil, $0, SymmetricKey.length) },
            "read an \(algorithm) private key")
        var publicKey = [UInt8](repeating: 0, count: 32)
        var count = publicKey.count
        guard EVP_PKEY_get_raw_public_key(handle, &publicKey, &count) == 1, count == 32 else {
            EVP_PKEY_free(handle)
            throw OpenSSL.failure("read an \(algorithm) public key")
        }
        return (handle, publicKey)
    }
}
