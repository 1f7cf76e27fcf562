import Daemon
package import Desk
package import Features
import Records
import Storage
package import Telemetry
package import Vault

// Accounts: signing up, signing in, and people's requests about their own account.
//
// A person who signs up or signs in gets a device: see Devices.swift. Passwords are compared by their hashes, made on
// threads of their own (HashingPool.swift), while the session's thread continues; Attempts.swift says how often a
// person may try.
//
// Only a sign-up tells whether a name exists. If a name does not exist, or has no password, the same work is done
// nevertheless: the password is hashed, with a salt drawn at the start, as much is flushed to the disk, and the same
// waits and locks apply.
//
// The order of writing: the person's secret, which goes to keys.db, is on the disk before the account's row; the broker
// has confirmed the device before its row, and a new account's row with it, is written; then the reply leaves.

/// The accounts of a store. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class Accounts: @unchecked Sendable {
    package let context: PeopleContext
    package let rows: AccountRows
    package let devices: Devices
    private(set) var resets: Resets?
    private var verification: Verification?
    /// Sends codes; nil if no mails are sent.
    let mail: CodeMail?
    /// Verifies ID tokens; nil if nobody signs in with a provider.
    package private(set) var providers: ProviderSignIn?
    package let settings: AccountSettings
    private let pool: HashingPool
    var attempts = Attempts()
    /// Sixty new people at once, then one a minute. Each is another client at the broker, which writes down all
    /// clients at every change, and answers nobody in the meantime: strangers must not make thousands of them.
    private var newcomers = Allowance<Int>(perSecond: 1.0 / 60, burst: 60)
    /// Milliseconds of a clock that never runs backwards, for waits.
    package var clock: () -> UInt64 = millisecondsSinceBoot
    /// The salt for names that nobody has.
    private let nobodysSalt: [UInt8]

    /// - Parameter cost: of hashing a password; only tests pass one different from the default.
    package init(_ context: PeopleContext, _ settings: AccountSettings, cost: Scrypt.Cost = .password)
        throws(VaultError)
    {
        self.context = context
        self.settings = settings
        rows = AccountRows(store: context.store, keys: context.keys)
        devices = Devices(context)
        pool = HashingPool(pepper: context.keys.pepper, cost: cost)
        nobodysSalt = try RandomBytes.draw(HashingPool.saltLength)
        mail = CodeMail(settings)
        resets = Resets(self)
        verification = Verification(self)
        providers = try ProviderSignIn(self)
        context.changes.add(self)
    }

    /// What guests and people may ask about accounts.
    package var verbs: [Verb] {
        let guests = [
            Verb("sign-up", .signUp, for: .guests, .later { [unowned self] in signUp($0) }),
            Verb("sign-in", .signIn, for: .guests, .later { [unowned self] in signIn($0) }),
        ]
        let optional = [verification?.verbs, resets?.verbs, providers?.verbs].flatMap { $0 ?? [] }
        return guests + ownVerbs + devices.verbs + optional
    }

    // MARK: Signing up

    private func signUp(_ request: PeopleRequest) {
        request.answering {
            try requireSignUp()
            let fields = try SignUpFields(request.fields)
            guard try rows.account(fields.name.lookup(context.keys)) == nil else { throw fields.name.alreadyRegistered }
            try admitNewcomer()
            try hash(fields.password, for: .guest) { [unowned self] stored in
                request.answering {
                    let password = try stored.get()
                    let user = try makePerson()
                    let add = { @Sendable [unowned self] in
                        // Somebody else may have taken the name in the meantime.
                        guard try rows.account(fields.name.lookup(context.keys)) == nil else {
                            throw fields.name.alreadyRegistered
                        }
                        try rows.add(user, fields.name, password, now: context.now())
                    }
                    devices.add(fields.device, of: user, isNew: false, with: add) { [unowned self] result in
                        request.answering {
                            let signedIn = try result.get()
                            devices.welcome(signedIn, request, welcome(fields.name))
                            verification?.welcome(signedIn.user, fields.name)
                        }
                    }
                }
            }
        }
    }

    private func welcome(_ name: AccountName) -> String {
        let words = "You are registered and signed in"
        guard mail != nil, case .email(let address) = name else { return words }
        return "\(words). A code is on its way to \(address.text): with it, show that the address is yours"
    }

    private func requireSignUp() throws(ReplyError) {
        guard settings.allowsSignUp else {
            throw ReplyError(.notAllowed, "Nobody can sign up here: ask the operator of this service")
        }
    }

    private func admitNewcomer() throws(ReplyError) {
        guard let seconds = newcomers.take(0, now: clock()) else { return }
        throw ReplyError(
            .rateLimited, "Many people are signing up: try again in \(seconds) s", retryAfterSeconds: seconds)
    }

    /// Makes a person with a secret, and nothing else yet: without a secret there would be nothing to keep their name
    /// under.
    private func makePerson() throws(VaultError) -> ID {
        let user = try drawnID()
        _ = try context.keys.currentVersion(of: user)
        try context.keys.makeDurable()
        return user
    }

    // MARK: Signing in

    func signIn(_ request: PeopleRequest) {
        request.answering {
            let fields = try SignInFields(request.fields)
            let lookup = try fields.name.lookup(context.keys)
            let account = try rows.account(lookup)
            let wrong = ReplyError(.wrongCredentials, "The \(fields.name.words) or the password is not right")
            try check(fields.password, of: account, tries: lookup, for: .guest, wrong: wrong) {
                [unowned self] result in
                request.answering {
                    try result.get()
                    guard let account else { throw wrong }
                    let stillRight = { @Sendable [unowned self] in
                        // While this was hashed, and the broker asked, a reset may have ended all devices, or the
                        // account may have gone.
                        guard try rows.isUnchanged(account) else { throw wrong }
                    }
                    devices.add(fields.device, of: account.user, with: stillRight) { [unowned self] result in
                        request.answering {
                            devices.welcome(try result.get(), request, "You are signed in")
                        }
                    }
                }
            }
        }
    }

    /// Signs in a person that an OpenID provider vouches for, and makes the person if there is none yet. The caller
    /// must have verified the ID token, and that it is used for the first time.
    ///
    /// An e-mail address in the token makes no connection to an account with that address: otherwise anybody who
    /// controls what the provider says about it could take the account over.
    /// - Parameters:
    ///   - provider: its name in the settings, for the person to see.
    ///   - issuer: the token's `iss`.
    ///   - subject: the token's `sub`.
    ///   - begun: when the sign-in began, Unix milliseconds: one that began before a device of theirs was revoked is no
    ///     longer valid.
    ///   - useNonce: called in the transaction that makes the device; if it throws, nothing is made.
    ///   - completion: on the session's thread, at once or later.
    func signIn(
        provider: String, issuer: String, subject: String, device: DeviceName, begun: Int64,
        useNonce: @escaping () throws -> Void,
        _ completion: @escaping @Sendable (Result<SignedIn, any Error>) -> Void
    ) {
        let useNonce = OnSessionThread(useNonce)
        do {
            if let user = try rows.user(provider: issuer, subject: subject) {
                let stillTheirs = { @Sendable [unowned self] in
                    try useNonce.value()
                    guard try rows.user(provider: issuer, subject: subject) == user else {
                        throw ReplyError(
                            .busy, "Your account is being deleted at this moment: try again", retryAfterSeconds: 5)
                    }
                    // An end in the future was noted before the clock was set back.
                    let ended = try rows.account(of: user)?.codesEnded ?? 0
                    guard begun > ended || ended > context.now() else {
                        throw ReplyError(
                            .expired, "A device was revoked since this sign-in was begun: sign in again",
                            field: "id_token")
                    }
                }
                return devices.add(device, of: user, with: stillTheirs, completion)
            }
            try requireSignUp()
            try admitNewcomer()
            let user = try makePerson()
            let add = { @Sendable [unowned self] in
                try useNonce.value()
                // The same person may sign in twice at once.
                guard try rows.user(provider: issuer, subject: subject) == nil else {
                    throw ReplyError(.busy, "You are being signed in at this moment: try again", retryAfterSeconds: 1)
                }
                try rows.add(user, nil, nil, now: context.now())
                try rows.add(user, provider: provider, issuer: issuer, subject: subject)
            }
            devices.add(device, of: user, isNew: true, with: add, completion)
        } catch {
            completion(.failure(error))
        }
    }
}

