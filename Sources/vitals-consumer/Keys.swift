import Daemon
import Glibc
import Telemetry
import Vault

// The tree of keys, as far as the consumer holds it.
//
//     root key                    a file, or a credential of systemd's; never in a database
//     ├ check                     a known text under the root key: another root key is found out before anything is done
//     ├ identity, lookup, pepper  random, wrapped under the root key
//     │ └ "service"               of the pepper: AES-256-GCM for rows about nobody in particular
//     └ person secret, version    random, wrapped under the root key, bound to person and version
//       ├ "stream"                X25519: what gateways seal to
//       └ "rows"                  AES-256-GCM: what the consumer itself writes
//
// All that is wrapped lies in keys.db, apart from vitals.db: to forget a person is to delete a row here, and the pages of
// this file are overwritten as they are deleted.

/// The keys of a consumer. Belongs to one thread at a time.
final class Keys {
    /// What to do where there are no keys.
    enum Access {
        /// Only read, beside a running service.
        case read
        /// Write, but everything must be there.
        case write
        /// Make what is missing, the root key's file included.
        case create
    }

    /// Signs what gateways are to believe.
    let identity: Ed25519.SigningKey
    /// Goes into every password's hash, so that a copy of vitals.db alone is nothing to guess passwords with.
    let pepper: SymmetricKey
    /// Seals rows that are about no person, such as codes.
    let service: BlockCipher
    /// Keyed hashes of names, to look them up by.
    private let lookup: SymmetricKey
    private let database: Database
    private let root: BlockCipher
    private var people: [PersonVersion: Person] = [:]
    private var reported = OncePerMinute<PersonVersion>(capacity: 1024)

    struct PersonVersion: Hashable {
        let user: String
        let version: Int64
    }

    /// What derives from one version of a person's secret.
    struct Person {
        /// What gateways seal session keys to.
        let stream: X25519KeyPair
        /// Seals what the consumer writes about the person.
        let rows: BlockCipher
    }

    /// "Viky".
    static let applicationID: Int32 = 0x5669_6B79
    static let migrations = [
        """
        CREATE TABLE wrapped (name TEXT PRIMARY KEY, sealed BLOB NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE secrets (
            user TEXT NOT NULL, version INTEGER NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (user, version)
        ) STRICT, WITHOUT ROWID;
        """
    ]

    /// Opens the keys with the root key that the settings name.
    /// - Parameters:
    ///   - folder: where keys.db is, if not in the settings' state folder.
    ///   - mayBeOlder: whether a schema of before is good enough to read.
    /// - Throws: where either is missing, and where the root key is not the one of these keys.
    convenience init(_ settings: ConsumerSettings, _ access: Access, folder: String? = nil, mayBeOlder: Bool = false)
        throws(Failure)
    {
        let path = (folder ?? settings.state) + "/keys.db"
        if access != .create, folder == nil { try StateFolder.checkForPendingRestore(settings.state) }
        if access == .create {
            try StateFolder.make(settings.state)
        } else if Glibc.access(path, F_OK) != 0 {
            throw Failure(
                .configuration, "there are no keys: \(path) does not exist",
                hint: "`vitals-consumer identity` makes them; check \"state\" in the settings")
        }
        try self.init(path, root: Self.rootKey(settings, path, access), access, mayBeOlder: mayBeOlder)
    }

    private init(_ path: String, root key: SymmetricKey, _ access: Access, mayBeOlder: Bool) throws(Failure) {
        let root = BlockCipher(key: key)
        let (database, isGenuine) = try Failure.explaining { () throws(VaultError) -> (Database, Bool?) in
            let database = try Database(
                path, access == .read ? .readOnly : .readWrite(.full), applicationID: Self.applicationID,
                secureDelete: true)
            if access != .read { try database.migrate(Self.migrations) }
            let version = try database.version
            let isFitting = version == Self.migrations.count || mayBeOlder && version < Self.migrations.count
            guard isFitting else { return (database, nil) }
            return (database, try Self.check(root, database, mayMake: access != .read))
        }
        guard let isGenuine else {
            let version = try Failure.explaining { () throws(VaultError) in try database.version }
            throw Failure(olderOrNewer: path, version, knows: Self.migrations.count)
        }
        guard isGenuine else {
            throw Failure(
                .configuration, "the root key is not the one that \(path) was made with",
                hint:
                    "check root_key_file in the settings, or the credential root-key; without the right one nothing can be opened"
            )
        }
        self.root = root
        self.database = database
        if access != .read { try Failure.explaining { () throws(VaultError) in try Self.flush(database) } }
        (identity, lookup, pepper, service) = try Failure.explaining { () throws(VaultError) in
            let pepper = try Self.wrapped("pepper", root, database)
            return (
                try Ed25519.SigningKey(seed: Self.wrapped("identity", root, database)),
                try Self.wrapped("lookup", root, database), pepper,
                BlockCipher(key: try HKDF.key(from: pepper, salt: [], info: "service"))
            )
        }
    }

