import Daemon
package import Desk
import Records
import Storage
package import Telemetry

// People's requests about their own accounts, once they are signed in.

extension Accounts {
    /// What people may ask about their own accounts.
    var ownVerbs: [Verb] {
        [
            Verb("account/get", .accountGet, .atOnce { [unowned self] in try get($0.user) }),
            Verb(
                "account/change-password", .accountChangePassword, own: .hashing,
                .later { [unowned self] in changePassword($0) }),
            Verb(
                "account/delete", .accountDelete, maximumLength: Self.longestConfirmation, own: .hashing,
                .later { [unowned self] in delete($0) }),
        ]
    }

    private func account(_ request: PeopleRequest) throws -> StoredAccount {
        guard let account = try rows.account(of: request.user) else {
            throw ReplyError(.notFound, "You have no account here: the operator has named you in the settings")
        }
        return account
    }

    private func get(_ user: ID) throws -> JSON {
        guard let account = try rows.account(of: user) else {
            throw ReplyError(.notFound, "You have no account here: the operator has named you in the settings")
        }
        let contact = try context.documents.read("contact", of: user)
        return .object(present: [
            "user": .string(user.text), "email": contact?["email"], "phone": contact?["phone"],
            "has_password": .bool(account.hasPassword),
            "providers": .array(try rows.providers(of: user).map(JSON.string)), "created": .integer(account.created),
            "devices": .integer(Int64(try devices.count(of: user))),
            "verified": account.lookup == nil ? nil : .bool(account.verified != nil), "sends_mail": .bool(mail != nil),
            "picture": .bool(try context.documents.read("picture", of: user) != nil),
        ])
    }

    private var codes: NameCodes { NameCodes(.reset, store: context.store, keys: context.keys) }

    /// Failures here come from somebody who holds a signed-in device: they are counted apart, and lock nobody's
    /// sign-in.
    func ownTries(_ user: ID) -> [UInt8] { Array("own".utf8) + [0] + Array(user.text.utf8) }

    /// Checks that a present password is given, then the new one's rules, then whether the present one is right. The
    /// other devices stay signed in.
    func changePassword(_ request: PeopleRequest) {
        request.answering {
            let user = try request.user
            let account = try account(request)
            guard account.hasPassword else {
                throw ReplyError(.notAllowed, "You sign in with a provider: there is no password to change")
            }
            let current = try Password(ofSignIn: request.fields, field: "current")
            let new = try Password(new: request.fields, names: names(of: user), personName: personName(of: user))
            let wrong = ReplyError(.wrongCredentials, "The current password is not right", field: "current")
            try check(current, of: account, tries: ownTries(user), for: .person(user), wrong: wrong) {
                [unowned self] result in
                request.answering {
                    try result.get()
                    try hash(new, for: .person(user), isNext: true) { [unowned self] stored in
                        request.answering {
                            let stored = try stored.get()
                            let isDone = try context.store.change(user) { () throws(VaultError) in
                                // A reset may have come in between, and ended the device that asks.
                                guard try rows.isUnchanged(account) else { return false }
                                try rows.setPassword(stored, of: user)
                                if let lookup = account.lookup { try codes.remove(lookup) }
                                return true
                            }
                            guard isDone else { throw wrong }
                            forgive(account)
                            request.done(["message": "The password was changed"])
                        }
                    }
                }
            }
        }
    }

    /// What a new password must not contain.
    package func names(of user: ID) throws -> [AccountName] {
        guard let contact = try context.documents.read("contact", of: user) else { return [] }
        do throws(ReplyError) { return [try AccountName(contact)] } catch { return [] }
    }

    func personName(of user: ID) throws -> String? {
        guard case .string(let name)? = try context.documents.read("profile", of: user)?["name"] else { return nil }
        return name
    }

    package func delete(_ request: PeopleRequest) {
        request.answering {
            let user = try request.user
            _ = try account(request)
            confirm(request) { [unowned self] result in
                request.answering {
                    try result.get()
                    eraseAll(of: user, request)
                }
            }
        }
    }

    /// The broker hears of it after the reply: the asker is one of the devices that go.
    private func eraseAll(of user: ID, _ request: PeopleRequest) {
        request.answering {
            let clients = try devices.ids(of: user)
            if let lookup = try rows.account(of: user)?.lookup { try codes.remove(lookup) }
            context.doors.forget(user, keepingAccount: false, telling: "account/delete") { [unowned self] result in
                request.answering {
                    let left = try result.get().left
                    context.limitedLog.notice("deleted \(user)") { "\(user) has deleted their account\($0)" }
                    let sentences = ["Your account was deleted"] + left
                    request.done(["message": .string(sentences.joined(separator: ". "))])
                    devices.end(clients, of: user) { _ in }
                }
            }
        }
    }
}
