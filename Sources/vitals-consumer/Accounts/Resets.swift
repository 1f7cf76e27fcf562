import Daemon
import Telemetry
import Vault

// Resetting a password that was forgotten: a code goes to the account's e-mail address, and whoever has it sets a new password.
//
// Asking for a code is answered before anything is looked up, always with the same words, and what is done afterwards is the same for a
// name that nobody has, but for the mail. Without a mail command, and for phone numbers, the operator prints the code:
// `vitals-consumer reset-password`.

/// What is asked by those who cannot sign in. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
final class Resets: @unchecked Sendable {
    private unowned let people: People
    private unowned let accounts: Accounts
    private let context: PeopleContext
    private let codes: ResetCodes
    private let mail: MailCommand?
    /// Three at once, then one in ten minutes: nobody is to fill another's mailbox.
    private var allowance = Allowance<[UInt8]>(perSecond: 1.0 / 600, burst: 3)
    /// For all together, one in ten seconds: e-mail addresses are not verified, and who signs up with others' is not to have
    /// us write to thousands of them.
    private var mails = Allowance<Int>(perSecond: 0.1, burst: 30)

    init(_ accounts: Accounts) {
        self.accounts = accounts
        people = accounts.people
        context = accounts.context
        codes = ResetCodes(store: context.store, keys: context.keys)
        mail = context.settings.accounts?.mailCommand.map { MailCommand($0) }
        people.register("request-reset", for: .guests, .later { [unowned self] in requestReset($0) })
        people.register("reset-password", for: .guests, .later { [unowned self] in resetPassword($0) })
    }

    private func requestReset(_ request: PeopleRequest) {
        people.answering(request) {
            let name = try AccountName(request.fields)
            request.done([
                "message": """
                If there is such an account, a code is on its way. It is good for 15 minutes. Where none comes, ask whoever \
                runs this service
                """
            ])
            // In the loop's next turn, when the reply has left.
            context.session.loop.perform { [unowned self] in
                do throws(VaultError) { try issue(name) } catch { log.error("no code to reset a password: \(error)") }
            }
        }
    }

    private func issue(_ name: AccountName) throws(VaultError) {
        let lookup = try name.lookup(context.keys)
        guard allowance.take(lookup, now: millisecondsSinceBoot()) == nil else { return }
        let now = context.now()
        let code = try codes.issue(lookup, now: now)
        guard let account = try accounts.rows.account(lookup) else { return }
        // Where the account's owner gets mail, whatever the asker has typed.
        guard case .string(let text)? = try context.documents.read("contact", of: account.user)?["email"],
            let address = EmailAddress(text), let mail
        else {
            return log.notice(
                """
                \(account.user) has asked for a code to reset their password: \
                `vitals-consumer reset-password --user \(account.user)` prints it
                """)
        }
        guard mails.take(0, now: millisecondsSinceBoot()) == nil else {
            return log.warning(
                """
                too many mails with codes to reset a password: none was sent for \(account.user); \
                `vitals-consumer reset-password --user \(account.user)` prints one
                """)
        }
        mail.send(Self.message(code, to: address).bytes(time: now)) { problem in
            log.error("no mail with a code for \(account.user): \(problem)")
        }
    }

    private static func message(_ code: String, to address: EmailAddress) -> Mail {
        Mail(
            to: address, subject: "Your code to reset the password",
            body: """
                Somebody, most likely you, wants to reset the password of your account with Vitals.
                The code is

                    \(code)

                It is good once, for 15 minutes. With the new password all of your devices are signed out.
                If it was not you, do nothing: without the code nothing changes.

                """)
    }

    // MARK: The new password

    /// Looked for in this order: the name, the code's being there, the new password's rules, whether the code is right.
    private func resetPassword(_ request: PeopleRequest) {
        people.answering(request) {
            let name = try AccountName(request.fields)
            let code = try request.text("code", atMost: 64)
            guard !code.trimmed.isEmpty else { throw ReplyError(.invalid, "Enter the code", field: "code") }
            let password = try Password(new: request.fields, names: [name])
            let lookup = try name.lookup(context.keys)
            guard try codes.isRight(code, lookup, now: context.now()) else { throw Self.wrong }
            try accounts.hash(password, isGuest: true) { [unowned self] stored in
                people.answering(request) { try set(try stored.get(), lookup, request) }
            }
        }
    }

    private func set(_ password: StoredPassword, _ lookup: [UInt8], _ request: PeopleRequest) throws {
        guard let account = try accounts.rows.account(lookup) else { throw Self.wrong }
        let devices = try accounts.devices.ids(of: account.user)
        let isDone = try context.store.database.transaction { () throws(VaultError) in
            // Two requests with the same code may have been hashed side by side.
            guard try codes.remove(lookup) else { return false }
            try accounts.rows.setPassword(password, of: account.user)
            try accounts.devices.remove(devices)
            return true
        }
        guard isDone else { throw Self.wrong }
        accounts.forgive(account)
        log.notice("\(account.user) has reset their password")
        accounts.devices.end(devices, of: account.user) { refusal in
            let words = refusal == nil ? "and all devices are signed out" : "all devices will be signed out soon"
            request.done(["message": .string("The password was changed, \(words): sign in")])
        }
    }

    private static let wrong = ReplyError(
        .wrongCredentials, "The code is not right, or too old: ask for a new one", field: "code"
    )
}
