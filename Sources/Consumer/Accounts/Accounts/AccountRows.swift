package import Records
package import Storage
package import Telemetry

// accounts in vitals.db. An account is found by the keyed hash of its e-mail address or phone number; the password's
// hash is sealed, bound to the person, so that nobody who can write to the file can give one person another's password.
// The name in the clear is in the document "contact", under the person's row key.

/// A row of `accounts`.
package struct StoredAccount: Equatable {
    package let user: ID
    let email: [UInt8]?
    let phone: [UInt8]?
    /// Sealed; nil if the person signs in with a provider only.
    fileprivate let password: [UInt8]?
    /// Failed sign-ins since the last one that succeeded.
    package let failures: Int
    /// Unix milliseconds.
    package let created: Int64
    /// When a code that went there has shown that the address or number is the holder's, Unix milliseconds; nil if none has.
    package let verified: Int64?
    /// Codes from before this time (Unix milliseconds) are no longer valid.
    let codesEnded: Int64

    /// Whether it is found by an e-mail address.
    package var hasEmail: Bool { email != nil }
    /// Whether there is a password.
    var hasPassword: Bool { password != nil }
    /// The keyed hash that the account is found by, if it has a name of its own.
    package var lookup: [UInt8]? { email ?? phone }

    fileprivate static let columns = "person, email, phone, password, failures, created_ms, verified_ms, codes_ended_ms"

    fileprivate init(_ row: borrowing Row) throws(VaultError) {
        let text = try row.text("person")
        guard let user = decoded({ () throws(MalformedValue) in try ID(text) }) else {
            throw VaultError("read an account", .malformed, said: "\"\(text)\" is not an id")
        }
        self.user = user
        email = try row.blobIfPresent("email")
        phone = try row.blobIfPresent("phone")
        password = try row.blobIfPresent("password")
        failures = Int(try row.int("failures"))
        created = try row.int("created_ms")
        verified = try row.intIfPresent("verified_ms")
        codesEnded = try row.int("codes_ended_ms")
    }
}

/// A stored password: how it was hashed, and the hash.
package struct StoredPassword: Equatable {
    package let salt: [UInt8]
    package let hash: [UInt8]

    /// `HashingPool`'s way: scrypt of `Scrypt.Cost.password` over the HMAC. The byte leaves room for a second scheme.
    private static let scheme: UInt8 = 1

    init(salt: [UInt8], hash: [UInt8]) {
        self.salt = salt
        self.hash = hash
    }

    /// One that was kept.
    package init(bytes: [UInt8]) throws(VaultError) {
        guard bytes.first == Self.scheme, bytes.count > HashingPool.saltLength + 1 else {
            throw VaultError("read a password's hash", .malformed, said: "it is not one of this version's")
        }
        salt = Array(bytes.dropFirst().prefix(HashingPool.saltLength))
        hash = Array(bytes.dropFirst(1 + HashingPool.saltLength))
    }

    /// As it is kept, sealed.
    package var bytes: [UInt8] { [Self.scheme] + salt + hash }
}

