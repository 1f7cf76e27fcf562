import COpenSSL
public import Files

/// The signatures of JSON Web Signature (RFC 7518, 3.1; RFC 8037) that are verified here: those of public keys. "none"
/// and the HMACs are not among the cases, so no token can ask for them.
public enum JWSAlgorithm: String, CaseIterable, Hashable, Sendable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    /// Ed25519 only.
    case edDSA = "EdDSA"

    /// OpenSSL's name of the digest; EdDSA has its own inside.
    fileprivate var digest: String? {
        switch self {
        case .rs256, .ps256, .es256: "SHA256"
        case .rs384, .ps384, .es384: "SHA384"
        case .rs512, .ps512, .es512: "SHA512"
        case .edDSA: nil
        }
    }

    fileprivate var isPSS: Bool { self == .ps256 || self == .ps384 || self == .ps512 }
}

/// A public key of a JSON Web Key (RFC 7517), which verifies.
// @unchecked Sendable: the handle is set once; OpenSSL lets any number of threads read one EVP_PKEY
// (openssl-threads(7)), and every operation here makes its own context.
public final class JWSKey: @unchecked Sendable {
    /// What a JSON Web Key says, its base64url decoded.
    public enum Parameters: Hashable, Sendable {
        /// `kty` RSA: `n` and `e`, big-endian.
        case rsa(modulus: [UInt8], exponent: [UInt8])
        /// `kty` EC: `x` and `y`, each as long as the curve's field.
        case ellipticCurve(Curve, x: [UInt8], y: [UInt8])
        /// `kty` OKP, `crv` Ed25519: `x`, 32 bytes.
        case ed25519([UInt8])
    }

    /// A curve as `crv` and OpenSSL name it. Each signs with one algorithm.
    public enum Curve: String, CaseIterable, Hashable, Sendable {
        case p256 = "P-256"
        case p384 = "P-384"
        case p521 = "P-521"

        /// Bytes in a coordinate, and in each half of a signature.
        var length: Int {
            switch self {
            case .p256: 32
            case .p384: 48
            case .p521: 66
            }
        }

        fileprivate var algorithm: JWSAlgorithm {
            switch self {
            case .p256: .es256
            case .p384: .es384
            case .p521: .es512
            }
        }
    }

    /// RFC 7518, 3.3: "a key of size 2048 bits or larger MUST be used". The upper limit bounds the work that a token
    /// causes.
    static let modulusBits: ClosedRange<Int32> = 2048...8192

    private let handle: OpaquePointer
    private let curve: Curve?
    private let algorithms: Set<JWSAlgorithm>

    /// The key of these parameters.
    /// - Throws: `.malformed` if they are no key: a short or even modulus, an exponent below 3, a point that is not
    ///   on the curve.
    public init(_ parameters: Parameters) throws(VaultError) {
        switch parameters {
        case .rsa(let modulus, let exponent):
            handle = try Self.rsa(modulus, exponent)
            curve = nil
            algorithms = [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        case .ellipticCurve(let curve, let x, let y):
            try OpenSSL.require(curve.length, of: x, Self.reading, "x")
            try OpenSSL.require(curve.length, of: y, Self.reading, "y")
            handle = try Self.point(curve, [4] + x + y)
            self.curve = curve
            algorithms = [curve.algorithm]
        case .ed25519(let x):
            try OpenSSL.require(32, of: x, Self.reading, "x")
            handle = try Self.readable(EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, x, x.count))
            curve = nil
            algorithms = [.edDSA]
        }
    }

    deinit { EVP_PKEY_free(handle) }

    /// Whether this kind of key, on this curve, signs by `algorithm`.
    public func fits(_ algorithm: JWSAlgorithm) -> Bool { algorithms.contains(algorithm) }

