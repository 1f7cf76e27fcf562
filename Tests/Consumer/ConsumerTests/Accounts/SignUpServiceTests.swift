import Daemon
import Files
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Accounts
@testable import Admission
@testable import vitals_consumer

@Suite("Who becomes a person", .timeLimit(.minutes(60)))
struct SignUpServiceTests {
    @Test("lets nobody sign up where the settings say so, and those in who are there")
    func closed() throws {
        try AccountService.with(accounts: "{ sign_up: false }") { service in
            let guest = try service.guest()
            defer { guest.stop() }
            let refusal = try guest.refused(
                "sign-up", ["email": "ada@example.org", "password": .string(AccountService.password)])
            #expect(refusal == ReplyError(.notAllowed, "Nobody can sign up here: ask the operator of this service"))
            let refusals = Record<ReplyError?>()
            try service.onSession { accounts in
                accounts.signIn(
                    provider: "mine", issuer: "https://id.example.org", subject: "7", device: try DeviceName([:]),
                    begun: .max, useNonce: {}
                ) { result in
                    guard case .failure(let error) = result else { return refusals.append(nil) }
                    refusals.append(error as? ReplyError)
                }
            }
            #expect(try refusals.wait(for: 1) == [refusal])
        }
    }

    @Test("makes and finds the account of whom a provider vouches for, and nothing where the nonce was used")
    func provider() throws {
        try AccountService.with { service in
            let results = Record<Result<SignedIn, any Error>>()
            func signIn(_ subject: String, issuer: String = "https://id.example.org", fails: Bool = false) throws
                -> SignedIn
            {
                results.removeAll()
                try service.onSession { accounts in
                    accounts.signIn(
                        provider: "mine", issuer: issuer, subject: subject,
                        device: try DeviceName(["device": "laptop"]),
                        begun: .max, useNonce: { if fails { throw ReplyError(.wrongCredentials, "used") } }
                    ) { results.append($0) }
                }
                return try results.wait(for: 1)[0].get()
            }
            #expect(throws: ReplyError(.wrongCredentials, "used")) { try signIn("7", fails: true) }
            let first = try signIn("7")
            let second = try signIn("7")
            #expect(first.isNew && !second.isNew && first.user == second.user && first.device != second.device)
            #expect(try signIn("8").user != first.user)
            #expect(try signIn("7", issuer: "https://other.example.org").user != first.user)
            let laptop = try service.device(second.json(""))
            defer { laptop.stop() }
            let account = try laptop.done("account/get")
            #expect(account["providers"] == ["mine"] && account["devices"] == 2 && account["has_password"] == false)
            #expect(try laptop.refused("account/change-password").code == .notAllowed)
            // The settings have no such provider: nobody could show that it is this person who asks. See
            // ProviderSignInTests.
            #expect(try laptop.refused("account/delete").code == .notAllowed)
            // From before a device of theirs was revoked.
            let old = unixMilliseconds()
            try laptop.done("devices/revoke", ["device": .string(first.device.text)])
            results.removeAll()
            try service.onSession { accounts in
                accounts.signIn(
                    provider: "mine", issuer: "https://id.example.org", subject: "7", device: try DeviceName([:]),
                    begun: old, useNonce: {}
                ) { results.append($0) }
            }
            #expect(throws: ReplyError.self) { try results.wait(for: 1)[0].get() }
            #expect(try !signIn("7").isNew)
        }
    }

    @Test("takes one of two who sign up with the same name at once")
    func race() throws {
        try AccountService.with { service in
            let askers = [try service.guest(), try service.guest()]
            defer { for asker in askers { asker.stop() } }
            for asker in askers { _ = try asker.refused("sign-up") }
            let outcomes = Record<Reply.Outcome?>()
            for asker in askers {
                let fields: JSON = ["email": "ada@example.org", "password": .string(AccountService.password)]
                let responses = "vitals/v1/accounts/responses/\(StreamID(high: .random(in: 0 ... .max), low: 7))"
                asker.session.request(
                    fields.bytes, to: "vitals/v1/accounts/sign-up", responseTopic: responses, within: .seconds(30)
                ) { result in
                    outcomes.append(try? Reply(payload: result.get().payload).outcome)
                }
            }
            let codes = try outcomes.wait(for: 2).map { outcome in
                if case .error(let error)? = outcome { error.code } else { ReplyError.Code?.none }
            }
            #expect(Set(codes) == [nil, .alreadyRegistered])
        }
    }

