package import Desk
import Records
import Storage
import Telemetry

// Confirming that the asker is the person.
//
// A device that was left lying around, or was stolen, must not be enough for things that cannot be undone: deleting the
// account, and deleting everything that is kept in it. The password is asked for again, or, if people sign in with a
// provider, an ID token with a fresh nonce. People of the settings have neither, and are not asked.
//
// Wrong passwords cause waits as at a sign-in, with a count of their own. They lock nothing, no matter who enters them:
// when a device in somebody else's hands is revoked, its owner waits for a quarter of an hour at most.

extension Accounts {
    /// No request with an ID token is longer.
    static let longestConfirmation = ProviderSignIn.maximumLength

    /// What a person's programs have to send to confirm something, as members of a reply: `has_password` and
    /// `providers`; nothing for people of the settings.
    func confirmation(of user: ID) throws(VaultError) -> [JSON.Member] {
        guard let account = try rows.account(of: user) else { return [] }
        let providers = try rows.providers(of: user).map(JSON.string)
        return [JSON.Member("has_password", .bool(account.hasPassword)), JSON.Member("providers", .array(providers))]
    }

    /// Makes sure that the asker is the person.
    /// - Parameter completion: called on the session's thread: with success, or with what to answer.
    package func confirm(_ request: PeopleRequest, _ completion: @escaping @Sendable (Result<Void, any Error>) -> Void)
    {
        do {
            let user = try request.user
            guard let account = try rows.account(of: user) else { return completion(.success(())) }
            guard account.hasPassword else { return try confirmByToken(of: user, request, completion) }
            let password = try Password(ofSignIn: request.fields)
            let wrong = ReplyError(.wrongCredentials, "The password is not right", field: "password")
            try check(password, of: account, tries: ownTries(user), for: .person(user), wrong: wrong) {
                [unowned self] result in
                completion(
                    Result {
                        try result.get()
                        guard try rows.isUnchanged(account) else { throw wrong }
                    })
            }
        } catch {
            completion(.failure(error))
        }
    }

    private func confirmByToken(
        of user: ID, _ request: PeopleRequest, _ completion: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) throws {
        let own = try rows.providers(of: user)
        // There is nothing to ask for.
        guard !own.isEmpty else { return completion(.success(())) }
        let names = own.joined(separator: " or ")
        guard let providers, own.contains(where: { settings.providers[$0] != nil }) else {
            throw ReplyError(
                .notAllowed,
                "You sign in with \(names), which this service no longer accepts: ask the people who run it")
        }
        guard present("provider", request.fields) != nil else {
            throw ReplyError(
                .badRequest, "Sign in with \(names) again to confirm this: send its ID token", field: "provider")
        }
        providers.verify(request) { [unowned self] result in
            completion(
                Result {
                    let vouched = try result.get()
                    let known = try rows.user(provider: vouched.about.issuer, subject: vouched.about.subject)
                    guard known == user else {
                        throw ReplyError(
                            .wrongCredentials, "The ID token is about somebody else: sign in as yourself",
                            field: "id_token")
                    }
                    try context.store.database.attempt { () throws(any Error) in try vouched.useNonce() }.get()
                })
        }
    }
}
