import Telemetry
import TestSupport
import Testing

@testable import Accounts
@testable import vitals_consumer

@Suite("What cannot be undone", .timeLimit(.minutes(60)))
struct ConfirmingTests {
    private static let password = AccountService.password

    @Test("is asked for with the account's password, and a wrong one leaves everything as it is")
    func resetAll() throws {
        try AccountService.with { service in
            let phone = try service.device(try service.signUp("ada@example.org"))
            defer { phone.stop() }
            try phone.done("consent/set", ["steps": true])
            let asked = try phone.done("reset-all/ask")
            #expect(asked["has_password"] == true && asked["providers"] == [])
            let confirmation = asked["confirmation"] ?? .null
            let missing = try phone.refused("reset-all/confirm", ["confirmation": confirmation])
            #expect(missing.code == .badRequest && missing.field == "password")
            let wrong = try phone.refused(
                "reset-all/confirm", ["confirmation": confirmation, "password": "Zq7#horse-pond"])
            #expect(wrong.code == .wrongCredentials && wrong.field == "password")
            #expect(try phone.done("consent/get")["steps"] == true)
            // A wrong one is waited for, as with signing in.
            let right: JSON = ["confirmation": confirmation, "password": .string(Self.password)]
            #expect(try phone.refused("reset-all/confirm", right).code == .rateLimited)
            // That is this person's own wait: it keeps nobody from signing in.
            let guest = try service.guest()
            defer { guest.stop() }
            try guest.done("sign-in", ["email": "ada@example.org", "password": .string(Self.password)])
            let done = try service.waitOut { try phone.ask("reset-all/confirm", right) }
            guard case .ok(let data) = done else { throw TestFailure("\(done)") }
            #expect(data["opened"] == 0 && data["next"] == "profile")
            #expect(try phone.done("consent/get")["steps"] == false)
            // The confirmation was good once.
            #expect(
                try phone.refused("reset-all/confirm", right)
                    == ReplyError(
                        .wrongCredentials, "this confirmation is not the latest one", field: "confirmation"))
        }
    }

    @Test("is not kept from its owner for long by somebody who tries passwords on a stolen device")
    func tries() throws {
        try AccountService.with { service in
            let signedIn = try service.signUp("ada@example.org")
            let phone = try service.device(signedIn)
            defer { phone.stop() }
            let user = try ID(signedIn.text("user"))
            try service.onSession { accounts in
                for _ in 1...500 { accounts.attempts.failed(accounts.ownTries(user), now: accounts.clock()) }
            }
            let right: JSON = [
                "confirmation": try phone.done("reset-all/ask")["confirmation"] ?? .null,
                "password": .string(Self.password),
            ]
            let refusal = try phone.refused("reset-all/confirm", right)
            #expect(refusal.code == .rateLimited && (1...900).contains(refusal.retryAfterSeconds ?? 0))
            guard case .ok = try service.waitOut({ try phone.ask("reset-all/confirm", right) }) else {
                throw TestFailure("the owner is locked out")
            }
        }
    }
}
