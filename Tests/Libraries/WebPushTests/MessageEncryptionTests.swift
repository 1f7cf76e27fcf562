import Foundation
import TestSupport
import Testing
import Vault

@testable import WebPush

/// What base64url without padding spells, or no bytes.
private func decoded(_ text: String) -> [UInt8] { Base64URL.bytes(Array(text.utf8)) ?? [] }

@Suite("Messages that are encrypted for a browser")
struct MessageEncryptionTests {
    /// RFC 8291, appendix A.
    private static let endpoint = "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV"
    private static let p256dh =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let auth = "BTBZMqHH6r4Tts7J_aSIgg"

    @Test("are byte for byte what RFC 8291 has in its appendix A")
    func published() throws {
        let subscription = try PushSubscription(endpoint: Self.endpoint, p256dh: Self.p256dh, auth: Self.auth)
        let pair = try P256KeyPair(privateKey: SymmetricKey(decoded("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")))
        let own = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
        #expect(Base64URL.text(pair.publicKey) == own)
        let body = try MessageEncryption.body(
            Array("When I grow up, I want to be a watermelon".utf8), zeros: 0, for: subscription, pair: pair,
            salt: decoded("DGv6ra1nlYgDCS1FRnbzlw"))
        let expected = """
            DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_y\
            l95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN
            """
        #expect(Base64URL.text(body) == expected)
    }

    @Test("have one of a few lengths, are never the same twice, and are no longer than a push service has to take")
    func lengths() throws {
        let subscription = try PushSubscription(endpoint: Self.endpoint, p256dh: Self.p256dh, auth: Self.auth)
        func body(_ count: Int) throws -> [UInt8] {
            try MessageEncryption.body([UInt8](repeating: 0x61, count: count), for: subscription)
        }
        let overhead = 86 + AES128GCM.tagLength
        for (count, filled) in [(0, 512), (1, 512), (511, 512), (512, 1024), (MessageEncryption.longest, 3584)] {
            #expect(try body(count).count == overhead + filled, "\(count)")
        }
        #expect(overhead + 3584 <= 4096)
        #expect(thrown(VaultError.self) { try body(MessageEncryption.longest + 1) }?.reason == .malformed)
        #expect(try body(10) != body(10))
    }

    @Test("are taken for whole subscriptions only")
    func subscriptions() throws {
        let whole = try PushSubscription(endpoint: Self.endpoint, p256dh: Self.p256dh, auth: Self.auth)
        #expect(whole.text == "\(Self.auth).\(Self.p256dh).\(Self.endpoint)")
        #expect(try PushSubscription(whole.text[...]) == whole)
        func refusal(_ endpoint: String, _ p256dh: String, _ auth: String) -> PushSubscription.Refusal? {
            thrown(PushSubscription.Refusal.self) {
                try PushSubscription(endpoint: endpoint, p256dh: p256dh, auth: auth)
            }
        }
        for endpoint in [
            "", "push.example.net", "http://push.example.net/", "ftp://a.org/", "https://a:b@c.org/",
            "https://a.org/ b",
        ] {
            let refused = refusal(endpoint, Self.p256dh, Self.auth)
            guard case .endpoint(let words)? = refused else {
                Issue.record("\(endpoint) is taken: \(refused as Any)")
                continue
            }
            #expect(endpoint.isEmpty || !words.contains(endpoint))
        }
        // The point at infinity, one that is not on the curve, a compressed one, and another length.
        let last = Self.p256dh.dropLast(2)
        let points: [String] = ["", "AA", "AAAA", "\(last)jA", "\(Self.p256dh)AA", "\(Self.p256dh)=", "BA", "\u{0}"]
        for point in points { #expect(refusal(Self.endpoint, point, Self.auth) == .publicKey, "\(point)") }
        var hybrid = decoded(Self.p256dh)
        hybrid[0] = 6
        #expect(refusal(Self.endpoint, Base64URL.text(hybrid), Self.auth) == .publicKey)
        for secret in ["", "AA", "\(Self.auth)AA", "+\(Self.auth.dropFirst())"] {
            #expect(refusal(Self.endpoint, Self.p256dh, secret) == .secret, "\(secret)")
        }
        for text in ["", "..", ".", whole.text.replacingOccurrences(of: ".", with: ":")] {
            #expect(thrown(PushSubscription.Refusal.self) { try PushSubscription(text[...]) } != nil, "\(text)")
        }
    }
}
