import COpenSSL
public import Files

/// PBKDF2 with HMAC-SHA512 (RFC 8018, 5.2): the hash that Mosquitto keeps of passwords. For people's passwords use
/// `Scrypt`.
public enum PBKDF2 {
    /// `count` bytes of `password` and `salt`.
    public static func sha512(
        _ password: [UInt8], salt: [UInt8], iterations: Int32, count: Int
    ) throws(VaultError) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: count)
        let characters = password.map(CChar.init(bitPattern:))
        try OpenSSL.check(
            PKCS5_PBKDF2_HMAC(
                characters, Int32(clamping: characters.count), salt, Int32(clamping: salt.count), iterations,
                EVP_sha512(), Int32(clamping: count), &hash), "hash a credential")
        return hash
    }
}
