import COpenSSL
public import Files

/// AES-128-GCM (NIST SP 800-38D), which standards of the web ask for (RFC 8188). What is ours is sealed with AES-256-GCM.
public enum AES128GCM {
    /// Bytes in a key, in a nonce, and in the tag at the end.
    public static let (keyLength, nonceLength, tagLength) = (16, 12, 16)

    /// A message sealed under a key that seals nothing else with this nonce, and its tag. There is no additional data.
    public static func sealed(_ message: [UInt8], key: [UInt8], nonce: [UInt8]) throws(VaultError) -> [UInt8] {
        let attempted = "seal with AES-128-GCM"
        try OpenSSL.require(keyLength, of: key, attempted, "key")
        try OpenSSL.require(nonceLength, of: nonce, attempted, "nonce")
        guard let count = Int32(exactly: message.count), !message.isEmpty else {
            throw VaultError(attempted, .malformed, said: "a message of \(message.count) bytes")
        }
        let context = try OpenSSL.check(EVP_CIPHER_CTX_new(), attempted)
        defer { EVP_CIPHER_CTX_free(context) }
        try OpenSSL.check(EVP_CipherInit_ex2(context, OpenSSL.aes128GCM, key, nonce, 1, nil), attempted)
        var sealed = [UInt8](repeating: 0, count: message.count + tagLength)
        var written: Int32 = 0
        try OpenSSL.check(EVP_CipherUpdate(context, &sealed, &written, message, count), attempted)
        var nothing: UInt8 = 0
        var rest: Int32 = 0
        try OpenSSL.check(EVP_CipherFinal_ex(context, &nothing, &rest), attempted)
        let code = sealed.withUnsafeMutableBufferPointer { bytes in
            EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), bytes.baseAddress.map { $0 + message.count })
        }
        try OpenSSL.check(code, attempted)
        return sealed
    }
}