    /// What a name (an e-mail address, a phone number) is looked up by: 32 bytes that tell nothing without the root key.
    func lookup(_ purpose: String, _ text: String) throws(VaultError) -> [UInt8] {
        try HMACSHA256.code(for: Array(purpose.utf8) + [0] + Array(text.utf8), key: lookup)
    }

    // MARK: The root

    /// The key in the file or credential that the settings name.
    private static func rootKey(
        _ settings: ConsumerSettings, _ database: String, _ access: Access
    ) throws(Failure) -> SymmetricKey {
        guard let path = settings.rootKeyFile else {
            guard
                let key = try Failure.explaining({ () throws(VaultError) in try KeyFile.load(credential: "root-key") })
            else {
                throw Failure(
                    .configuration, "there is no root key",
                    hint: "set root_key_file, or give the service a credential: LoadCredentialEncrypted=root-key:…")
            }
            return key
        }
        let isMissing = Glibc.access(path, F_OK) != 0
        guard isMissing, access == .create else {
            return try Failure.explaining { () throws(VaultError) in try KeyFile.load(path) }
        }
        guard Glibc.access(database, F_OK) != 0 else {
            throw Failure(
                .configuration, "the root key is missing: \(path)",
                hint: "\(database) needs the one that it was made with: a new one would open nothing")
        }
        let key = try Failure.explaining { () throws(VaultError) in try KeyFile.createIfMissing(path) }
        log.notice("made a root key in \(path): keep a copy of it apart from the data")
        return key
    }

    /// Whether the root key is the one that these keys were made with. New keys get everything that they need, or nothing.
    private static func check(_ root: BlockCipher, _ database: Database, mayMake: Bool) throws(VaultError) -> Bool {
        let text = Array("vitals root key".utf8)
        let aad = Array("check".utf8)
        if let sealed = try sealed("check", database) {
            do { return try root.openWithNonce(sealed, aad: aad) == text } catch {
                guard error.isUnreadable else { throw error }
                return false
            }
        }
        guard mayMake else { return false }
        try database.transaction { () throws(VaultError) in
            try keep("check", root.sealWithNonce(text, aad: aad), database)
            for name in ["identity", "lookup", "pepper"] {
                let secret = try SymmetricKey.random()
                try keep(name, root.sealWithNonce(secret.bytes, aad: wrappedData(name)), database)
            }
        }
        return true
    }

    private static func wrapped(
        _ name: String, _ root: BlockCipher, _ database: Database
    ) throws(VaultError) -> SymmetricKey {
        // Nothing there is as good as nothing that opens.
        let sealed = try sealed(name, database) ?? []
        return try SymmetricKey(root.openWithNonce(sealed, aad: wrappedData(name)))
    }

    private static func sealed(_ name: String, _ database: Database) throws(VaultError) -> [UInt8]? {
        try database.first("SELECT sealed FROM wrapped WHERE name = ?", [.text(name)], row: Row.blob)
    }

    private static func keep(_ name: String, _ sealed: [UInt8], _ database: Database) throws(VaultError) {
        try database.execute("INSERT INTO wrapped (name, sealed) VALUES (?, ?)", [.text(name), .blob(sealed)])
    }

    private static func wrappedData(_ name: String) -> [UInt8] { Array("wrapped".utf8) + [0] + Array(name.utf8) }

    // MARK: People