/// The accounts of a store. Belongs to the thread of its store and keys.
package struct AccountRows {
    package let store: Store
    package let keys: Keys

    package init(store: Store, keys: Keys) {
        self.store = store
        self.keys = keys
    }

    /// The account with this keyed hash of an e-mail address or phone number.
    package func account(_ lookup: [UInt8]) throws(VaultError) -> StoredAccount? {
        try store.database.first(
            "SELECT \(StoredAccount.columns) FROM accounts WHERE email = ?1 OR phone = ?1", [.blob(lookup)],
            row: StoredAccount.init)
    }

    package func account(of user: ID) throws(VaultError) -> StoredAccount? {
        try store.database.first(
            "SELECT \(StoredAccount.columns) FROM accounts WHERE person = ?", [.text(user.text)],
            row: StoredAccount.init)
    }

    package func all() throws(VaultError) -> [StoredAccount] {
        try store.database.query(
            "SELECT \(StoredAccount.columns) FROM accounts ORDER BY created_ms, person", row: StoredAccount.init)
    }

    /// Makes an account, and the document with its name in the clear. The person must have a secret.
    /// - Parameters:
    ///   - name: nil if the person signs in with a provider.
    ///   - now: Unix milliseconds.
    package func add(_ user: ID, _ name: AccountName?, _ password: StoredPassword?, now: Int64) throws(VaultError) {
        let lookup = try name.map { name throws(VaultError) in Value.blob(try name.lookup(keys)) } ?? .null
        let sealed = try password.map { password throws(VaultError) in Value.blob(try self.sealed(password, of: user)) }
        let isEmail = if case .email? = name { true } else { false }
        try store.database.execute(
            "INSERT INTO accounts (person, email, phone, password, created_ms) VALUES (?, ?, ?, ?, ?)",
            [.text(user.text), isEmail ? lookup : .null, isEmail ? .null : lookup, sealed ?? .null, .integer(now)])
        if let name {
            try Documents(store: store, keys: keys).write(
                .object([.init(name.field, .string(name.text))]), "contact", of: user)
        }
    }

    /// The account's stored password; nil if there is none.
    package func password(of account: StoredAccount) throws(VaultError) -> StoredPassword? {
        guard let sealed = account.password else { return nil }
        return try StoredPassword(bytes: keys.service.open(sealed, Self.context(account.user)))
    }

    /// Whether an account is still there, and has the password that it had when it was read.
    func isUnchanged(_ account: StoredAccount) throws(VaultError) -> Bool {
        guard let now = try self.account(of: account.user) else { return false }
        return now.password == account.password
    }

    /// Sets a new password, which also unlocks the account.
    package func setPassword(_ password: StoredPassword, of user: ID) throws(VaultError) {
        try store.database.execute(
            "UPDATE accounts SET password = ?, failures = 0 WHERE person = ?",
            [.blob(try sealed(password, of: user)), .text(user.text)])
    }

    /// Notes that the person has shown, with a code that went there, that the address or number is theirs.
    func setVerified(_ user: ID, now: Int64) throws(VaultError) {
        try store.database.execute(
            "UPDATE accounts SET verified_ms = ? WHERE person = ?", [.integer(now), .text(user.text)])
    }

    /// Ends every code of a person's that is out: for friends, for gateways, to reset the password. A sign-in with a
    /// provider that was begun before is over, too. Within a transaction.
    func endCodes(of user: ID, now: Int64) throws(VaultError) {
        if let lookup = try account(of: user)?.lookup {
            for purpose in NameCodes.Purpose.allCases { try NameCodes(purpose, store: store, keys: keys).remove(lookup) }
        }
        try store.database.execute("DELETE FROM codes WHERE subject = ?", [.text(user.text)])
        try store.database.execute(
            "UPDATE accounts SET codes_ended_ms = ?1 WHERE person = ?2 AND codes_ended_ms < ?1",
            [.integer(now), .text(user.text)])
    }

    func addFailure(of user: ID) throws(VaultError) {
        try store.database.execute(
            "UPDATE accounts SET failures = failures + 1 WHERE person = ?", [.text(user.text)])
    }

    package func clearFailures(of user: ID) throws(VaultError) {
        try store.database.execute(
            "UPDATE accounts SET failures = 0 WHERE person = ? AND failures > 0", [.text(user.text)])
    }

    private func sealed(_ password: StoredPassword, of user: ID) throws(VaultError) -> [UInt8] {
        try keys.service.seal(password.bytes, Self.context(user))
    }

    private static func context(_ user: ID) -> RowContext { RowContext("password", user.text) }
}

// MARK: Providers

extension AccountRows {
    /// The person that a provider knows by this subject.
    package func user(provider issuer: String, subject: String) throws(VaultError) -> ID? {
        let found = try store.database.first(
            "SELECT person FROM subjects WHERE subject = ?", [.blob(try key(issuer, subject))], row: Row.text)
        guard let found else { return nil }
        return decoded { () throws(MalformedValue) in try ID(found) }
    }

    package func add(_ user: ID, provider: String, issuer: String, subject: String) throws(VaultError) {
        try store.database.execute(
            "INSERT INTO subjects (subject, person, provider) VALUES (?, ?, ?)",
            [.blob(try key(issuer, subject)), .text(user.text), .text(provider)])
    }

    /// The providers that a person signs in with, by their names in the settings.
    package func providers(of user: ID) throws(VaultError) -> [String] {
        try store.database.query(
            "SELECT DISTINCT provider FROM subjects WHERE person = ? ORDER BY provider", [.text(user.text)],
            row: Row.text
        )
    }

    /// An issuer is a URL, and has no zero byte.
    private func key(_ issuer: String, _ subject: String) throws(VaultError) -> [UInt8] {
        try keys.lookup("subject", issuer + "\0" + subject)
    }
}
