import Daemon
import Days
import Desk
import Features
import Files
import Records
import Storage
package import Telemetry

// Showing that the e-mail address of an account is one's own.
//
// Where the operator has set a mail command, somebody who signs up with an e-mail address gets a code there. Until they say it,
// the account works, but what others have sent to that address does not reach it: whoever signs up with an address does not
// have to be the one who reads the mails that go there. A reset of the password shows the same. Phone numbers are only
// verified by a reset with a code that the operator has printed.

/// Verifies addresses. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
final class Verification: @unchecked Sendable {
    private unowned let accounts: Accounts
    private let context: PeopleContext
    /// For each address three at once, then one in ten minutes: nobody should be able to fill another person's mailbox, also not by
    /// signing up with it again and again.
    private var allowance = Allowance<[UInt8]>(perSecond: 1.0 / 600, burst: 3)
    private var wrongTries = WrongTries<ID>()

    private var codes: NameCodes { NameCodes(.verify, store: context.store, keys: context.keys) }

    init(_ accounts: Accounts) {
        self.accounts = accounts
        context = accounts.context
    }

    /// What people may ask.
    var verbs: [Verb] {
        [
            Verb("account/send-code", .accountSendCode, .atOnce { [unowned self] in try sendCode($0) }),
            Verb("account/verify", .accountVerify, .atOnce { [unowned self] in try verify($0) }),
        ]
    }

    /// Sends a code to somebody who has just signed up, where mails are sent.
    func welcome(_ user: ID, _ name: AccountName) {
        guard case .email(let address) = name, accounts.mail != nil else { return }
        do { try send(to: address, of: user) } catch {
            context.limitedLog.warning("no code to verify") { "\(user) got no code to verify their address\($0): \(error)" }
        }
    }

    // MARK: The code

    private func sendCode(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let address = try unverified(user)
        guard accounts.mail != nil else {
            throw ReplyError(
                .notSupported, "this home sends no mail: its operator can verify an address by a reset of the password",
                field: "mail_command")
        }
        try send(to: address, of: user)
        return ["message": .string("A code is on its way to \(address.text). It is valid for a day")]
    }

    private func send(to address: EmailAddress, of user: ID) throws {
        guard let mail = accounts.mail, let lookup = try accounts.rows.account(of: user)?.lookup else { return }
        if let seconds = allowance.take(lookup, now: millisecondsSinceBoot()) {
            throw ReplyError(
                .rateLimited, "You have asked for too many codes: try again in \(seconds) s", retryAfterSeconds: seconds)
        }
        let now = context.now()
        let code = try codes.issue(lookup, now: now)
        let isSent = mail.send(Self.message(code, to: address), for: .verify, isVerified: false, time: now) {
            [limitedLog = context.limitedLog] problem in
            limitedLog.error("no mail") { "no mail with a code for \(user)\($0): \(problem)" }
        }
        guard isSent else {
            throw ReplyError(.busy, "Many codes are being sent: try again in a minute", retryAfterSeconds: 60)
        }
    }

    private static func message(_ code: String, to address: EmailAddress) -> Mail {
        Mail(
            to: address, subject: "Your code to verify this address",
            body: """
                Somebody, most likely you, has made an account with Vitals with this address.
                The code that shows that the address is yours is

                    \(code)

                It works once, within a day.
                If it was not you, do nothing, and tell nobody the code: without it, nothing that is
                sent to this address reaches that account.

                """)
    }

    /// The address of an account that nobody has verified yet.
    private func unverified(_ user: ID) throws -> EmailAddress {
        guard let account = try accounts.rows.account(of: user),
            case .string(let text)? = try context.documents.read("contact", of: user)?["email"],
            let address = EmailAddress(text)
        else { throw ReplyError(.notFound, "Your account has no e-mail address", field: "email") }
        guard account.verified == nil else { throw ReplyError(.notAllowed, "Your e-mail address is verified already") }
        return address
    }

    private func verify(_ request: PeopleRequest) throws -> JSON {
        let user = try request.user
        let code = try request.text("code", atMost: NameCodes.longest)
        guard !code.trimmed.isEmpty else { throw ReplyError(.invalid, "Enter the code", field: "code") }
        _ = try unverified(user)
        let clock = millisecondsSinceBoot()
        if let seconds = wrongTries.wait(user, now: clock) {
            throw ReplyError(
                .rateLimited, "Too many wrong codes: try again in \(seconds) s", retryAfterSeconds: seconds)
        }
        let now = context.now()
        guard let lookup = try accounts.rows.account(of: user)?.lookup, try codes.isRight(code, lookup, now: now),
            try accounts.verified(user, lookup, now: now, if: { () throws(VaultError) in try codes.remove(lookup) })
        else {
            wrongTries.failed(user, now: clock)
            throw ReplyError(
                .wrongCredentials, "The code is not right, or too old: ask for a new one", field: "code")
        }
        context.limitedLog.notice("verified \(user)") { "\(user) has verified their e-mail address\($0)" }
        return ["verified": true, "message": "Your e-mail address is verified"]
    }
}

extension Accounts {
    /// Notes that a person has shown that the address or number of their account is theirs, and brings what waited for that.
    /// - Parameter isRight: asked within the transaction.
    /// - Returns: whether it is noted.
    fileprivate func verified(
        _ user: ID, _ lookup: [UInt8], now: Int64, if isRight: () throws(VaultError) -> Bool
    ) throws(VaultError) -> Bool {
        try context.store.change(naming: try context.changes.people(waitingFor: lookup).union([user])) {
            () throws(VaultError) in
            guard try isRight() else { return false }
            try rows.setVerified(user, now: now)
            try context.changes.showedAddress(lookup, user, now: now)
            return true
        }
    }
}

extension Accounts: PeopleObserver {
    /// When everything else of a person is deleted who has shown that their address is theirs, it brings what waited for that: also if the
    /// service was killed after the reset that had it deleted.
    package func forgotten(_ user: ID) {
        guard !context.doors.isBeingForgotten(user) else { return }
        do throws(VaultError) {
            guard let lookup = try rows.account(of: user)?.lookup else { return }
            try context.store.change(naming: try context.changes.people(waitingFor: lookup).union([user])) {
                () throws(VaultError) in
                guard try rows.account(of: user)?.verified != nil else { return }
                try context.changes.showedAddress(lookup, user, now: context.now())
            }
        } catch {
            context.limitedLog.error("what waited") { "what waited for \(user) did not reach them\($0): \(error)" }
        }
    }
}
