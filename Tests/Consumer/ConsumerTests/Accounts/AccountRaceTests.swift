import Files
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Accounts
@testable import Desk
@testable import vitals_consumer

@Suite("Accounts, when two things are asked at once", .timeLimit(.minutes(60)))
struct AccountRaceTests {
    /// What takes a password, and its hash.
    enum Request: String, CaseIterable {
        case signIn, changePassword, delete

        var fields: JSON {
            let password = JSON.string(AccountService.password)
            return switch self {
            case .signIn: ["email": "ada@example.org", "password": password]
            case .changePassword: ["current": password, "password": "Wq7#horse-Pond"]
            case .delete: ["password": password]
            }
        }

        func begin(_ accounts: Accounts, _ request: PeopleRequest) {
            switch self {
            case .signIn: accounts.signIn(request)
            case .changePassword: accounts.changePassword(request)
            case .delete: accounts.delete(request)
            }
        }
    }

    @Test(
        "a password that was right when it was sent is of no use after a reset that came in between",
        arguments: Request.allCases)
    func reset(asked: Request) throws {
        try AccountService.with { service in
            let user = try ID(service.signUp("ada@example.org").text("user"))
            let outcomes = Record<Reply.Outcome>()
            let kept = StoredPassword(
                salt: [UInt8](repeating: 7, count: HashingPool.saltLength), hash: [UInt8](repeating: 7, count: 32))
            try service.onSession { accounts in
                asked.begin(
                    accounts,
                    PeopleRequest(asker: .person(user), name: asked.rawValue, fields: asked.fields, identity: nil) {
                        outcomes.append($0)
                    })
                // Hashes come back on this thread, and so not before the end of this block.
                let devices = try accounts.devices.ids(of: user)
                try accounts.context.store.change(user) { () throws(VaultError) in
                    try accounts.rows.setPassword(kept, of: user)
                    try accounts.devices.remove(devices)
                }
            }
            guard case .error(let error) = try outcomes.wait(for: 1)[0] else { throw TestFailure("it was done") }
            #expect(error.code == .wrongCredentials)
            try service.onSession { accounts in
                let account = try #require(try accounts.rows.account(of: user))
                #expect(try accounts.rows.password(of: account) == kept)
                #expect(try accounts.devices.ids(of: user).isEmpty)
            }
        }
    }

    @Test("strangers' failures keep nobody who is signed in from changing their password, which opens the account")
    func ownTries() throws {
        try AccountService.with { service in
            let signedIn = try service.signUp("ada@example.org")
            let user = try ID(signedIn.text("user"))
            try service.onSession { accounts in
                for _ in 1...100 { try accounts.rows.addFailure(of: user) }
            }
            let (phone, guest) = (try service.device(signedIn), try service.guest())
            defer { for asker in [phone, guest] { asker.stop() } }
            let right: JSON = ["email": "ada@example.org", "password": .string(AccountService.password)]
            #expect(try guest.refused("sign-in", right).code == .locked)
            let change: JSON = ["current": .string(AccountService.password), "password": "Wq7#horse-Pond"]
            #expect(try phone.done("account/change-password", change)["message"] == "The password was changed")
            try guest.done("sign-in", ["email": "ada@example.org", "password": "Wq7#horse-Pond"])
        }
    }

    @Test("a code that is out is over when the password is changed")
    func code() throws {
        try AccountService.with { service in
            let phone = try service.device(try service.signUp("ada@example.org"))
            let guest = try service.guest()
            defer { for asker in [phone, guest] { asker.stop() } }
            let lookup = try service.onSession { try AccountName(["email": "ada@example.org"]).lookup($0.context.keys) }
            let code = try service.onSession { accounts in
                try NameCodes(.reset, store: accounts.context.store, keys: accounts.context.keys)
                    .issue(lookup, now: accounts.context.now())
            }
            try phone.done(
                "account/change-password",
                ["current": .string(AccountService.password), "password": "Wq7#horse-Pond"])
            let refusal = try guest.refused(
                "reset-password",
                ["email": "ada@example.org", "code": .string(code), "password": "Vq7#horse-Pond"])
            #expect(refusal.code == .wrongCredentials && refusal.field == "code")
        }
    }
}
