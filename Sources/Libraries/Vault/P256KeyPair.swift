import COpenSSL
public import Files

/// A key pair on the curve P-256 (FIPS 186-5; RFC 6090), which agrees on secrets (ECDH) and signs (ES256): for what browsers speak.
/// For what is ours, there are X25519 and Ed25519.
// @unchecked Sendable: as X25519KeyPair.
public final class P256KeyPair: @unchecked Sendable {
    /// Bytes in a public key: 4, then x and y.
    public static let publicKeyLength = 65
    /// Bytes in a signature: r and s (RFC 7518, 3.4).
    public static let signatureLength = 64

    /// The public key, 65 bytes.
    public let publicKey: [UInt8]
    private let handle: OpaquePointer

    /// The pair of a private key, a big-endian number.
    /// - Throws: `.malformed` if it is 0, or not below the order of the curve.
    public init(privateKey: SymmetricKey) throws(VaultError) {
        let attempted = "read a P-256 private key"
        let number = try OpenSSL.check(
            privateKey.lend { BN_bin2bn($0, Int32(SymmetricKey.length), nil) }, attempted)
        defer { BN_clear_free(number) }
        publicKey = try Self.point(number, attempted)
        guard let handle = Self.imported(number, publicKey) else { throw OpenSSL.failure(attempted) }
        self.handle = handle
    }

    deinit { EVP_PKEY_free(handle) }

    /// A pair drawn at random.
    public static func random() throws(VaultError) -> P256KeyPair {
        while true {
            // One number of four billion is none of the curve's.
            do throws(VaultError) { return try P256KeyPair(privateKey: .random()) } catch {
                guard error.reason == .malformed else { throw error }
            }
        }
    }

    /// The pair that derives from a secret, for a purpose: always the same.
    public static func derived(from secret: SymmetricKey, for purpose: String) throws(VaultError) -> P256KeyPair {
        var info = purpose
        while true {
            let key = try HKDF.key(from: secret, salt: [], info: info)
            do throws(VaultError) { return try P256KeyPair(privateKey: key) } catch {
                guard error.reason == .malformed else { throw error }
            }
            info += "+"
        }
    }

    /// The secret shared with the owner of a public key, 32 bytes; derive keys from it, do not use it as one.
    /// - Throws: `.malformed` unless the key is 65 bytes that are a point on the curve.
    public func sharedSecret(with publicKey: [UInt8]) throws(VaultError) -> SymmetricKey {
        let attempted = "agree on a secret"
        let peer = try Self.handle(of: publicKey)
        defer { EVP_PKEY_free(peer) }
        let context = try OpenSSL.check(EVP_PKEY_CTX_new_from_pkey(nil, handle, nil), attempted)
        defer { EVP_PKEY_CTX_free(context) }
        return try SymmetricKey(attempted) { secret in
            var count = SymmetricKey.length
            guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer) == 1 else { return 0 }
            return EVP_PKEY_derive(context, secret, &count)
        }
    }

    /// Throws `.malformed` unless the bytes are a public key.
    public static func check(publicKey: [UInt8]) throws(VaultError) { EVP_PKEY_free(try handle(of: publicKey)) }

    /// The signature of a message by ES256, 64 bytes; another one each time.
    public func signature(of message: [UInt8]) throws(VaultError) -> [UInt8] {
        let attempted = "sign"
        let context = try OpenSSL.check(EVP_MD_CTX_new(), attempted)
        defer { EVP_MD_CTX_free(context) }
        try OpenSSL.check(EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, handle, nil), attempted)
        // A sequence of two numbers, each of 33 bytes at most.
        var der = [UInt8](repeating: 0, count: 80)
        var count = der.count
        try OpenSSL.check(EVP_DigestSign(context, &der, &count, message, message.count), attempted)
        let parts = der.withUnsafeBufferPointer { der in
            var start = der.baseAddress
            return d2i_ECDSA_SIG(nil, &start, count)
        }
        let found = try OpenSSL.check(parts, attempted)
        defer { ECDSA_SIG_free(found) }
        var signature = [UInt8](repeating: 0, count: Self.signatureLength)
        let half = Self.signatureLength / 2
        let written = signature.withUnsafeMutableBufferPointer { bytes in
            BN_bn2binpad(ECDSA_SIG_get0_r(found), bytes.baseAddress, Int32(half)) == Int32(half)
                && BN_bn2binpad(ECDSA_SIG_get0_s(found), bytes.baseAddress.map { $0 + half }, Int32(half))
                    == Int32(half)
        }
        guard written else { throw OpenSSL.failure(attempted) }
        return signature
    }

    // MARK: OpenSSL's keys

    private static func handle(of publicKey: [UInt8]) throws(VaultError) -> OpaquePointer {
        let reading = "read a P-256 public key"
        try OpenSSL.require(publicKeyLength, of: publicKey, reading, "public key")
        // 4 says that both coordinates follow; OpenSSL would also take other forms of the same length.
        guard publicKey[0] == 4 else { throw VaultError(reading, .malformed, said: "it does not begin with 4") }
        return try JWSKey.point(.p256, publicKey)
    }

    /// The public key of a private one. OpenSSL 3.0 does not compute it when it reads a key.
    private static func point(_ number: OpaquePointer, _ attempted: String) throws(VaultError) -> [UInt8] {
        let group = try OpenSSL.check(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1), attempted)
        defer { EC_GROUP_free(group) }
        guard BN_is_zero(number) == 0, BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else {
            throw VaultError(attempted, .malformed, said: "it is not a number of the curve")
        }
        let point = try OpenSSL.check(EC_POINT_new(group), attempted)
        defer { EC_POINT_free(point) }
        try OpenSSL.check(EC_POINT_mul(group, point, number, nil, nil, nil), attempted)
        var bytes = [UInt8](repeating: 0, count: publicKeyLength)
        let count = EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil)
        guard count == bytes.count else { throw OpenSSL.failure(attempted) }
        return bytes
    }

    /// The key pair; nil if OpenSSL makes none of it.
    private static func imported(_ number: OpaquePointer, _ publicKey: [UInt8]) -> OpaquePointer? {
        // In the machine's own order of bytes, as OSSL_PARAM needs it.
        var secret = [UInt8](repeating: 0, count: SymmetricKey.length)
        defer { secret.overwrite() }
        guard BN_bn2nativepad(number, &secret, Int32(secret.count)) == Int32(secret.count) else { return nil }
        return secret.withUnsafeBufferPointer { secret in
            JWSKey.imported(
                .p256, publicKey,
                [OpenSSL.parameter("priv", secret.baseAddress, secret.count, UInt32(OSSL_PARAM_UNSIGNED_INTEGER))],
                OSSL_KEYMGMT_SELECT_PRIVATE_KEY)
        }
    }
}
