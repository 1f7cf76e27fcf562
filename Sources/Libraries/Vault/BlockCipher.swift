import COpenSSL
public import Files

/// AES-256-GCM under one key, suite 1 of the blocks.
///
/// It holds OpenSSL contexts in which the key schedule is already done, so a block costs its bytes and little else:
/// keep a cipher for as long as its key is in use. It belongs to one thread at a time, which the compiler ensures: it
/// is not `Sendable`.
///
/// A nonce must never be used twice under a key. With `seq` the caller promises that: it uses each number once.
/// `sealWithNonce` draws its nonce at random, good for 2^32 messages under one key.
public final class BlockCipher {
    /// Bytes that sealing adds.
    public static let tagLength = 16
    /// Bytes in a nonce.
    public static let nonceLength = 12

    private let key: SymmetricKey
    // Made when first needed: a consumer only opens, a gateway only seals.
    private var sealing: OpaquePointer?
    private var opening: OpaquePointer?

    /// A cipher under `key`.
    public init(key: SymmetricKey) {
        self.key = key
    }

    deinit {
        EVP_CIPHER_CTX_free(sealing)
        EVP_CIPHER_CTX_free(opening)
    }

    /// Ciphertext and tag of `plaintext`, nonce `seq` as 96-bit big-endian number; `aad` is authenticated only.
    public func seal(_ plaintext: [UInt8], seq: UInt64, aad: [UInt8]) throws(VaultError) -> [UInt8] {
        try seal(plaintext, nonce: Self.nonce(seq), aad: aad)
    }

    /// The plaintext of `sealed`, ciphertext and tag. Throws `.notAuthentic` unless key, `seq`, `aad` and every bit are
    /// those of the sealing.
    public func open(_ sealed: ArraySlice<UInt8>, seq: UInt64, aad: [UInt8]) throws(VaultError) -> [UInt8] {
        try open(sealed, nonce: Self.nonce(seq), aad: aad)
    }

    /// The same for a whole array.
    public func open(_ sealed: [UInt8], seq: UInt64, aad: [UInt8]) throws(VaultError) -> [UInt8] {
        try open(sealed[...], nonce: Self.nonce(seq), aad: aad)
    }

    /// A random nonce (12 bytes), ciphertext and tag of `plaintext`: for rows, which have no numbers of their own.
    public func sealWithNonce(_ plaintext: [UInt8], aad: [UInt8]) throws(VaultError) -> [UInt8] {
        let nonce = try RandomBytes.draw(Self.nonceLength)
        return nonce + (try seal(plaintext, nonce: nonce, aad: aad))
    }

    /// The plaintext of what `sealWithNonce` made. Throws as `open` does.
    public func openWithNonce(_ sealed: [UInt8], aad: [UInt8]) throws(VaultError) -> [UInt8] {
        try open(sealed.dropFirst(Self.nonceLength), nonce: Array(sealed.prefix(Self.nonceLength)), aad: aad)
    }

    /// The number as 96 bits, big-endian.
    static func nonce(_ seq: UInt64) -> [UInt8] {
        var nonce = [UInt8](repeating: 0, count: nonceLength)
        for index in 0..<8 { nonce[nonceLength - 1 - index] = UInt8(truncatingIfNeeded: seq >> (8 * UInt64(index))) }
        return nonce
    }

