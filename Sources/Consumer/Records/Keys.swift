package import Daemon
package import Files
import Glibc
import ProgramSettings
package import Storage
package import Telemetry
package import Vault

// The tree of keys, as far as the consumer holds it.
//
//     root key                    a file, or a systemd credential; never in a database
//     ├ check                     a known text under the root key: a different root key is noticed before anything is done
//     ├ identity, lookup, pepper  random, wrapped under the root key
//     │ ├ "service"               of the pepper: AES-256-GCM for rows about nobody in particular
//     │ └ "web push"              of the pepper: P-256, by which the push services of people's browsers know this consumer
//     └ person secret, version    random, wrapped under the root key, bound to person and version
//       ├ "stream"                X25519: what gateways seal to
//       └ "rows"                  AES-256-GCM: what the consumer itself writes
//
// Everything that is wrapped lies in keys.db, apart from vitals.db: to forget a person is to delete a row here, and the
// pages of this file are overwritten as they are deleted.

/// The keys of a consumer. Belongs to one thread at a time.
package final class Keys {
    /// What to do if there are no keys.
    package enum Access {
        /// Only read them, while the service is running.
        case read
        /// Write, but everything must be there.
        case write
        /// Write to a copy, while other keys are in use: the root key's files, which belong to those, stay as they are.
        case rehearse
        /// Make what is missing, the root key's file included.
        case create
    }

    /// Signs what gateways should believe.
    package let identity: Ed25519.SigningKey
    /// Goes into every password's hash, so that a copy of vitals.db alone does not help to guess passwords.
    package let pepper: SymmetricKey
    /// Seals rows that are about no person, such as codes.
    package let service: RowKey
    /// Keyed hashes of names, to look them up by.
    private let lookup: SymmetricKey
    package let database: Database
    let rootKey: RootKey
    /// The key that everything in the database is wrapped under, unless it has been changed since: see `followRoot`.
    var root: RowKey
    private var people: [PersonVersion: Person] = [:]
    var reported = OncePerMinute<PersonVersion>(capacity: 1024)

    package struct PersonVersion: Hashable {
        package let user: String
        package let version: Int64

        package init(user: String, version: Int64) {
            self.user = user
            self.version = version
        }
    }

    /// What derives from one version of a person's secret.
    package struct Person {
        /// What gateways seal session keys to.
        package let stream: X25519KeyPair
        /// Seals what the consumer writes about the person.
        package let rows: RowKey
    }

    /// "Viky".
    package static let applicationID: Int32 = 0x5669_6B79
    package static let migrations: [Migration] = [
        Migration(
            "keys/1", number: 1,
            """
            CREATE TABLE wrapped (name TEXT PRIMARY KEY, sealed BLOB NOT NULL) STRICT, WITHOUT ROWID;
            CREATE TABLE secrets (
                user TEXT NOT NULL, version INTEGER NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (user, version)
            ) STRICT, WITHOUT ROWID;
            """),
        // Nobody knows how old the existing secrets are: they count as made by this migration.
        Migration(
            "keys/2", number: 2,
            """
            ALTER TABLE secrets ADD COLUMN made_ms INTEGER NOT NULL DEFAULT 0;
            UPDATE secrets SET made_ms = CAST(strftime('%s', 'now') AS INTEGER) * 1000;
            CREATE TABLE forgotten (
                user TEXT PRIMARY KEY, version INTEGER NOT NULL, time_ms INTEGER NOT NULL, account INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            """),
        // As in vitals.db: see Schema.swift.
        Migration(
            "keys/3",
            """
            ALTER TABLE secrets RENAME COLUMN user TO person;
            ALTER TABLE forgotten RENAME COLUMN user TO person;
            """),
    ]

    /// Their name in the state folder.
    package static let file = "keys.db"

    /// Opens the keys.
    /// - Parameters:
    ///   - state: the state folder.
    ///   - rootKeyFile: nil if the root key is a systemd credential, which is used in any case if there is one.
    ///   - folder: where keys.db is, if not in the state folder.
    ///   - mayBeOlder: whether an older schema is good enough to read.
    /// - Throws: if either is missing, and if the root key is not the one of these keys.
    package convenience init(
        state: String, rootKeyFile: String?, _ access: Access, folder: String? = nil, mayBeOlder: Bool = false
    ) throws(Failure) {
        let path = "\(folder ?? state)/\(Self.file)"
        if access != .create, folder == nil { try StateFolder.checkForPendingRestore(state) }
        if access == .create {
            try StateFolder.make(state)
        } else if Glibc.access(path, F_OK) != 0 {
            throw Failure(
                .configuration, "there are no keys: \(path) does not exist",
                hint: "`vitals-consumer identity` makes them; check \"state\" in the settings")
        }
        // The root key first: without it nothing is made.
        let rootKey = try Self.rootKey(rootKeyFile, path, access)
        try self.init(Self.connection(path, access, mayBeOlder: mayBeOlder), rootKey, access)
    }

    /// A connection to the keys that only reads, for `init(reading:)`. It knows none of them.
    package static func connection(state: String) throws(Failure) -> Database {
        try connection("\(state)/\(file)", .read, mayBeOlder: false)
    }

    /// Opens the keys, as with `.read`, on a connection that may have read them before: nothing of that counts.
    package convenience init(
        reading database: Database, state: String, rootKeyFile: String?
    ) throws(Failure) {
        try StateFolder.checkForPendingRestore(state)
        try self.init(database, Self.rootKey(rootKeyFile, database.path, .read), .read)
    }

    private static func connection(
        _ path: String, _ access: Access, mayBeOlder: Bool
    ) throws(Failure) -> Database {
        let database = try Failure.explaining { () throws(VaultError) in
            try Database(
                path, access == .read ? .readOnly : .readWrite(.full), applicationID: applicationID,
                secureDelete: true)
        }
        if access != .read { try StateFolder.migrate(database, Schema(steps: migrations)) }
        let refusal = try Failure.explaining { () throws(VaultError) -> Failure? in
            let age = try database.schemaAge(migrations)
            guard age != .current, !mayBeOlder || age != .older else { return nil }
            return try Failure(olderOrNewer: database, knows: migrations)
        }
        if let refusal { throw refusal }
        return database
    }

    private init(_ database: Database, _ rootKey: RootKey, _ access: Access) throws(Failure) {
        let opened = try Failure.explaining { () throws(VaultError) in
            try access == .read
                ? Self.opened(database, rootKey)
                : Self.openedToWrite(database, rootKey, isRehearsal: access == .rehearse)
        }
        guard let opened else {
            throw Failure(
                .configuration, "the root key is not the one that \(database.path) was made with",
                hint: """
                    check root_key_file in the settings, or the credential root-key; without the right one nothing can be \
                    opened. Keys from a backup need the one of their time, if rotate-root was run since then
                    """
            )
        }
        (root, identity, lookup, pepper) = opened
        self.rootKey = rootKey
        self.database = database
        service = try Failure.explaining { [pepper] () throws(VaultError) in
            RowKey(try HKDF.key(from: pepper, salt: [], info: "service"))
        }
        if access != .read { try Failure.explaining { () throws(VaultError) in try Self.flush(database) } }
    }

    /// What a name (an e-mail address, a phone number) is looked up by: 32 bytes that tell nothing without the root
    /// key.
    package func lookup(_ purpose: String, _ text: String) throws(VaultError) -> [UInt8] {
        try HMACSHA256.code(for: Array(purpose.utf8) + [0] + Array(text.utf8), key: lookup)
    }

    // MARK: The root

    /// Where the root key is. It is made if it is missing and `access` allows that.
    private static func rootKey(
        _ file: String?, _ database: String, _ access: Access
    ) throws(Failure) -> RootKey {
        // The credential of a service takes precedence over the file, which operators' commands read as root.
        let file = KeyFile.isGiven(credential: RootKey.credential) ? nil : file
        let rootKey = RootKey(path: file)
        guard let path = file else {
            guard try isGiven(rootKey) else {
                throw Failure(
                    .configuration, "there is no root key",
                    hint:
                        "if there was one, restore its file from your copy; otherwise set root_key_file, or give the service a credential: LoadCredentialEncrypted=root-key:…"
                )
            }
            return rootKey
        }
        guard Glibc.access(path, F_OK) != 0 else { return rootKey }
        guard access == .create else {
            // Says what is missing.
            _ = try Failure.explaining { () throws(VaultError) in try KeyFile.load(path) }
            return rootKey
        }
        guard Glibc.access(database, F_OK) != 0 else {
            throw Failure(
                .configuration, "the root key is missing: \(path)",
                hint: "\(database) needs the one that it was made with: a new one would open nothing")
        }
        try Failure.explaining { () throws(VaultError) in
            // Even in root's folder the key must belong to the service, which owns the folder of the databases.
            let owner = try SmallFile.owner(of: database)
            let rights = try FileRights.take(ofFolderOf: path)
            defer { rights.giveBack() }
            _ = try KeyFile.createIfMissing(path, owner: FileRights.areRoots ? owner : nil)
        }
        log.notice("made a root key in \(path): keep a copy of it apart from the data", event: .rootKeyMade)
        return RootKey(path: path)
    }

    /// Whether the service was given one. Its unit gives something that is no key where there is none: so the service
    /// ends here, and not before it starts, which systemd would try again and again.
    private static func isGiven(_ credential: RootKey) throws(Failure) -> Bool {
        do throws(VaultError) { return try !credential.candidates().isEmpty } catch {
            guard error.reason == .malformed else { throw Failure(error) }
            guard !KeyFile.isGiven(credential: RootKey.credential, as: RootKey.missing) else { return false }
            throw Failure(
                .configuration, "the root key that the service is given is damaged: \(error)",
                hint: "restore its file from your copy: a new one would open nothing")
        }
    }

    private typealias Opened = (
        root: RowKey, identity: Ed25519.SigningKey, lookup: SymmetricKey, pepper: SymmetricKey
    )

    /// The keys that are needed, from one state of the file; nil if the root key is not the one of these keys.
    private static func opened(_ database: Database, _ rootKey: RootKey) throws(VaultError) -> Opened? {
        // While somebody changes the root key, one of the file and the key may have been read before the change, and
        // the other after it.
        for _ in 1...5 {
            let opened = try database.snapshot { () throws(VaultError) -> Opened? in
                guard let root = try fitting(rootKey, database) else { return nil }
                return try unwrapped(root, database)
            }
            if let opened { return opened }
        }
        return nil
    }

    /// The same for writing: new keys get everything that they need, or nothing, and a change of the root key that was
    /// interrupted is finished.
    private static func openedToWrite(
        _ database: Database, _ rootKey: RootKey, isRehearsal: Bool
    ) throws(VaultError) -> Opened? {
        try database.transaction { () throws(VaultError) -> Opened? in
            if try sealed("check", database) == nil {
                guard let key = try rootKey.candidates().first else { return nil }
                let root = RowKey(key)
                try keep("check", root.seal(checkText, checkContext), database)
                for name in ["identity", "lookup", "pepper"] {
                    let secret = try SymmetricKey.random()
                    try keep(name, root.seal(secret.bytes, wrappedContext(name)), database)
                }
            }
            guard let root = try fitting(rootKey, database) else { return nil }
            do throws(VaultError) {
                // The next root key may belong to keys that are not the ones in this copy.
                if !isRehearsal { try finishRootRotation(rootKey, database) }
            } catch {
                // The service may read the keys, but perhaps not write to their folder. Both keys are there; the next
                // program that may write there finishes.
                guard error.reason == .permissions || error.reason == .readOnly else { throw error }
                log.warning("the root key was changed, and its file is not in its place yet: \(error)")
            }
            return try unwrapped(root, database)
        }
    }

    private static func unwrapped(_ root: RowKey, _ database: Database) throws(VaultError) -> Opened {
        (
            root, try Ed25519.SigningKey(seed: wrapped("identity", root, database)),
            try wrapped("lookup", root, database), try wrapped("pepper", root, database)
        )
    }

    static let checkText = Array("vitals root key".utf8)
    static let checkContext = RowContext("check")

    /// Whether everything in the database is wrapped under this key.
    static func opens(_ root: RowKey, _ database: Database) throws(VaultError) -> Bool {
        try root.openIfReadable(sealed("check", database) ?? [], checkContext) == checkText
    }

    /// Of the root keys that there are, the one that everything in the database is wrapped under; nil if none fits.
    static func fitting(_ rootKey: RootKey, _ database: Database) throws(VaultError) -> RowKey? {
        for key in try rootKey.candidates() {
            let root = RowKey(key)
            if try opens(root, database) { return root }
        }
        return nil
    }

    static func wrapped(
        _ name: String, _ root: RowKey, _ database: Database
    ) throws(VaultError) -> SymmetricKey {
        // A missing row counts as one that does not open.
        let sealed = try sealed(name, database) ?? []
        return try SymmetricKey(root.open(sealed, wrappedContext(name)))
    }

    static func sealed(_ name: String, _ database: Database) throws(VaultError) -> [UInt8]? {
        try database.first("SELECT sealed FROM wrapped WHERE name = ?", [.text(name)], row: Row.blob)
    }

    private static func keep(_ name: String, _ sealed: [UInt8], _ database: Database) throws(VaultError) {
        try database.execute("INSERT INTO wrapped (name, sealed) VALUES (?, ?)", [.text(name), .blob(sealed)])
    }

    static func wrappedContext(_ name: String) -> RowContext { RowContext("wrapped", name) }

    // MARK: People

    /// Makes a new version of a person's secret. The old ones stay: they open what is stored, and what is on its way.
    /// - Returns: the version; nil if there is no such person.
    package func rotate(_ user: ID) throws(VaultError) -> Int64? {
        try database.transaction { () throws(VaultError) in
            guard try version(of: user) != nil else { return nil }
            return try makeSecret(of: user)
        }
    }

    /// The latest version of a person's secret, made if there is none.
    package func currentVersion(of user: ID) throws(VaultError) -> Int64 {
        try database.transaction { () throws(VaultError) in
            if let version = try version(of: user) { return version }
            return try makeSecret(of: user)
        }
    }

    /// Makes the next version, within a transaction. A version that was forgotten is never made again: the list of the
    /// forgotten would have it forgotten, too.
    package func makeSecret(of user: ID) throws(VaultError) -> Int64 {
        try followRoot()
        let version = max(try version(of: user) ?? 0, try forgottenVersion(of: user)) + 1
        let secret = try SymmetricKey.random()
        let sealed = try root.seal(secret.bytes, Self.personContext(user.text, version))
        try database.execute(
            "INSERT INTO secrets (person, version, sealed, made_ms) VALUES (?, ?, ?, ?)",
            [.text(user.text), .integer(version), .blob(sealed), .integer(unixMilliseconds())])
        return version
    }

    /// The latest version of a person's secret; nil if there is none, or no longer one.
    package func version(of user: ID) throws(VaultError) -> Int64? {
        try database.first(
            "SELECT version FROM secrets WHERE person = ? ORDER BY version DESC LIMIT 1", [.text(user.text)],
            row: Row.int
        )
    }

    /// The keys of one version of a person's secret; nil if that secret is not there, or was forgotten; even if
    /// it is damaged, which is logged: the secrets of others go on working, and nothing is made in its place.
    package func person(_ user: String, version: Int64) throws(VaultError) -> Person? {
        let name = PersonVersion(user: user, version: version)
        if let person = people[name] { return person }
        guard let sealed = try sealedSecret(name) else { return nil }
        do {
            return try remember(name, sealed)
        } catch {
            guard error.isUnreadable else { throw error }
        }
        // The root key may have been changed since it was read. Then the row was changed, too.
        if try !Self.opens(root, database) {
            try followRoot()
            guard let sealed = try sealedSecret(name) else { return nil }
            do { return try remember(name, sealed) } catch { guard error.isUnreadable else { throw error } }
        }
        if reported.allows(name, now: millisecondsSinceBoot()) {
            log.error(
                """
                the secret of \(user), version \(version), in \(database.path) is damaged: nothing of theirs can be opened \
                or stored until keys.db is restored from a backup; the others' is not affected
                """)
        }
        return nil
    }

    func sealedSecret(_ name: PersonVersion) throws(VaultError) -> [UInt8]? {
        try database.first(
            "SELECT sealed FROM secrets WHERE person = ? AND version = ?", [.text(name.user), .integer(name.version)],
            row: Row.blob)
    }

    private func remember(_ name: PersonVersion, _ sealed: [UInt8]) throws(VaultError) -> Person {
        let secret = try SymmetricKey(root.open(sealed, Self.personContext(name.user, name.version)))
        let person = Person(
            stream: try X25519KeyPair(privateKey: HKDF.key(from: secret, salt: [], info: "stream")),
            rows: RowKey(try HKDF.key(from: secret, salt: [], info: "rows")))
        people[name] = person
        return person
    }

    /// Every version of every person's secret that is there, damaged ones too.
    package func all() throws(VaultError) -> [PersonVersion] {
        try database.query("SELECT person, version FROM secrets ORDER BY person, version") { (row) throws(VaultError) in
            PersonVersion(user: try row.text("person"), version: try row.int("version"))
        }
    }

    /// The person and version whose public key this is; nil if nobody here has it.
    package func owner(of publicKey: [UInt8]) throws(VaultError) -> PersonVersion? {
        for name in try all() {
            if try person(name.user, version: name.version)?.stream.publicKey == publicKey { return name }
        }
        return nil
    }

    /// Makes sure that everything in keys.db is on the disk, also what another process has written: a process that was
    /// killed between writing and flushing has left rows that can be read, but that a power cut would still take.
    package func makeDurable() throws(VaultError) { try Self.flush(database) }

    private static func flush(_ database: Database) throws(VaultError) {
        try database.durably { () throws(VaultError) in }
    }

    /// Drops the opened keys of a person's forgotten secrets.
    package func forgetOpened(_ user: ID, upTo version: Int64) {
        people = people.filter { $0.key.user != user.text || $0.key.version > version }
    }

    /// Moves everything that was written into keys.db itself, unless somebody reads an older state of it; returns
    /// whether it did.
    package func closeLogWithoutWaiting() throws(VaultError) -> Bool { try database.checkpointWithoutWaiting() }

    /// Moves everything that was written into keys.db itself.
    package func closeLog() throws(VaultError) { try database.checkpoint() }

    /// Checks every page of keys.db.
    package func checkIntegrity() throws(VaultError) { try database.checkIntegrity() }

    static func personContext(_ user: String, _ version: Int64) -> RowContext {
        RowContext("person", user, "\(version)")
    }
}

// MARK: - Forgetting

extension Keys {
    /// The latest version of a person's secret that was forgotten; 0 if none was.
    package func forgottenVersion(of user: ID) throws(VaultError) -> Int64 {
        try database.first("SELECT version FROM forgotten WHERE person = ?", [.text(user.text)], row: Row.int) ?? 0
    }
}

extension VaultError {
    /// Whether the cause is the bytes, and not this machine.
    package var isUnreadable: Bool { reason == .notAuthentic || reason == .malformed }
}
