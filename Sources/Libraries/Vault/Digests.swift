import COpenSSL
public import Files

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The digest, 32 bytes.
    public static func digest(_ message: [UInt8]) throws(VaultError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        try OpenSSL.check(EVP_Digest(message, message.count, &digest, nil, OpenSSL.sha256, nil), "compute SHA-256")
        return digest
    }
}

/// HMAC-SHA256 (RFC 2104): a keyed hash, for lookups and ids that tell nothing to anybody without the key.
public enum HMACSHA256 {
    /// The code, 32 bytes.
    public static func code(for message: [UInt8], key: SymmetricKey) throws(VaultError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        var count = 0
        let mac = key.lend { key in
            EVP_Q_mac(
                nil, "HMAC", nil, "SHA256", nil, key, SymmetricKey.length, message, message.count, &code, code.count,
                &count)
        }
        guard mac != nil, count == code.count else { throw OpenSSL.failure("compute HMAC-SHA256") }
        return code
    }
}

/// HKDF-SHA256 (RFC 5869), extract and expand.
public enum HKDF {
    /// A key of its own for the purpose `info`, from a key and a salt that need not be secret.
    public static func key(from secret: SymmetricKey, salt: [UInt8], info: String) throws(VaultError) -> SymmetricKey {
        try SymmetricKey("derive a key") { output in
            secret.lend {
                derive(
                    from: $0, SymmetricKey.length, salt: salt, info: Array(info.utf8), into: output, SymmetricKey.length
                )
            }
        }
    }

    /// The general form: `count` bytes, at most 255 times 32.
    public static func sha256(from secret: [UInt8], salt: [UInt8], info: [UInt8], count: Int) throws(VaultError)
        -> [UInt8]
    {
        guard (1...255 * 32).contains(count) else {
            throw VaultError("derive bytes", .malformed, said: "\(count) bytes asked for: RFC 5869 allows 1 to 8160")
        }
        var output = [UInt8](repeating: 0, count: count)
        try OpenSSL.check(
            derive(from: secret, secret.count, salt: salt, info: info, into: &output, count), "derive bytes")
        return output
    }

    /// OpenSSL's return code. OSSL_PARAM keeps addresses, of names too, so everything it points to stays lent until
    /// `EVP_KDF_derive` is done; the names are static.
    private static func derive(
        from secret: UnsafePointer<UInt8>?, _ secretCount: Int, salt: [UInt8], info: [UInt8],
        into output: UnsafeMutablePointer<UInt8>, _ count: Int
    ) -> Int32 {
        guard let context = EVP_KDF_CTX_new(OpenSSL.hkdf) else { return 0 }
        defer { EVP_KDF_CTX_free(context) }
        return salt.withUnsafeBufferPointer { salt in
            info.withUnsafeBufferPointer { info in
                let digest: StaticString = "SHA256"
                var parameters = [
                    OpenSSL.parameter(
                        "digest", digest.utf8Start, digest.utf8CodeUnitCount, UInt32(OSSL_PARAM_UTF8_STRING)),
                    OpenSSL.parameter("key", secret, secretCount),
                ]
                // An absent salt is 32 zero bytes (RFC 5869, 2.2), and so is an empty one; but an empty array has no
                // address to give.
                if !salt.isEmpty { parameters.append(OpenSSL.parameter("salt", salt.baseAddress, salt.count)) }
                if !info.isEmpty { parameters.append(OpenSSL.parameter("info", info.baseAddress, info.count)) }
                parameters.append(OSSL_PARAM_construct_end())
                return EVP_KDF_derive(context, output, count, parameters)
            }
        }
    }
}