    func seal(_ plaintext: [UInt8], nonce: [UInt8], aad: [UInt8]) throws(VaultError) -> [UInt8] {
        try OpenSSL.require(Self.nonceLength, of: nonce, "seal", "nonce")
        let context = try context(encrypt: true)
        let count = plaintext.count
        var code: Int32 = 0
        let sealed = plaintext.withUnsafeBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: count + Self.tagLength) { output, written in
                code = aad.withUnsafeBufferPointer {
                    Self.run(context, nonce: nonce, aad: $0, input, output.baseAddress)
                }
                var rest: Int32 = 0
                if code == 1 { code = EVP_CipherFinal_ex(context, output.baseAddress.map { $0 + count }, &rest) }
                if code == 1 {
                    code = EVP_CIPHER_CTX_ctrl(
                        context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), output.baseAddress.map { $0 + count })
                }
                written = code == 1 ? count + Self.tagLength : 0
            }
        }
        try OpenSSL.check(code, "seal")
        return sealed
    }

    /// The plaintext of a block as it is sent: its first `header` bytes are the additional data, and what follows is
    /// ciphertext and tag. Throws as the others do.
    public func open(block: [UInt8], header: Int, seq: UInt64) throws(VaultError) -> [UInt8] {
        guard header >= 0, block.count >= header + Self.tagLength else { throw Self.tooShort(block.count - header) }
        let context = try context(encrypt: false)
        let (code, plaintext) = block.withUnsafeBufferPointer { block in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.nonceLength) { nonce in
                for index in 0..<Self.nonceLength {
                    let shift = 8 * (Self.nonceLength - 1 - index)
                    nonce[index] = shift < 64 ? UInt8(truncatingIfNeeded: seq >> UInt64(shift)) : 0
                }
                return Self.open(
                    context, nonce.baseAddress, aad: UnsafeBufferPointer(rebasing: block[..<header]),
                    UnsafeBufferPointer(rebasing: block[header...]))
            }
        }
        return try Self.checked(code, plaintext)
    }

    func open(_ sealed: ArraySlice<UInt8>, nonce: [UInt8], aad: [UInt8]) throws(VaultError) -> [UInt8] {
        guard sealed.count >= Self.tagLength, nonce.count == Self.nonceLength else { throw Self.tooShort(sealed.count) }
        let context = try context(encrypt: false)
        let (code, plaintext) = sealed.withUnsafeBufferPointer { sealed in
            aad.withUnsafeBufferPointer { Self.open(context, nonce, aad: $0, sealed) }
        }
        return try Self.checked(code, plaintext)
    }

    private static func tooShort(_ count: Int) -> VaultError {
        VaultError("open", .malformed, said: "\(count) bytes: too short for a tag")
    }

    private static func checked(_ code: Int32, _ plaintext: [UInt8]?) throws(VaultError) -> [UInt8] {
        try OpenSSL.check(code, "open")
        guard let plaintext else {
            ERR_clear_error()
            throw VaultError("open", .notAuthentic, said: "the tag does not match")
        }
        return plaintext
    }

    /// OpenSSL's code, and the plaintext of ciphertext and tag; nil if it is not authentic. The caller makes sure
    /// that there are at least as many bytes as in a tag.
    private static func open(
        _ context: OpaquePointer, _ nonce: UnsafePointer<UInt8>?, aad: UnsafeBufferPointer<UInt8>,
        _ sealed: UnsafeBufferPointer<UInt8>
    ) -> (code: Int32, plaintext: [UInt8]?) {
        let count = sealed.count - tagLength
        var code: Int32 = 0
        var isAuthentic = false
        let plaintext = [UInt8](unsafeUninitializedCapacity: count) { output, written in
            code = run(
                context, nonce: nonce, aad: aad, UnsafeBufferPointer(rebasing: sealed[..<count]), output.baseAddress)
            if code == 1 {
                // It only reads the tag, though it does not say so.
                let tag = UnsafeMutablePointer(mutating: sealed.baseAddress.map { $0 + count })
                code = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), tag)
            }
            guard code == 1 else { return }
            var rest: Int32 = 0
            var nothing: UInt8 = 0
            isAuthentic = EVP_CipherFinal_ex(context, &nothing, &rest) == 1
            if isAuthentic {
                written = count
            } else {
                // The output was never authenticated: nobody should find it in freed memory.
                OPENSSL_cleanse(output.baseAddress, count)
            }
        }
        return (code, isAuthentic ? plaintext : nil)
    }

    /// A context with the key set, in which later calls change only the nonce.
    private func context(encrypt: Bool) throws(VaultError) -> OpaquePointer {
        if let context = encrypt ? sealing : opening { return context }
        let context = try OpenSSL.check(EVP_CIPHER_CTX_new(), "make a cipher context")
        let code = key.lend { EVP_CipherInit_ex2(context, OpenSSL.aes256GCM, $0, nil, encrypt ? 1 : 0, nil) }
        guard code == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw OpenSSL.failure("set up AES-256-GCM")
        }
        if encrypt { sealing = context } else { opening = context }
        return context
    }

    /// Nonce, additional data, then the bytes themselves; OpenSSL's code.
    private static func run(
        _ context: OpaquePointer, nonce: UnsafePointer<UInt8>?, aad: UnsafeBufferPointer<UInt8>,
        _ input: UnsafeBufferPointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>?
    ) -> Int32 {
        guard let aadCount = Int32(exactly: aad.count), let count = Int32(exactly: input.count) else { return 0 }
        var written: Int32 = 0
        guard EVP_CipherInit_ex2(context, nil, nil, nonce, -1, nil) == 1 else { return 0 }
        if aadCount > 0 {
            guard EVP_CipherUpdate(context, nil, &written, aad.baseAddress, aadCount) == 1 else { return 0 }
        }
        if count > 0 {
            guard EVP_CipherUpdate(context, output, &written, input.baseAddress, count) == 1, written == count else {
                return 0
            }
        }
        return 1
    }
}

@available(*, unavailable, message: "a cipher belongs to one thread at a time")
extension BlockCipher: Sendable {}
