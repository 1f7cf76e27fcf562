import Fetch
import Foundation
import Telemetry
import TestSupport
import Testing
import Vault

@testable import WebPush

@Suite("Messages that are posted to a push service", .timeLimit(.minutes(60)))
struct PushSenderTests {
    private let service: PushService
    private let sender: PushSender
    private let key: String

    init() throws {
        service = try PushService()
        let pair = try P256KeyPair.random()
        key = PushSender.publicText(of: pair)
        sender = PushSender(key: pair, contact: "mailto:ada@example.org") { Int64(Date().timeIntervalSince1970 * 1000) }
    }

    private func subscription(to key: String? = nil) throws -> PushSubscription {
        let made = try service.subscription(to: key ?? self.key)
        return try PushSubscription(endpoint: made.endpoint, p256dh: made.p256dh, auth: made.auth)
    }

    private func post(_ text: String, to subscription: PushSubscription, _ urgency: PushSender.Urgency = .normal) throws
        -> PushSender.Answer
    {
        let limits = Fetcher.Limits(length: 4096, duration: .seconds(2))
        return try sender.post(
            Array(text.utf8), to: subscription, lifetime: 86_400, urgency: urgency, with: Fetcher(limits))
    }

    @Test("are what the browser decrypts, signed for that service, whatever their length")
    func posted() throws {
        let (browser, other) = (try subscription(), try subscription())
        let texts = ["Grüße 😀", "", String(repeating: "x", count: PushSender.longestMessage)]
        for text in texts { #expect(try post(text, to: browser) == .taken) }
        #expect(try post("alert", to: other, .high) == .taken)
        let messages = try service.wait(for: 4)
        #expect(messages.map(\.message) == texts + ["alert"])
        #expect(messages.allSatisfy { $0.wrong == nil && $0.ttl == "86400" && $0.encoding == "aes128gcm" })
        #expect(messages.map(\.urgency) == ["normal", "normal", "normal", "high"])
        #expect(messages[0].contact == "mailto:ada@example.org" && messages[0].path != messages[3].path)
    }

    @Test("are nothing for a browser that has subscribed to somebody else, or with other keys")
    func forged() throws {
        let stranger = try subscription(to: PushSender.publicText(of: .random()))
        _ = try post("a", to: stranger)
        let (mine, other) = (try service.subscription(to: key), try service.subscription(to: key))
        _ = try post(
            "b", to: PushSubscription(endpoint: mine.endpoint, p256dh: other.p256dh, auth: mine.auth))
        _ = try post(
            "c", to: PushSubscription(endpoint: mine.endpoint, p256dh: mine.p256dh, auth: other.auth))
        #expect(try service.wait(for: 3).allSatisfy { $0.wrong != nil && $0.message == nil })
    }

    @Test(
        "say what became of them",
        arguments: [(200, PushSender.Answer.taken), (202, .taken), (404, .gone), (410, .gone), (403, .refused(403))])
    func answers(status: Int, answer: PushSender.Answer) throws {
        try service.answers("status \(status)")
        #expect(try post("text", to: subscription()) == answer)
    }

    @Test("follow nobody, and wait for no answer longer than they may, nor for a long one")
    func hostile() throws {
        let inner = try PushService()
        try service.answers("redirect http://\(inner.place)/")
        #expect(try post("text", to: subscription()) == .refused(307))
        #expect(inner.messages.isEmpty)
        try service.answers("hang")
        #expect(thrown(FetchError.self) { try post("text", to: subscription()) }?.reason == .timeout)
        try service.answers("endless")
        #expect(thrown(FetchError.self) { try post("text", to: subscription()) }?.reason == .tooLarge)
        let limits = Fetcher.Limits(reach: Reach())
        let reached = thrown(FetchError.self) {
            try sender.post([1], to: subscription(), lifetime: 1, urgency: .normal, with: Fetcher(limits))
        }
        #expect(reached?.reason == .notPublic)
    }

    @Test("are signed as openssl verifies it, for the origin of the endpoint, and not for longer than a day")
    func signed() throws {
        let pair = try P256KeyPair.random()
        let sender = PushSender(key: pair, contact: nil) { 1_700_000_000_999 }
        let header = try sender.authorization(for: WebAddress("https://push.example.net:8443/push/secret?x=1"))
        let parts = header.split(separator: " ").map(String.init)
        #expect(parts.count == 3 && parts[0] == "vapid" && parts[2] == "k=\(PushSender.publicText(of: pair))")
        let token = parts[1].dropFirst(2).dropLast()
        let pieces = token.split(separator: ".").map { Base64URL.bytes(Array($0.utf8)) ?? [] }
        #expect(pieces.count == 3 && pieces[2].count == 64)
        #expect(try JSON(payload: pieces[0]) == ["alg": "ES256", "typ": "JWT"])
        #expect(
            try JSON(payload: pieces[1]) == ["aud": "https://push.example.net:8443", "exp": .integer(1_700_043_200)])
        let folder = try TemporaryFolder()
        try Data(token.prefix { $0 != "." }.utf8 + [UInt8(ascii: ".")] + token.split(separator: ".")[1].utf8)
            .write(to: URL(fileURLWithPath: folder.path("message")))
        // As openssl reads them: the key with what says that it is on P-256, and the signature as a sequence of two numbers.
        let kind: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ]
        try Data(kind + pair.publicKey).write(to: URL(fileURLWithPath: folder.path("key")))
        func number(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            let digits = Array(bytes.drop { $0 == 0 })
            let whole = (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits
            return [0x02, UInt8(whole.count)] + whole
        }
        let numbers = number(pieces[2][..<32]) + number(pieces[2][32...])
        try Data([0x30, UInt8(numbers.count)] + numbers).write(to: URL(fileURLWithPath: folder.path("signature")))
        let openssl = try RunningProgram(
            "openssl",
            [
                "dgst", "-sha256", "-verify", folder.path("key"), "-keyform", "DER", "-signature",
                folder.path("signature"), folder.path("message"),
            ])
        #expect(openssl.exitStatus() == 0 && openssl.text.contains("Verified OK"), "\(openssl.text)")
    }
}