/// A value that is only touched on the session's thread, on its way through closures that are `@Sendable`.
// Proof of @unchecked: as its name says; completions of `BrokerRules` and of `hash` are called there.
private struct OnSessionThread<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

// MARK: Passwords

extension Accounts {
    /// Hashes a new password for storing; answers on the session's thread.
    /// - Parameter isNext: whether the request has had another one hashed already: then it is not refused.
    /// - Throws: `busy` if too many wait.
    package func hash(
        _ password: Password, for asker: Asker, isNext: Bool = false,
        _ completion: @escaping @Sendable (Result<StoredPassword, any Error>) -> Void
    ) throws {
        let salt = try RandomBytes.draw(HashingPool.saltLength)
        try hash(password, salt: salt, for: asker, isNext: isNext) { result in
            completion(
                Result { StoredPassword(salt: salt, hash: try result.get()) })
        }
    }

    private func hash(
        _ password: Password, salt: [UInt8], for asker: Asker, isNext: Bool = false,
        _ completion: @escaping HashingPool.Completion
    ) throws(ReplyError) {
        let loop = context.session.loop
        let seconds = pool.hash(password, salt: salt, for: asker, isNext: isNext) { result in
            loop.perform { completion(result) }
        }
        if let seconds {
            throw ReplyError(
                .busy, "Many people are signing in: try again in \(seconds) s", retryAfterSeconds: seconds)
        }
    }

