import Accounts
import Daemon
import Desk
import Features
import Files
import Records
import Telemetry

// A guardian names a dependent by their phone number, or their e-mail address, and says the dependent's verification code. The
// answer is the same, after the same work, whether the number belongs to nobody, its owner has set no code, has blocked the
// guardian, has another code, or one that is for somebody else.

extension Guardians {
    private static let wrong = ReplyError(
        .wrongCredentials, "the phone number or the verification code is not right: ask for both again", field: "code")

    func connect(_ request: PeopleRequest) {
        request.answering {
            let user = try request.user
            let name = try AccountName(request.fields)
            let code = Password(try request.text("code", atMost: VerificationCode.maximumLength))
            let lookup = try name.lookup(context.keys)
            let rows = AccountRows(store: context.store, keys: context.keys)
            let (account, own) = (try rows.account(lookup), try rows.account(of: user)?.lookup)
            guard account?.user != user else {
                throw ReplyError(.invalid, "this is your own: you see yourself without a guardian", field: name.field)
            }
            let known = try account.flatMap { try VerificationCode.read(context.documents, of: $0.user) }
            let isMeant = try known?.isMeant(for: own, context.keys) ?? true
            let isExpected = isMeant && known?.guardian != nil
            try tries.begin(user, lookup, isExpected: isExpected, clock: clock())
            do {
                try accounts.compare(code, with: known?.stored, for: .person(user)) { [unowned self] result in
                    let right = result.map { $0 && isMeant }
                    compared(request, by: user, lookup, with: account?.user, known, right)
                }
            } catch {
                tries.abandoned(user)
                throw error
            }
        }
    }

    private func compared(
        _ request: PeopleRequest, by user: ID, _ lookup: [UInt8], with dependent: ID?, _ known: VerificationCode?,
        _ result: Result<Bool, any Error>
    ) {
        request.answering {
            let isRight: Bool
            do {
                isRight = try result.get() && dependent.map { try mayConnect(user, to: $0, known) } ?? false
            } catch {
                tries.abandoned(user)
                throw error
            }
            guard isRight, let dependent else {
                // Before anything is written: how long it takes tells nothing.
                request.refuse(Self.wrong)
                return failed(user, lookup, for: dependent)
            }
            tries.succeeded(user)
            let reply = try once(request, with: [dependent]) { user, now in
                // Others may have changed something while the code was hashed.
                guard try mayConnect(user, to: dependent, known) else { throw Self.wrong }
                if try ties.tie(of: user, to: dependent) == nil {
                    try requireRoom(user, dependent)
                    try ties.connect(user, to: dependent, now: now)
                    try tell(dependent, .guardianConnected, .guardianConnected, of: user, now: now)
                }
                return try entry(dependent, of: user)
            }
            context.limitedLog.notice("guardian of \(dependent)") { "\(user) is a guardian of \(dependent)\($0)" }
            tiesChanged(of: dependent, with: user)
            request.done(reply)
        }
    }

    /// Whether a right code connects the two: it is still the dependent's, and they have not blocked the guardian.
    private func mayConnect(_ guardian: ID, to dependent: ID, _ known: VerificationCode?) throws -> Bool {
        guard !context.doors.isBeingForgotten(dependent), !context.doors.isBeingForgotten(guardian) else {
            return false
        }
        return try known != nil && VerificationCode.read(context.documents, of: dependent) == known
            && !ties.guardians(of: dependent).blocked.contains(guardian)
    }

    private func requireRoom(_ guardian: ID, _ dependent: ID) throws {
        guard try ties.guardians(of: dependent).ties.count < GuardianList.most else {
            throw ReplyError(.notAllowed, "this person has \(GuardianList.most) guardians already", field: "phone")
        }
        guard try ties.dependents(of: guardian).all.count < DependentList.most else {
            let words = "you watch over \(DependentList.most) people already: remove one (dependents/remove)"
            throw ReplyError(.notAllowed, words, field: "phone")
        }
    }

    private func failed(_ guardian: ID, _ lookup: [UInt8], for dependent: ID?) {
        let now = context.now()
        let count = tries.failed(guardian, lookup, for: dependent, clock: clock(), now: now)
        guard let count, let dependent else { return }
        do throws(VaultError) {
            // Nobody is named: it may have been many.
            try context.store.change(dependent) { () throws(VaultError) in
                let language = try context.notifications.language(of: dependent)
                let text = language(.codeTries, ["count": "\(count)"])
                try context.notifications.add(Notification(kind: .codeTries, time: now, text: text), to: dependent)
            }
        } catch {
            context.limitedLog.error("verification codes") {
                "tries of a verification code were not told\($0): \(error)"
            }
        }
    }

    // MARK: The code

    func setCode(_ request: PeopleRequest) {
        request.answering {
            let user = try request.user
            guard let text = try request.optionalText("code", atMost: VerificationCode.maximumLength) else {
                guard request.fields["code"] == .null else {
                    throw ReplyError(
                        .badRequest, "\"code\" is missing: a text, or null to have none any longer", field: "code")
                }
                try context.store.change(user) { () throws(VaultError) in
                    try context.documents.remove(VerificationCode.document, of: user)
                }
                return request.done([:])
            }
            let isForOne = ["email", "phone"].contains { present($0, request.fields) != nil }
            let guardian = isForOne ? try AccountName(request.fields) : nil
            try accounts.hash(VerificationCode.new(text), for: .person(user)) { [unowned self] result in
                request.answering {
                    let code = VerificationCode(stored: try result.get(), set: context.now(), guardian: guardian)
                    try context.store.change(user) { () throws(VaultError) in
                        try context.documents.write(code.json, VerificationCode.document, of: user)
                    }
                    request.done(.object(present: code.shown))
                }
            }
        }
    }
}