    /// Makes a new version of a person's secret. The old ones stay: they open what is stored, and what is on its way.
    /// - Returns: the version; nil where there is no such person.
    func rotate(_ user: ID) throws(VaultError) -> Int64? {
        try database.transaction { () throws(VaultError) in
            guard let version = try version(of: user) else { return nil }
            try makeSecret(of: user, version + 1)
            return version + 1
        }
    }

    /// The newest version of a person's secret, made where there is none.
    func currentVersion(of user: ID) throws(VaultError) -> Int64 {
        try database.transaction { () throws(VaultError) in
            if let version = try version(of: user) { return version }
            try makeSecret(of: user, 1)
            return 1
        }
    }

    private func makeSecret(of user: ID, _ version: Int64) throws(VaultError) {
        let secret = try SymmetricKey.random()
        let sealed = try root.sealWithNonce(secret.bytes, aad: Self.personData(user.text, version))
        try database.execute(
            "INSERT INTO secrets (user, version, sealed) VALUES (?, ?, ?)",
            [.text(user.text), .integer(version), .blob(sealed)])
    }

    /// The newest version of a person's secret; nil where there is none, or none any more.
    func version(of user: ID) throws(VaultError) -> Int64? {
        try database.first(
            "SELECT version FROM secrets WHERE user = ? ORDER BY version DESC LIMIT 1", [.text(user.text)], row: Row.int
        )
    }

    /// The keys of one version of a person's secret; nil where that secret is not there, or was forgotten; also where it is
    /// damaged, which is logged: the others' go on, and nothing is made in its place.
    func person(_ user: String, version: Int64) throws(VaultError) -> Person? {
        let name = PersonVersion(user: user, version: version)
        if let person = people[name] { return person }
        let sealed = try database.first(
            "SELECT sealed FROM secrets WHERE user = ? AND version = ?", [.text(user), .integer(version)], row: Row.blob
        )
        guard let sealed else { return nil }
        do {
            let secret = try SymmetricKey(root.openWithNonce(sealed, aad: Self.personData(user, version)))
            let person = Person(
                stream: try X25519KeyPair(privateKey: HKDF.key(from: secret, salt: [], info: "stream")),
                rows: BlockCipher(key: try HKDF.key(from: secret, salt: [], info: "rows")))
            people[name] = person
            return person
        } catch {
            guard error.isUnreadable else { throw error }
            if reported.allows(name, now: millisecondsSinceBoot()) {
                log.error(
                    """
                    the secret of \(user), version \(version), in \(database.path) is damaged: nothing of theirs can be opened \
                    or stored until keys.db is restored from a backup; the others' is not affected
                    """)
            }
            return nil
        }
    }

    /// Every version of every person's secret that is there, damaged ones too.
    func all() throws(VaultError) -> [PersonVersion] {
        try database.query("SELECT user, version FROM secrets ORDER BY user, version") { (row) throws(VaultError) in
            PersonVersion(user: try row.text(0), version: try row.int(1))
        }
    }

    /// Whose public key this is; nil where it is nobody's here.
    func owner(of publicKey: [UInt8]) throws(VaultError) -> PersonVersion? {
        for name in try all() {
            if try person(name.user, version: name.version)?.stream.publicKey == publicKey { return name }
        }
        return nil
    }

    /// Sees to it that all there is in keys.db is on the disk, also what another process has written: one that was killed between
    /// writing and flushing has left what can be read, and a power cut would still take it.
    func makeDurable() throws(VaultError) { try Self.flush(database) }

    private static func flush(_ database: Database) throws(VaultError) {
        try database.durably { () throws(VaultError) in }
    }

    /// Moves all that was written into keys.db itself.
    func closeLog() throws(VaultError) { try database.checkpoint() }

    /// Checks every page of keys.db.
    func checkIntegrity() throws(VaultError) { try database.checkIntegrity() }

    private static func personData(_ user: String, _ version: Int64) -> [UInt8] {
        Array("person".utf8) + [0] + Array(user.utf8) + [0] + Array("\(version)".utf8)
    }
}

extension VaultError {
    /// Whether the bytes are to blame, and not this machine.
    var isUnreadable: Bool { reason == .notAuthentic || reason == .malformed }
}