    @Test("lets sixty new people in at once, then one a minute, and those who are known at any time")
    func newcomers() throws {
        try AccountService.with { service in
            let results = Record<ReplyError?>()
            func signIn(_ subject: String) throws -> ReplyError? {
                results.removeAll()
                try service.onSession { accounts in
                    accounts.signIn(
                        provider: "mine", issuer: "https://id.example.org", subject: subject,
                        device: try DeviceName([:]), begun: .max, useNonce: {}
                    ) { result in
                        if case .failure(let error) = result {
                            results.append(error as? ReplyError ?? ReplyError(.internal, "\(error)"))
                        } else {
                            results.append(nil)
                        }
                    }
                }
                return try results.wait(for: 1)[0]
            }
            for number in 1...60 { #expect(try signIn("\(number)") == nil) }
            let full = ReplyError(
                .rateLimited, "Many people are signing up: try again in 60 s", retryAfterSeconds: 60)
            #expect(try signIn("61") == full)
            #expect(try signIn("1") == nil)
            let guest = try service.guest()
            defer { guest.stop() }
            let fields: JSON = ["email": "ada@example.org", "password": .string(AccountService.password)]
            #expect(try guest.refused("sign-up", fields) == full)
            guard case .ok = try service.waitOut({ try guest.ask("sign-up", fields) }) else {
                throw TestFailure("not after a minute either")
            }
        }
    }

    @Test("leaves nothing half made where the disk is full, and lets the same person in once there is room")
    func fullDisk() throws {
        try AccountService.with { service in
            let results = Record<Result<SignedIn, any Error>>()
            func signIn(_ subject: String) throws -> Result<SignedIn, any Error> {
                results.removeAll()
                try service.onSession { accounts in
                    accounts.signIn(
                        provider: "mine", issuer: "https://id.example.org", subject: subject,
                        device: try DeviceName([:]), begun: .max, useNonce: {}
                    ) { results.append($0) }
                }
                return try results.wait(for: 1)[0]
            }
            func clients() throws -> JSON? {
                let answers = Record<JSON?>()
                let rules = service.consumer.rules
                service.consumer.session.loop.perform {
                    rules?.plugin.perform(.list(.clients, from: 0, atMost: 1)) {
                        answers.append(try? $0.get()["totalCount"])
                    }
                }
                return try answers.wait(for: 1)[0]
            }
            func allow(_ pages: Int64) throws {
                try service.onSession { accounts in
                    _ = try accounts.context.store.database.first("PRAGMA max_page_count = \(pages)", row: Row.int)
                }
            }
            guard case .integer(let before)? = try clients() else { throw TestFailure("no clients") }
            // SQLite takes as many pages as there are for the least; what is free on them is used up first.
            try allow(1)
            var made: Int64 = 0
            while case .success = try signIn("\(made)"), made < 50 { made += 1 }
            #expect(made < 50)
            let error = try #require(thrown(VaultError.self) { try signIn("\(made)").get() })
            #expect(error.reason == .diskFull)
            #expect(try clients() == .integer(before + made))
            let subject = "\(made)"
            let known = try service.onSession { accounts in
                (
                    try accounts.rows.user(provider: "https://id.example.org", subject: subject),
                    try accounts.rows.all().count
                )
            }
            #expect(known.0 == nil && known.1 == Int(made))
            try allow(1 << 30)
            #expect(try signIn(subject).get().isNew)
            #expect(try clients() == .integer(before + made + 1))
        }
    }
}
