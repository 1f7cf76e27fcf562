import COpenSSL
public import Files

/// The few things that every use of OpenSSL shares: its return codes, its error queue, and algorithms fetched once.
enum OpenSSL {
    // Fetching looks an algorithm up by name under a lock, which costs more than sealing a block; hence once per
    // process. nonisolated(unsafe): written once by Swift's thread-safe static initialisation; a fetched algorithm is
    // immutable and may be used by any thread (openssl-threads(7)). It lives as long as the process.
    nonisolated(unsafe) static let aes256GCM: OpaquePointer? = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    // nonisolated(unsafe): as above.
    nonisolated(unsafe) static let aes128GCM: OpaquePointer? = EVP_CIPHER_fetch(nil, "AES-128-GCM", nil)
    // nonisolated(unsafe): as above.
    nonisolated(unsafe) static let sha256: OpaquePointer? = EVP_MD_fetch(nil, "SHA256", nil)
    // nonisolated(unsafe): as above.
    nonisolated(unsafe) static let hkdf: OpaquePointer? = EVP_KDF_fetch(nil, "HKDF", nil)

    /// OpenSSL's functions give 1 for success, and 0 or less for failure.
    static func check(_ code: Int32, _ attempted: @autoclosure () -> String) throws(VaultError) {
        guard code == 1 else { throw failure(attempted()) }
    }

    /// The handle, or the reason why there is none.
    static func check(_ handle: OpaquePointer?, _ attempted: @autoclosure () -> String) throws(VaultError)
        -> OpaquePointer
    {
        guard let handle else { throw failure(attempted()) }
        return handle
    }

    /// The thread's error queue as an error; the queue is empty afterwards.
    static func failure(_ attempted: String, _ reason: VaultError.Reason = .crypto) -> VaultError {
        var said: [String] = []
        while true {
            let code = ERR_get_error()
            guard code != 0 else { break }
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(code, &text, text.count)
            said.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        return VaultError(
            attempted, reason, said: said.isEmpty ? "OpenSSL gave no reason" : said.joined(separator: "; "))
    }

    /// A parameter that OpenSSL only reads; the structure says `void *` because it also carries results. It keeps both
    /// addresses. The names are those of core_names.h, spelled out because an imported macro's text does not stay where
    /// it is.
    static func parameter(
        _ name: StaticString, _ bytes: UnsafePointer<UInt8>?, _ count: Int,
        _ type: UInt32 = UInt32(OSSL_PARAM_OCTET_STRING)
    ) -> OSSL_PARAM {
        OSSL_PARAM(
            key: UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self), data_type: type,
            data: UnsafeMutableRawPointer(mutating: bytes), data_size: count, return_size: 0)
    }

    /// Refuses bytes of another length, before they reach C.
    static func require(_ count: Int, of bytes: [UInt8], _ attempted: String, _ what: String) throws(VaultError) {
        guard bytes.count == count else {
            throw VaultError(attempted, .malformed, said: "\(what): \(bytes.count) bytes instead of \(count)")
        }
    }
}

/// Random bytes from OpenSSL's generator, which the kernel seeds.
public enum RandomBytes {
    /// `count` bytes, fit for keys.
    public static func draw(_ count: Int) throws(VaultError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        try OpenSSL.check(RAND_priv_bytes_ex(nil, &bytes, count, 256), "draw random bytes")
        return bytes
    }
}

/// Whether two byte strings are equal, in a time that depends on their lengths only. For codes and tokens that somebody
/// may try to guess.
public func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