    /// Throws `.notAuthentic` unless `signature`, as a JWS carries it, is this key's signature of `message` by
    /// `algorithm`, and `.misuse` if the key does not fit that.
    public func verify(
        _ signature: [UInt8], of message: [UInt8], by algorithm: JWSAlgorithm
    ) throws(VaultError) {
        let attempted = "verify a signature"
        guard fits(algorithm) else {
            throw VaultError(attempted, .misuse, said: "\(algorithm.rawValue) needs a key of another kind")
        }
        let context = try OpenSSL.check(EVP_MD_CTX_new(), attempted)
        defer { EVP_MD_CTX_free(context) }
        var settings: OpaquePointer?
        try OpenSSL.check(
            EVP_DigestVerifyInit_ex(context, &settings, algorithm.digest, nil, nil, handle, nil), attempted)
        if algorithm.isPSS {
            try OpenSSL.check(EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING), attempted)
            // RFC 7518, 3.5: the salt is as long as the digest; MGF1 uses the same digest, which is OpenSSL's default.
            try OpenSSL.check(EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST), attempted)
        }
        let readable = try curve.map { curve throws(VaultError) in try Self.der(signature, curve) } ?? signature
        guard EVP_DigestVerify(context, readable, readable.count, message, message.count) == 1 else {
            ERR_clear_error()
            throw VaultError(attempted, .notAuthentic, said: "the signature does not match")
        }
    }

    // MARK: Reading keys

    private static let reading = "read a public key"

    private static func rsa(_ modulus: [UInt8], _ exponent: [UInt8]) throws(VaultError) -> OpaquePointer {
        let n = try number(modulus)
        defer { BN_free(n) }
        let e = try number(exponent)
        defer { BN_free(e) }
        guard modulusBits.contains(BN_num_bits(n)), BN_is_odd(n) == 1 else {
            throw VaultError(
                reading, .malformed,
                said: "the modulus has \(BN_num_bits(n)) bits: an odd one of \(modulusBits) is needed")
        }
        // A signature with exponent 1 is the padded digest itself, which anybody can write.
        guard BN_is_odd(e) == 1, BN_is_one(e) == 0, BN_num_bits(e) <= 64 else {
            throw VaultError(reading, .malformed, said: "the exponent is not odd, not above 2, or longer than 64 bits")
        }
        let numbers = [native(n), native(e)]
        let key = numbers[0].withUnsafeBufferPointer { n in
            numbers[1].withUnsafeBufferPointer { e in
                imported(
                    "RSA",
                    [
                        OpenSSL.parameter("n", n.baseAddress, n.count, UInt32(OSSL_PARAM_UNSIGNED_INTEGER)),
                        OpenSSL.parameter("e", e.baseAddress, e.count, UInt32(OSSL_PARAM_UNSIGNED_INTEGER)),
                    ])
            }
        }
        return try readable(key)
    }

    /// A point that OpenSSL has found on the curve, and not at infinity.
    static func point(_ curve: Curve, _ point: [UInt8]) throws(VaultError) -> OpaquePointer {
        let made = imported(curve, point)
        let key = try readable(made)
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else {
            EVP_PKEY_free(key)
            throw OpenSSL.failure(reading)
        }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_public_check(context) == 1 else {
            EVP_PKEY_free(key)
            throw OpenSSL.failure(reading, .malformed)
        }
        return key
    }

    /// A key on a curve; nil if OpenSSL cannot make one of the point and the other parameters.
    static func imported(
        _ curve: Curve, _ point: [UInt8], _ others: [OSSL_PARAM] = [], _ more: Int32 = 0
    ) -> OpaquePointer? {
        // OpenSSL reads up to a zero byte, whatever the length says (crypto/ec/ec_lib.c, EC_GROUP_new_from_params).
        let group = Array(curve.rawValue.utf8) + [0]
        return group.withUnsafeBufferPointer { group in
            point.withUnsafeBufferPointer { point in
                imported(
                    "EC",
                    [
                        OpenSSL.parameter("group", group.baseAddress, group.count - 1, UInt32(OSSL_PARAM_UTF8_STRING)),
                        OpenSSL.parameter("pub", point.baseAddress, point.count),
                    ] + others, more)
            }
        }
    }

    /// A key; nil if OpenSSL cannot make one of the parameters.
    /// - Parameter more: which of them there are besides those of a public key.
    private static func imported(_ type: String, _ parameters: [OSSL_PARAM], _ more: Int32 = 0) -> OpaquePointer? {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, type, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var parameters = parameters + [OSSL_PARAM_construct_end()]
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1 else { return nil }
        return EVP_PKEY_fromdata(context, &key, selection | more, &parameters) == 1 ? key : nil
    }

    /// EVP_PKEY_PUBLIC_KEY, a macro that Swift does not import: the parameters and the public key.
    private static let selection =
        OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS | OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS
        | OSSL_KEYMGMT_SELECT_PUBLIC_KEY

    private static func readable(_ handle: OpaquePointer?) throws(VaultError) -> OpaquePointer {
        guard let handle else { throw OpenSSL.failure(reading, .malformed) }
        return handle
    }

    /// A number as OSSL_PARAM needs it, in the machine's own order of bytes.
    private static func native(_ number: OpaquePointer) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (Int(BN_num_bits(number)) + 7) / 8)
        BN_bn2nativepad(number, &bytes, Int32(bytes.count))
        return bytes
    }

    /// A number that the caller frees.
    private static func number(_ bytes: [UInt8]) throws(VaultError) -> OpaquePointer {
        guard bytes.count <= 1 + Int(modulusBits.upperBound) / 8 else {
            throw VaultError(reading, .malformed, said: "a number of \(bytes.count) bytes")
        }
        return try OpenSSL.check(BN_bin2bn(bytes, Int32(bytes.count), nil), reading)
    }

    /// The signature in the form that OpenSSL verifies, from RFC 7518's, 3.4: r and s, each as long as the curve's
    /// field.
    private static func der(_ signature: [UInt8], _ curve: Curve) throws(VaultError) -> [UInt8] {
        let attempted = "verify a signature"
        guard signature.count == 2 * curve.length else {
            throw VaultError(
                attempted, .notAuthentic,
                said: "\(signature.count) bytes: a signature on \(curve.rawValue) has \(2 * curve.length)")
        }
        let parts = try OpenSSL.check(ECDSA_SIG_new(), attempted)
        defer { ECDSA_SIG_free(parts) }
        let r = try number(Array(signature.prefix(curve.length)))
        let s: OpaquePointer
        do throws(VaultError) { s = try number(Array(signature.suffix(curve.length))) } catch {
            BN_free(r)
            throw error
        }
        guard ECDSA_SIG_set0(parts, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            throw OpenSSL.failure(attempted)
        }
        var der: UnsafeMutablePointer<UInt8>?
        let count = i2d_ECDSA_SIG(parts, &der)
        guard count > 0, let der else { throw OpenSSL.failure(attempted) }
        defer { CRYPTO_free(der, #file, #line) }
        return Array(UnsafeBufferPointer(start: der, count: Int(count)))
    }
}
