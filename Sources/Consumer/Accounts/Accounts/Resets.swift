import Daemon
import Desk
import Features
import Readings
import Records
import Storage
import Telemetry

// Resetting a password that was forgotten: a code goes to the account's e-mail address, and anybody who has the code
// can set a new password.
//
// Not all addresses are verified (see Verification.swift): an address may belong to another person, who resets the password
// when they hear of it. So the first reset of an account whose address is not shows what belongs to it (friends, what others may be shown,
// gateways, sensors, readings), and changes nothing until its holder says whether to keep that. What is not kept ends
// with the transaction that sets the password, and is forgotten like everything that a person has had forgotten
// (target Custody). From then on the address is verified. Devices and codes end with every reset.
//
// Asking for a code is answered before anything is looked up, always with the same words, and the work done afterwards
// is the same for a name that does not exist, except for the mail. Without a mail command, and for phone numbers, the
// operator prints the code: `vitals-consumer reset-password`.

/// Answers requests of people who cannot sign in. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
final class Resets: @unchecked Sendable {
    private unowned let accounts: Accounts
    private let context: PeopleContext
    private let codes: NameCodes
    /// Three at once, then one in ten minutes: nobody should be able to fill another person's mailbox.
    private var allowance = Allowance<[UInt8]>(perSecond: 1.0 / 600, burst: 3)

    init(_ accounts: Accounts) {
        self.accounts = accounts
        context = accounts.context
        codes = NameCodes(.reset, store: context.store, keys: context.keys)
    }

    /// What guests may ask.
    var verbs: [Verb] {
        [
            Verb("request-reset", .requestReset, for: .guests, .later { [unowned self] in requestReset($0) }),
            Verb("reset-password", .resetPassword, for: .guests, .later { [unowned self] in resetPassword($0) }),
        ]
    }

    private func requestReset(_ request: PeopleRequest) {
        request.answering {
            let name = try AccountName(request.fields)
            request.done([
                "message": """
                If there is such an account, a code is on its way. It is valid for 15 minutes. If none comes, ask the \
                operator of this service
                """
            ])
            // In the loop's next turn, when the reply has left.
            context.session.loop.perform { [unowned self] in
                do throws(VaultError) { try issue(name) } catch {
                    context.limitedLog.error("no code") { "no code to reset a password\($0): \(error)" }
                }
            }
        }
    }

    private func issue(_ name: AccountName) throws(VaultError) {
        let lookup = try name.lookup(context.keys)
        guard allowance.take(lookup, now: millisecondsSinceBoot()) == nil else { return }
        let now = context.now()
        let code = try codes.issue(lookup, now: now)
        guard let account = try accounts.rows.account(lookup) else { return }
        // The address at which the account's owner gets mail, whatever the asker has typed.
        guard case .string(let text)? = try context.documents.read("contact", of: account.user)?["email"],
            let address = EmailAddress(text), let mail = accounts.mail
        else {
            return context.limitedLog.notice("code \(account.user)") {
                """
                \(account.user) has asked for a code to reset their password\($0): \
                `vitals-consumer reset-password --user \(account.user)` prints it
                """
            }
        }
        let isSent = mail.send(Self.message(code, to: address), for: .reset, isVerified: account.verified != nil, time: now) {
            [limitedLog = context.limitedLog] problem in
            limitedLog.error("no mail") { "no mail with a code for \(account.user)\($0): \(problem)" }
        }
        guard isSent else {
            return context.limitedLog.warning("too many mails") {
                """
                too many mails with codes\($0): none to reset a password was sent for \(account.user); \
                `vitals-consumer reset-password --user \(account.user)` prints one
                """
            }
        }
    }

    private static func message(_ code: String, to address: EmailAddress) -> Mail {
        Mail(
            to: address, subject: "Your code to reset the password",
            body: """
                Somebody, most likely you, wants to reset the password of your account with Vitals.
                The code is

                    \(code)

                It works once, within 15 minutes. With the new password, all of your devices are signed out.
                If it was not you, do nothing: without the code nothing changes.

                """)
    }

    // MARK: The new password

    /// Errors are looked for in this order: the name, whether a code is given, the new password's rules, whether the
    /// code is right, and whether the request does not say what to do with what belongs to the account.
    private func resetPassword(_ request: PeopleRequest) {
        request.answering {
            let name = try AccountName(request.fields)
            let code = try request.text("code", atMost: NameCodes.longest)
            guard !code.trimmed.isEmpty else { throw ReplyError(.invalid, "Enter the code", field: "code") }
            let password = try Password(new: request.fields, names: [name])
            let isKept = try request.optionalBool("keep")
            let lookup = try name.lookup(context.keys)
            guard try codes.isRight(code, lookup, now: context.now()) else { throw Self.wrong }
            guard let account = try accounts.rows.account(lookup) else { throw Self.wrong }
            if let question = try question(about: account, isKept) { return request.done(question) }
            try accounts.hash(password, for: .guest) { [unowned self] stored in
                request.answering { try set(try stored.get(), lookup, isKept, request) }
            }
        }
    }

