import CSodium
import Telemetry

// The sealed form: Base64 of a nonce of 24 bytes and of what libsodium's crypto_secretbox_easy makes of the plain JSON
// (XSalsa20 and Poly1305; libsodium's documentation, Secret-key authenticated encryption). The key is the secret,
// padded with zeros to 32 bytes. The nonce is drawn at random for each message; with 24 bytes, no two are ever the
// same.
//
// What is not sealed even where a secret is set: the app's will, which the broker sends. And a message that somebody
// keeps and sends again opens like the first time: its time says which of the two is the later.

/// The secret that a person's phone and its reader share: 1 to 32 bytes of text, `encryptionKey` in the app's
/// configuration. It is overwritten in memory when the last reference goes, and nothing prints it.
// @unchecked Sendable: the bytes are written in `init` only, before anybody else has the reference, and in `deinit`,
// after everybody has released it; in between they are only read.
public final class PhoneSecret: @unchecked Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The most bytes that the text of a secret has.
    public static let maximumLength = crypto_secretbox_keybytes()

    static let nonceLength = crypto_secretbox_noncebytes()
    static let tagLength = crypto_secretbox_macbytes()

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    // libsodium must be initialised once before it is used, by any thread (libsodium's documentation, Usage); Swift
    // does that once for a static constant. 1 says that it was done before.
    private static let isReady = sodium_init() >= 0

    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumLength, alignment: 16)

    /// The secret of a text of 1 to 32 bytes, without a zero byte.
    /// - Throws: `.outOfRange` where the text is anything else.
    public init(_ text: String) throws(OwnTracksError) {
        let attempted = "take a secret"
        guard Self.isReady else { throw OwnTracksError(attempted, .failed, "libsodium cannot be initialised") }
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        let bytes = Array(text.utf8)
        guard (1...Self.maximumLength).contains(bytes.count), !bytes.contains(0) else {
            let allowed = "has not 1 to \(Self.maximumLength) bytes, none of them zero"
            throw OwnTracksError(attempted, .outOfRange, field: "encryptionKey", allowed)
        }
        memory.copyBytes(from: bytes)
    }

    deinit {
        sodium_memzero(memory.baseAddress, memory.count)
        memory.deallocate()
    }

    /// A secret drawn at random: 32 letters and digits, 190 bits.
    public static func random() throws(OwnTracksError) -> PhoneSecret {
        guard isReady else { throw OwnTracksError("draw a secret", .failed, "libsodium cannot be initialised") }
        let letters = (0..<maximumLength).map { _ in alphabet[Int(randombytes_uniform(UInt32(alphabet.count)))] }
        return try PhoneSecret(String(decoding: letters, as: UTF8.self))
    }

    /// A copy of the text, for the app's configuration or to be kept sealed. The copy is not overwritten by itself.
    public var text: String { String(decoding: memory.prefix { $0 != 0 }, as: UTF8.self) }

    /// `a secret`, and nothing else.
    public var description: String { "a secret" }
    /// `a secret`, and nothing else.
    public var debugDescription: String { description }

    /// A message of the app, such as `PhoneLocation.bytes`, as `{"_type":"encrypted","data":…}`.
    public func seal(_ message: [UInt8]) throws(OwnTracksError) -> [UInt8] {
        var nonce = [UInt8](repeating: 0, count: Self.nonceLength)
        randombytes_buf(&nonce, nonce.count)
        var box = [UInt8](repeating: 0, count: message.count + Self.tagLength)
        let code = lend { crypto_secretbox_easy(&box, message, UInt64(message.count), nonce, $0) }
        guard code == 0 else { throw OwnTracksError("seal a message", .failed, "libsodium gave no reason") }
        return SealedReport(nonceAndBox: nonce + box).bytes
    }

    /// What `seal` has sealed.
    func open(_ sealed: SealedReport) throws(OwnTracksError) -> [UInt8] {
        let nonce = Array(sealed.nonceAndBox.prefix(Self.nonceLength))
        let box = Array(sealed.nonceAndBox.dropFirst(Self.nonceLength))
        // `SealedReport` never has less than a nonce and a tag.
        var message = [UInt8](repeating: 0, count: box.count - Self.tagLength)
        let code = lend { crypto_secretbox_open_easy(&message, box, UInt64(box.count), nonce, $0) }
        guard code == 0 else {
            throw OwnTracksError(
                "open a message", .notOpened, "it was sealed with another secret, or changed on the way")
        }
        return message
    }

    /// Lends the key to C; the pointer must not outlive the call. What is returned is libsodium's code.
    private func lend(_ body: (UnsafePointer<UInt8>) -> Int32) -> Int32 {
        // `allocate` with a count above zero always has a base.
        memory.withMemoryRebound(to: UInt8.self) { bytes in bytes.baseAddress.map { body($0) } ?? -1 }
    }
}

/// Base64 with padding (RFC 4648, 4), as libsodium reads and writes it: in a time that does not depend on what it
/// spells.
enum Base64 {
    /// Nil where the text is anything else: white space, another alphabet, no padding, bits that nobody needs.
    static func bytes(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8).map { CChar(bitPattern: $0) }
        var count = 0
        var bytes = [UInt8](repeating: 0, count: characters.count / 4 * 3)
        let code = sodium_base642bin(
            &bytes, bytes.count, characters, characters.count, nil, &count, nil, sodium_base64_VARIANT_ORIGINAL)
        guard code == 0 else { return nil }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    static func text(_ bytes: [UInt8]) -> String {
        let room = sodium_base64_encoded_len(bytes.count, sodium_base64_VARIANT_ORIGINAL)
        var characters = [CChar](repeating: 0, count: room)
        sodium_bin2base64(&characters, room, bytes, bytes.count, sodium_base64_VARIANT_ORIGINAL)
        // The last one is C's zero.
        return String(decoding: characters.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