    /// Compares what somebody says with what is stored, and takes equally long if nothing is. Who may try how often is for the
    /// caller to say.
    /// - Throws: `busy` if too many wait.
    package func compare(
        _ password: Password, with stored: StoredPassword?, for asker: Asker,
        _ completion: @escaping @Sendable (Result<Bool, any Error>) -> Void
    ) throws {
        try hash(password, salt: stored?.salt ?? nobodysSalt, for: asker) { result in
            completion(Result { isEqualInConstantTime(try result.get(), stored?.hash ?? []) })
        }
    }

    /// Compares a password with an account's, and takes equally long if there is no account, or no password.
    /// - Parameters:
    ///   - name: the name that failures are counted under.
    ///   - wrong: the answer if it is not right.
    /// - Throws: `busy`, `rate-limited` or `locked`, without a look at the password.
    package func check(
        _ password: Password, of account: StoredAccount?, tries name: [UInt8], for asker: Asker, wrong: ReplyError,
        _ completion: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) throws {
        let isGuest = asker == .guest
        // The account remembers the failures of guests only, which anybody can cause. Those of a signed-in device lock
        // nothing.
        switch attempts.refusal(name, failures: isGuest ? account?.failures : nil, locks: isGuest, now: clock()) {
        case nil: break
        case .locked?: throw Self.locked
        case .wait(let seconds)?:
            throw ReplyError(
                .rateLimited, "Too many failures: try again in \(seconds) s", retryAfterSeconds: seconds)
        }
        let stored = try account.flatMap { try rows.password(of: $0) }
        try hash(password, salt: stored?.salt ?? nobodysSalt, for: asker) { [unowned self] result in
            do {
                guard isEqualInConstantTime(try result.get(), stored?.hash ?? []) else { throw wrong }
                attempts.succeeded(name)
                if let account, account.failures > 0 {
                    try context.store.change(account.user) { () throws(VaultError) in
                        try rows.clearFailures(of: account.user)
                    }
                }
                completion(.success(()))
            } catch let error as ReplyError {
                attempts.failed(name, now: clock())
                completion(.failure(error))
                // After the answer, so that it does not have to wait; and with the same flush if the account does
                // not exist.
                count(account, isGuest: isGuest)
            } catch {
                attempts.abandoned(name)
                completion(.failure(error))
            }
        }
        attempts.began(name)
    }

    private func count(_ account: StoredAccount?, isGuest: Bool) {
        do throws(VaultError) {
            if let account, isGuest {
                try context.store.change(account.user) { () throws(VaultError) in try rows.addFailure(of: account.user)
                }
            } else {
                try context.store.database.durably { () throws(VaultError) in }
            }
        } catch {
            context.limitedLog.error("failed sign-ins") { "a failed sign-in was not counted\($0): \(error)" }
        }
    }

    /// Forgets failures: the account's password has changed.
    func forgive(_ account: StoredAccount) {
        if let lookup = account.lookup { attempts.succeeded(lookup) }
        attempts.succeeded(ownTries(account.user))
    }

    package static let locked = ReplyError(
        .locked, "There were \(Attempts.lock) failures in a row: reset the password to sign in again")
}

extension AccountName {
    /// What it is called in a sentence.
    package var words: String {
        switch self {
        case .email: "e-mail address"
        case .phone: "phone number"
        }
    }
}
