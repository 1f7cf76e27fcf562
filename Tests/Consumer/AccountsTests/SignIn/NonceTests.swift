import HouseholdSupport
import Records
import Storage
import TestSupport
import Testing

@testable import OpenID

@Suite("Nonces", .timeLimit(.minutes(60)))
struct NonceTests {
    @Test("are good for ten minutes, for their provider, and for a clock that is a minute behind")
    func lifetime() throws {
        let nonces = try Nonces(pepper: .random())
        let (nonce, expires) = try nonces.issue(for: "mine", now: start)
        #expect(expires == start + 600_000 && nonce.utf8.count == 75)
        for now in [start - 60_000, start, expires - 1] {
            #expect(try nonces.check(nonce, for: "mine", now: now).expires == expires)
        }
        for now in [start - 60_001, expires, expires + 1] {
            #expect(fault { try nonces.check(nonce, for: "mine", now: now) } == .nonce(.expired))
        }
        #expect(fault { try nonces.check(nonce, for: "all", now: start) } == .nonce(.notOurs))
        let others = try Nonces(pepper: .random())
        #expect(fault { try others.check(nonce, for: "mine", now: start) } == .nonce(.notOurs))
    }

    @Test("are never the same twice, and none is taken with any letter changed")
    func forged() throws {
        let nonces = try Nonces(pepper: .random())
        let drawn = try (1...1000).map { _ in try nonces.issue(for: "mine", now: start).nonce }
        #expect(Set(drawn).count == drawn.count)
        let letters = Array(drawn[0])
        for index in letters.indices {
            for letter in "A-_z" where letter != letters[index] {
                var changed = letters
                changed[index] = letter
                #expect(throws: TokenRefusal.self) { try nonces.check(String(changed), for: "mine", now: start) }
            }
        }
    }

    @Test("are used once, whatever is restarted, and are forgotten a day after their end")
    func used() throws {
        let household = try Household()
        let nonces = try Nonces(pepper: .random())
        let (nonce, expires) = try nonces.issue(for: "mine", now: start)
        let id = try nonces.check(nonce, for: "mine", now: start).id
        let settings = try household.houseSettings()
        _ = try Keys(settings, .create)
        func use(_ id: [UInt8], expires: Int64, now: Int64) throws {
            let database = try Store(folder: settings.state).database
            try database.attempt { try Nonces.use(id, expires: expires, now: now, database) }.get()
        }
        try use(id, expires: expires, now: start)
        for _ in 1...2 {
            #expect(fault { try use(id, expires: expires, now: start + 1) } == .nonce(.used))
        }
        func count() throws -> Int64? {
            try Store(folder: settings.state).database.first("SELECT count(*) FROM nonces", row: Row.int)
        }
        let later = expires + Nonces.memory
        try use([1], expires: later, now: later)
        #expect(try count() == 2)
        try use([2], expires: later, now: later + 1)
        #expect(try count() == 2)
    }

    @Test("are not used up by a token that is refused, nor where the device could not be made")
    func notUsedUp() throws {
        let reception = try Reception()
        let tokens = try Tokens(reception.nonces)
        reception.serve(tokens)
        for name in ["aud: another", "exp: over", "signature: its last bit"] {
            #expect(reception.show(try #require(tokens.forged[name]))?.error != nil)
        }
        let token = try #require(tokens.good["RS256"])
        #expect(reception.show(token)?.data == ["subject": "subject-1"])
        #expect(reception.show(token)?.error == TokenRefusal.nonce(.used).reply)
        // Another token, another algorithm, the same nonce.
        #expect(reception.show(try #require(tokens.good["ES256"]))?.error == TokenRefusal.nonce(.used).reply)
        #expect(reception.vouched.count == 1)
    }

    @Test("are told with their end, and only for providers that there are")
    func asked() throws {
        let reception = try Reception()
        let data = try #require(reception.ask("nonce", ["provider": "mine"])?.data)
        #expect(data["expires"] == .integer(Tokens.now + 600_000))
        guard case .string(let nonce) = data["nonce"] else { throw TestFailure("no nonce: \(data)") }
        #expect(try reception.nonces.check(nonce, for: "mine", now: Tokens.now).expires == Tokens.now + 600_000)
        #expect(reception.ask("nonce", ["provider": "other"])?.error?.message == "the providers here are all, mine")
        #expect(reception.ask("nonce", [:])?.error?.code == .badRequest)
        #expect(reception.ask("nonce", ["provider": 1])?.error?.code == .badRequest)
    }

    private func fault(_ body: () throws -> some Any) -> TokenRefusal? { thrown(TokenRefusal.self, body) }
}
