public import Fetch
import Telemetry
public import Vault

// Web Push: a message is posted to the push service of the browser's maker (RFC 8030), encrypted for that browser, and signed for that
// service (VAPID, RFC 8292), so that nobody else can write to a browser that has subscribed with our key. The service keeps it until the
// browser is there.

/// Posts messages to browsers. Its calls block.
public struct PushSender: Sendable {
    /// What became of a message.
    public enum Answer: Hashable, Sendable {
        /// The push service has it.
        case taken
        /// The browser has unsubscribed, or its subscription has ended: nothing will be taken there any more.
        case gone
        /// The push service did not take it, with this status.
        case refused(Int)
    }

    /// How a message is to be treated on its way (RFC 8030, 5.3).
    public enum Urgency: String, Sendable {
        /// A phone that saves its battery may get it later.
        case normal
        /// A phone gets it at once.
        case high
    }

    /// No message is longer, in bytes.
    public static let longestMessage = MessageEncryption.longest

    private let key: P256KeyPair
    private let contact: String?
    private let now: @Sendable () -> Int64

    /// A sender.
    /// - Parameters:
    ///   - key: which push services know it by.
    ///   - contact: to whom its operators can write: `mailto:…` or `https:…`; nil for nobody.
    ///   - now: Unix milliseconds.
    public init(key: P256KeyPair, contact: String?, now: @escaping @Sendable () -> Int64) {
        self.key = key
        self.contact = contact
        self.now = now
    }

    /// The key that browsers subscribe with (`applicationServerKey`), in base64url.
    public static func publicText(of key: P256KeyPair) -> String { Base64URL.text(key.publicKey) }

    /// Posts a message. Blocks.
    /// - Parameters:
    ///   - lifetime: how long the push service keeps it, in seconds.
    ///   - fetcher: what limits where it leads, and how long that takes.
    public func post(
        _ message: [UInt8], to subscription: PushSubscription, lifetime: Int, urgency: Urgency, with fetcher: Fetcher
    ) throws -> Answer {
        let endpoint = subscription.endpoint
        let request = WebRequest(
            "POST", endpoint,
            headers: [
                "Authorization: \(try authorization(for: endpoint))", "Content-Encoding: aes128gcm",
                "Content-Type: application/octet-stream", "TTL: \(lifetime)", "Urgency: \(urgency.rawValue)",
            ], body: try MessageEncryption.body(message, for: subscription))
        let status = try fetcher.send(request).status
        return switch status {
        case 200..<300: .taken
        // RFC 8030, 7.3, and what push services say where a subscription is none of theirs.
        case 404, 410: .gone
        default: .refused(status)
        }
    }

    /// How long a token is good, in seconds: RFC 8292, 2, allows a day.
    private static let tokenLifetime: Int64 = 43_200

    /// That the message is from the owner of our key, and for the service at this address (RFC 8292, 3).
    func authorization(for endpoint: WebAddress) throws(VaultError) -> String {
        let claims: JSON = .object(present: [
            "aud": .string(endpoint.origin), "exp": .integer(now() / 1000 + Self.tokenLifetime),
            "sub": contact.map(JSON.string),
        ])
        let header: JSON = ["typ": "JWT", "alg": "ES256"]
        let signed = "\(Base64URL.text(header.bytes)).\(Base64URL.text(claims.bytes))"
        let signature = Base64URL.text(try key.signature(of: Array(signed.utf8)))
        return "vapid t=\(signed).\(signature), k=\(Self.publicText(of: key))"
    }
}
