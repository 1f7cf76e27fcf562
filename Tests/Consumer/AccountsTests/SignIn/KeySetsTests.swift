import Records
import Telemetry
import TestSupport
import Testing

@testable import OpenID
@testable import Readings

@Suite("Providers' keys", .timeLimit(.minutes(60)))
struct KeySetsTests {
    private static let minute: UInt64 = 60_000
    private static let day: UInt64 = 24 * 60 * minute

    let reception: Reception
    let tokens: Tokens

    init() throws {
        reception = try Reception()
        tokens = try Tokens(reception.nonces)
        reception.serve(tokens)
    }

    /// What came of showing a good token, whose nonce is made good again.
    private func show(_ token: String? = nil) throws -> Reply.Outcome? {
        try reception.context.store.database.execute("DELETE FROM nonces")
        return reception.show(try token ?? #require(tokens.good["RS256"]))
    }

    @Test("are fetched when they are first needed, which asking for a nonce announces, and then kept for a day")
    func kept() throws {
        #expect(reception.fetches == 0)
        #expect(reception.ask("nonce", ["provider": "mine"])?.data?["nonce"] != nil)
        #expect(reception.fetches == 1)
        for _ in 1...3 {
            #expect(try show()?.data != nil)
            reception.uptime += Self.day / 4
        }
        #expect(reception.fetches == 1)
        reception.uptime += Self.day / 4
        #expect(try show()?.data != nil)
        #expect(reception.fetches == 2)
    }

    @Test("are fetched anew for a key that is not among them, at most every five minutes, whoever asks")
    func rotation() throws {
        #expect(try show()?.data != nil)
        // The provider has changed its keys, and nobody has noticed yet.
        reception.served = { [tokens] _ in tokens.rotated.bytes }
        #expect(try show(tokens.after)?.error == TokenRefusal.unknownKey.reply)
        #expect(reception.fetches == 1)
        reception.uptime += 5 * Self.minute - 1
        #expect(try show(tokens.after)?.error == TokenRefusal.unknownKey.reply)
        #expect(reception.fetches == 1)
        reception.uptime += 1
        #expect(try show(tokens.after)?.data != nil)
        #expect(reception.fetches == 2)
        // What the old key has signed is worth nothing any more.
        #expect(try show()?.error == TokenRefusal.unknownKey.reply)
        // A stream of made-up key names brings one fetch in five minutes.
        for _ in 1...600 {
            _ = reception.show(try #require(tokens.forged["key: unknown"]))
            reception.uptime += 1000
        }
        #expect(reception.fetches <= 4)
    }

    @Test("of before stay where new ones cannot be had, and a dead provider is left in peace")
    func failures() throws {
        #expect(try show()?.data != nil)
        reception.served = { _ in throw TestFailure("the provider is gone") }
        reception.uptime += Self.day
        for _ in 1...100 {
            #expect(try show()?.data != nil)
            reception.uptime += 10 * 1000
        }
        // A thousand seconds: at the beginning, and after each five minutes.
        #expect(reception.fetches == 1 + 4)
        for nonsense in ["", "{}", #"{"keys":[]}"#, #"{"keys":[{"kty":"RSA"}]}"#, #"{"keys":[],"keys":[]}"#, "<html>"] {
            reception.served = { _ in Array(nonsense.utf8) }
            reception.uptime += Self.day
            #expect(try show()?.data != nil, "\(nonsense)")
        }
        #expect(reception.fetches == 1 + 4 + 6)
        // A good one is taken again.
        reception.serve(tokens)
        reception.uptime += Self.day
        #expect(try show()?.data != nil)
    }

    @Test("that were never had are asked for with growing pauses, and people hear when to try again")
    func neverHad() throws {
        reception.served = { _ in throw TestFailure("the provider is gone") }
        var times: [UInt64] = []
        let begun = reception.uptime
        for _ in 1...1200 {
            let before = reception.fetches
            let error = try #require(try show()?.error)
            #expect(error.code == .busy && (1...301).contains(error.retryAfterSeconds ?? 0))
            if reception.fetches > before { times.append((reception.uptime - begun) / 1000) }
            reception.uptime += 1000
        }
        #expect(times == [0, 15, 45, 105, 225, 465, 765, 1065])
        // Whoever asks for nonces fetches no more often.
        let before = reception.fetches
        for _ in 1...100 { _ = reception.ask("nonce", ["provider": "mine"]) }
        #expect(reception.fetches <= before + 1)
        reception.serve(tokens)
        reception.uptime += 5 * Self.minute
        #expect(try show()?.data != nil)
    }

    @Test("are waited for together, by a bounded number, each of which is answered once")
    func waiting() throws {
        reception.isSlow = true
        var all: [Reception.Answers] = []
        // Nonces are given out at once, and who asks for them takes no place from those who show a token.
        #expect(try show() == nil)
        all.append(reception.last)
        for _ in 1...KeySets.maximumWaiting { #expect(reception.ask("nonce", ["provider": "mine"])?.data != nil) }
        for _ in 2...KeySets.maximumWaiting {
            #expect(try show() == nil)
            all.append(reception.last)
        }
        #expect(try show()?.error?.code == .busy)
        // The other provider is not held up by this one.
        let other = try #require(tokens.algorithms["RS256 by r"])
        #expect(reception.show(other, provider: "all") == nil)
        #expect(reception.fetches == 0)
        reception.fetchNow()
        #expect(reception.fetches == 2)
        #expect(all.allSatisfy { $0.all.count == 1 })
        // They are the same token.
        #expect(all.filter { $0.all.first?.data != nil }.count == 1)
        #expect(all.filter { $0.all.first?.error == TokenRefusal.nonce(.used).reply }.count == all.count - 1)
        // While old ones are good, nobody waits for new ones that somebody else needs.
        reception.uptime += 5 * Self.minute
        #expect(reception.show(try #require(tokens.forged["key: unknown"])) == nil)
        #expect(try show()?.data != nil)
        reception.fetchNow()
        #expect(reception.last.all.count == 1)
    }

    @Test("that are too many, or too long, are no set")
    func limits() throws {
        let key = try #require(Self.first(tokens.keys))
        let many = JSON.object([.init("keys", .array(Array(repeating: key, count: KeySet.maximumKeys + 1)))])
        #expect(thrown(TokenRefusal.self) { try KeySet(many.bytes) } == .malformed("the set has more than 64 keys"))
        let most = JSON.object([.init("keys", .array(Array(repeating: key, count: KeySet.maximumKeys)))])
        #expect(try KeySet(most.bytes).keys.count == KeySet.maximumKeys)
        let space = Array(repeating: UInt8(ascii: " "), count: KeySet.maximumLength - most.bytes.count)
        #expect(try KeySet(most.bytes + space).keys.count == KeySet.maximumKeys)
        #expect(throws: TokenRefusal.self) { try KeySet(most.bytes + space + [0x20]) }
    }

    @Test("that cannot be used are passed over, and those beside them are not")
    func poisoned() throws {
        let names = try KeySet(tokens.keys.bytes).keys.map(\.name)
        #expect(names == ["r1", "e1", "twin", "twin", "K1"])
    }

    private static func first(_ set: JSON) -> JSON? {
        if case .array(let keys) = set["keys"] { keys.first } else { nil }
    }
}
