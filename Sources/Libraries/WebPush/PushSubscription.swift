public import Fetch
import Vault

/// Where a browser takes messages, as it says itself (Push API, `PushSubscription.toJSON`): an address at the push service of its
/// maker, and the keys that messages are encrypted for. Who knows all three can write to that browser.
public struct PushSubscription: Hashable, Sendable {
    /// Where messages are posted (RFC 8030, 5).
    public let endpoint: WebAddress
    /// `p256dh`: the browser's public key, a point on P-256 as 65 bytes.
    let publicKey: [UInt8]
    /// `auth`: 16 bytes that only the browser and we know.
    let secret: [UInt8]

    /// Why something is no subscription.
    public enum Refusal: Error, Hashable, Sendable {
        /// It is not an https address, as the words say.
        case endpoint(String)
        /// It is not a point on P-256 as 65 bytes in base64url.
        case publicKey
        /// It is not 16 bytes in base64url.
        case secret
    }

    private static let secretLength = 16

    /// A subscription from its parts.
    /// - Parameters:
    ///   - p256dh: base64url without padding, as browsers write it.
    ///   - auth: the same.
    public init(endpoint: String, p256dh: String, auth: String) throws(Refusal) {
        do throws(FetchError) { self.endpoint = try WebAddress(endpoint) } catch {
            // Never the address itself, with which others could write there.
            throw .endpoint(error.said)
        }
        guard let publicKey = Base64URL.bytes(Array(p256dh.utf8)) else { throw .publicKey }
        do throws(VaultError) { try P256KeyPair.check(publicKey: publicKey) } catch { throw .publicKey }
        guard let secret = Base64URL.bytes(Array(auth.utf8)), secret.count == Self.secretLength else { throw .secret }
        (self.publicKey, self.secret) = (publicKey, secret)
    }

    /// Both keys and the endpoint as one text, which holds all of its secrets: `auth.p256dh.https://…`.
    public var text: String { "\(Base64URL.text(secret)).\(Base64URL.text(publicKey)).\(endpoint.text)" }

    /// The subscription that a text of `text` says.
    public init(_ text: Substring) throws(Refusal) {
        let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { throw .endpoint("this is no subscription") }
        try self.init(endpoint: parts[2], p256dh: parts[1], auth: parts[0])
    }
}