    /// What the holder of an account has to be asked first; nil if there is no question.
    private func question(about account: StoredAccount, _ isKept: Bool?) throws(VaultError) -> JSON? {
        guard account.verified == nil, isKept == nil else { return nil }
        let hanging = try context.features.hanging(
            ExportSource(account.user, context.settings, store: context.store, keys: context.keys, now: context.now()))
        guard !hanging.isNothing else { return nil }
        return [
            "changed": false, "hanging": hanging.json,
            "message": """
            Nothing has been changed yet. Nobody has shown so far that this account's address or number is theirs: if you did \
            not make the account, what belongs to it is somebody else's. Ask again with "keep": true to keep it, or with \
            "keep": false to have all of it deleted for good
            """,
        ]
    }

    private func set(
        _ password: StoredPassword, _ lookup: [UInt8], _ isKept: Bool?, _ request: PeopleRequest
    ) throws {
        guard let account = try accounts.rows.account(lookup) else { throw Self.wrong }
        // Something may have been added to the account while the password was hashed.
        if let question = try question(about: account, isKept) { return request.done(question) }
        let (user, ends, now) = (account.user, isKept == false, context.now())
        let devices = try accounts.devices.ids(of: user)
        let given = context.settings.givenSensors
        let gateways = EnrolledGateways(store: context.store, keys: context.keys)
        var sentences: [String] = []
        let touched = { [context] () throws(VaultError) -> Set<ID> in
            try (ends ? gateways.people(touchedByEnding: user) : [user]).union(context.changes.people(waitingFor: lookup))
        }
        let sensors = try context.store.change(naming: try touched()) { () throws(VaultError) -> Set<SensorName>? in
            // Two requests with the same code may have been hashed at the same time.
            guard try codes.remove(lookup) else { return nil }
            try accounts.rows.setPassword(password, of: user)
            try accounts.rows.setVerified(user, now: now)
            try accounts.devices.remove(devices)
            try accounts.rows.endCodes(of: user, now: now)
            guard ends else {
                try context.changes.showedAddress(lookup, user, now: now)
                sentences = try context.changes.resettingPassword(of: user)
                return []
            }
            // Even if this is interrupted, all of it is done at the next start.
            try context.keys.toForget(user, withAccount: false).enter(context.store.database)
            return try gateways.endAll(of: user, given: given)
        }
        guard let sensors else { throw Self.wrong }
        accounts.forgive(account)
        let more = ends ? ", and ends what belonged to the account" : ""
        context.limitedLog.notice("reset \(user)") { "\(user) has reset their password\(more)\($0)" }
        context.changes.signingOut(user)
        guard ends else {
            return end(devices, of: user) { [sentences] refusal in
                let words = refusal == nil ? "and all devices are signed out" : "all devices will be signed out soon"
                let message = ["The password was changed, \(words): sign in"] + sentences
                request.done(["changed": true, "message": .string(message.joined(separator: ". "))])
            }
        }
        // This comes first, so that nothing new of theirs is made in the meantime.
        context.doors.forget(user, keepingAccount: true, telling: nil) { result in
            var words = "and what belonged to the account is deleted"
            if case .failure(let error) = result {
                log.error("what belonged to the account of \(user) will be deleted later: \(error)")
                words = "what belonged to the account will be deleted soon"
            }
            request.done([
                "changed": true,
                "message": .string("The password was changed, all devices are signed out, \(words): sign in"),
            ])
        }
        end(devices, of: user) { _ in }
        context.changes.gatewaysChanged()
        context.doors.bringStreamsInLine(of: sensors)
        context.changes.gatewaysEnded()
    }

    /// Has the broker sign devices out, and tells those who wait for it. If the broker does not confirm it now, they learn from
    /// `Devices.brokerIsInLine` when it has happened.
    private func end(_ devices: [ID], of user: ID, _ completion: @escaping @Sendable (ReplyError?) -> Void) {
        accounts.devices.end(devices, of: user) { [context] refusal in
            if refusal == nil { context.changes.signedOut(user) }
            completion(refusal)
        }
    }

    private static let wrong = ReplyError(
        .wrongCredentials, "The code is not right, or too old: ask for a new one", field: "code"
    )
}
