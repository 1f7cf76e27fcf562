import Vault

// A message is encrypted for one browser (RFC 8291) and written as `aes128gcm` (RFC 8188), in one record:
//
//     salt 16 | record size 4 | 65 | our public key 65 | AES-128-GCM of (message | 2 | zeros)
//
// The key pair on our side and the salt are drawn for each message. The push service sees how long a message is, and nothing else: so
// it is filled up with zeros to a whole number of portions, of which nearly all messages need one.

enum MessageEncryption {
    /// All that a push service has to take, in bytes (RFC 8030, 7.2).
    private static let largestBody = 4096
    /// Messages are filled up to a multiple of so many bytes, with the byte that ends them.
    static let portion = 512
    private static let saltLength = 16
    /// No message is longer, in bytes.
    static let longest = (largestBody - header - AES128GCM.tagLength) / portion * portion - 1

    private static let header = saltLength + 4 + 1 + P256KeyPair.publicKeyLength

    /// The body that carries a message to a browser.
    static func body(_ message: [UInt8], for subscription: PushSubscription) throws(VaultError) -> [UInt8] {
        guard message.count <= longest else {
            throw VaultError("encrypt a message", .malformed, said: "\(message.count) bytes: \(longest) are allowed")
        }
        let zeros = portion - 1 - message.count % portion
        return try body(
            message, zeros: zeros, for: subscription, pair: .random(), salt: RandomBytes.draw(saltLength))
    }

    /// The same with everything that is drawn otherwise.
    static func body(
        _ message: [UInt8], zeros: Int, for subscription: PushSubscription, pair: P256KeyPair, salt: [UInt8]
    ) throws(VaultError) -> [UInt8] {
        let shared = try pair.sharedSecret(with: subscription.publicKey)
        let info = Array("WebPush: info".utf8) + [0] + subscription.publicKey + pair.publicKey
        let input = try HKDF.sha256(from: shared.bytes, salt: subscription.secret, info: info, count: 32)
        func derived(_ purpose: String, _ count: Int) throws(VaultError) -> [UInt8] {
            try HKDF.sha256(
                from: input, salt: salt, info: Array("Content-Encoding: \(purpose)".utf8) + [0], count: count)
        }
        let sealed = try AES128GCM.sealed(
            message + [2] + [UInt8](repeating: 0, count: zeros), key: derived("aes128gcm", AES128GCM.keyLength),
            nonce: derived("nonce", AES128GCM.nonceLength))
        let size = UInt32(largestBody)
        return salt + withUnsafeBytes(of: size.bigEndian) { Array($0) } + [UInt8(pair.publicKey.count)]
            + pair.publicKey + sealed
    }
}
