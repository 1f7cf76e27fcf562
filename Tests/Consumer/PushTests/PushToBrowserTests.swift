import Telemetry
import TestSupport
import Testing
import Vault
import WebPush

@testable import Push

@Suite("What a browser gets")
struct PushToBrowserTests {
    private static func subscription(_ endpoint: String) throws -> PushSubscription {
        try PushSubscription(
            endpoint: endpoint, p256dh: Base64URL.text(P256KeyPair.random().publicKey),
            auth: Base64URL.text([UInt8](repeating: 1, count: 16)))
    }

    @Test("is as long as a push service takes, whatever a text is made of")
    func long() throws {
        let address = try PushAddress(Self.subscription("https://push.example.net/x"), pushSettings())
        let texts: [String] = [
            "short", String(repeating: "ä", count: 5000), String(repeating: "\u{1}", count: 5000),
            "a" + String(repeating: "\u{301}", count: 9000), String(repeating: "😀", count: 900),
        ]
        for text in texts {
            let message = PushMessage(address: address, id: "the-id", text: text, isAlert: true)
            let bytes = PushToBrowser.payload(message)
            let payload = try JSON(payload: bytes)
            #expect(bytes.count <= PushSender.longestMessage)
            #expect(try text.hasPrefix(payload.text("text")) && payload["id"] == "the-id" && payload["alert"] == true)
        }
        let short = PushMessage(address: address, id: "i", text: "short", isAlert: false)
        #expect(try JSON(payload: PushToBrowser.payload(short)).text("text") == "short")
    }

    @Test("is kept as an address that shows the server only, and reads as the same; settings may no longer allow it")
    func kept() throws {
        let subscription = try Self.subscription("https://Push.example.net/secret")
        let address = try PushAddress(subscription, pushSettings())
        #expect(address.masked == "webpush://push.example.net/…" && address.subscription == subscription)
        #expect(try PushAddress(kept: address.text, pushSettings()) == address)
        #expect(try PushAddress(kept: "ntfys://ntfy.sh/topic", pushSettings()).subscription == nil)
        let error = thrown(ReplyError.self) {
            try PushAddress(kept: address.text, pushSettings(#"{ schemes: ["ntfys"] }"#))
        }
        #expect(error?.code == .notSupported)
        let loopback = try Self.subscription("http://127.0.0.1:8080/x")
        let refused = thrown(ReplyError.self) { try PushAddress(loopback, pushSettings()) }
        #expect(refused?.field == "endpoint" && refused?.message.contains("private network") == true)
        #expect(
            try PushAddress(loopback, pushSettings(#"{ private_hosts: ["127.0.0.1"] }"#)).masked
                == "webpush://127.0.0.1/…")
        for text in ["webpush:", "webpush:a.b.c", "webpush://push.example.net/", "webpush:..https://a.org/"] {
            #expect(thrown(ReplyError.self) { try PushAddress(kept: text, pushSettings()) } != nil, "\(text)")
        }
    }
}
