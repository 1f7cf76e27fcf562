import Daemon
import Files
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Accounts
@testable import Features
@testable import vitals_consumer

@Suite("Addresses that are verified", .timeLimit(.minutes(60)))
struct VerificationTests {
    /// A service whose mails arrive in a pipe, one after the other.
    private static func with(_ body: (AccountService, NamedPipe) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let arrived = try NamedPipe(in: folder)
        let script = "cat > \(folder.path)/$$ && cat \(folder.path)/$$ > \(arrived.path)"
        try AccountService.with(accounts: "{ mail_command: [\"/bin/sh\", \"-c\", \"\(script)\"] }") { service in
            try body(service, arrived)
        }
    }

    private static func code(_ mail: String) throws -> String {
        guard let found = mail.firstMatch(of: /[0-9A-Z]{5}-[0-9A-Z]{5}/) else { throw TestFailure("no code: \(mail)") }
        return String(found.output)
    }

    @Test("by a code that goes there at the sign-up, once, and no other")
    func code() throws {
        try Self.with { service, mails in
            let signedIn = try service.signUp("Ada@example.org")
            #expect(try signedIn.text("message").contains("A code is on its way to Ada@example.org"))
            let mail = try mails.read()
            #expect(mail.hasPrefix("To: Ada@example.org\nSubject: Your code to verify this address\n"))
            let code = try Self.code(mail)
            let eve = try service.signUp("eve@example.org")
            let other = try Self.code(mails.read())
            let (ada, mallory) = (try service.device(signedIn), try service.device(eve))
            defer { for asker in [ada, mallory] { asker.stop() } }
            #expect(try ada.done("account/get")["verified"] == false && ada.done("account/get")["sends_mail"] == true)
            for wrong in ["00000-00000", other] {
                #expect(try ada.refused("account/verify", ["code": .string(wrong)]).code == .wrongCredentials)
            }
            #expect(try ada.refused("account/verify", ["code": " "]).code == .invalid)
            #expect(try ada.done("account/get")["verified"] == false)
            // Another mail has the same code: nobody can spoil it by asking.
            #expect(try ada.done("account/send-code")["message"] != nil)
            #expect(try Self.code(mails.read()) == code)
            let typed = code.lowercased().replacingOccurrences(of: "-", with: " ")
            #expect(try ada.done("account/verify", ["code": .string(typed)])["verified"] == true)
            #expect(try ada.done("account/get")["verified"] == true)
            #expect(try ada.refused("account/verify", ["code": .string(code)]).code == .notAllowed)
            #expect(try ada.refused("account/send-code").code == .notAllowed)
            #expect(try mallory.done("account/get")["verified"] == false)
            // Five wrong ones make the next wait, right or not.
            for _ in 0..<5 { _ = try mallory.refused("account/verify", ["code": "00000-00000"]) }
            #expect(try mallory.refused("account/verify", ["code": .string(other)]).code == .rateLimited)
            // Three mails of a person's are sent at once, the first of which was that of the sign-up.
            for _ in 0..<2 {
                _ = try mallory.done("account/send-code")
                _ = try mails.read()
            }
            #expect(try mallory.refused("account/send-code").code == .rateLimited)
        }
    }

    @Test("by no more mails to an address than three at once, whoever signs up with it again and again")
    func mailsToAnAddress() throws {
        try Self.with { service, mails in
            for time in 1...4 {
                // In capitals, too, it is the same mailbox.
                let phone = try service.device(service.signUp(time == 2 ? "Ada@Example.org" : "ada@example.org"))
                defer { phone.stop() }
                guard time < 4 else {
                    #expect(try phone.refused("account/send-code").code == .rateLimited)
                    continue
                }
                _ = try Self.code(mails.read())
                try phone.done("account/delete", ["password": .string(AccountService.password)])
            }
        }
    }

    @Test("however many want that: codes to reset a password are sent all the same")
    func ownAllowance() throws {
        try AccountService.with(accounts: "{ mail_command: [\"/bin/true\"] }") { service in
            let sent = try service.onSession { accounts -> [Bool] in
                let codes = try #require(accounts.mail)
                let mail = Mail(to: try #require(EmailAddress("eve@example.org")), subject: "Too many", body: "")
                func send(_ purpose: NameCodes.Purpose, _ isVerified: Bool = false) -> Bool {
                    codes.send(mail, for: purpose, isVerified: isVerified, time: 0) { _ in }
                }
                let verifying = (0..<60).map { _ in send(.verify) }
                // Nor do many with addresses of others keep those from it whose address is verified.
                let resetting = (0..<60).map { _ in send(.reset) }
                return [verifying[0], verifying[59], resetting[0], resetting[59], send(.reset, true)]
            }
            #expect(sent == [true, false, true, false, true])
        }
    }

    @Test("for a day, and not with a code from before the device was revoked")
    func expiry() throws {
        try AccountService.with { service in
            let signedIn = try service.signUp("ada@example.org")
            let ada = try service.device(signedIn)
            defer { ada.stop() }
            #expect(try ada.done("account/get")["sends_mail"] == false)
            #expect(try ada.refused("account/send-code").code == .notSupported)
            let user = try ID(signedIn.text("user"))
            let found = try service.onSession { accounts -> [Bool] in
                guard let lookup = try accounts.rows.account(of: user)?.lookup else { return [] }
                let codes = NameCodes(.verify, store: accounts.context.store, keys: accounts.context.keys)
                let lifetime = NameCodes.Purpose.verify.lifetime
                let code = try codes.issue(lookup, now: 0)
                let resets = NameCodes(.reset, store: accounts.context.store, keys: accounts.context.keys)
                let found = [
                    try codes.isRight(code, lookup, now: lifetime - 1), try codes.isRight(code, lookup, now: lifetime),
                    // One purpose's code is no other's.
                    try resets.isRight(code, lookup, now: 1),
                ]
                try accounts.context.store.change(user) { () throws(VaultError) in
                    try accounts.rows.endCodes(of: user, now: 1)
                }
                return found + [try codes.isRight(code, lookup, now: 1)]
            }
            #expect(found == [true, false, false, false])
        }
    }
}
