import Custody
import Daemon
import Features
import Files
import Glibc
import Records
import Storage
import Telemetry
import Vault

/// `vitals-consumer restore`: a backup becomes the state. The state folder must not have databases yet.
///
/// Both databases are copied next to the state folder, checked, migrated and opened with the root key; only then are
/// they put in place. The restored store gets an id of its own: gateways that see it in a grant send everything that
/// they keep again, and the consumer takes what it does not have. Every sensor's latest grant gets a serial above all
/// that the old store can have issued.
///
/// People who were forgotten since the backup are forgotten again, before anything is put in place: see
/// Records/Forgotten.swift.
struct RestoreCommand: Subcommand {
    static let declaration = Command(
        name: "restore",
        summary: "Restores a backup as the state of this consumer; the service must not be running.",
        discussion: """
            There must be no databases in the state folder: nothing is overwritten. The backup is checked with the root key \
            before anything is put in place. Gateways then send again what they keep, and the service takes what it does not \
            have. People who were forgotten after the backup, according to the list of the forgotten, are forgotten again.
            """,
        options: [
            .value("data", "DIR", "the folder of vitals.db, if it is not DIR/data"),
            .value("keys", "DIR", "the folder of keys.db, if it is not DIR/keys"),
            .value("forgotten", "FILE", "a list of the forgotten, besides those in the backup and the state folder"),
            .value("above", "NUMBER", "makes newer grants than this number, which a log has named"),
        ],
        arguments: [.optional("DIR", "what backup has written")],
        examples: [
            Example("vitals-consumer restore /media/backup/2026-11-21"),
            Example("vitals-consumer restore --data /media/backup/data --keys /media/stick/keys"),
        ])

    /// Where vitals.db is.
    let data: String
    /// Where keys.db is.
    let keys: String
    /// A list of the forgotten, in addition to those that are found.
    let forgotten: String?
    /// Whether this is practice, next to a consumer that goes on: what the consumer has is not touched.
    let isRehearsal: Bool
    /// A grant that a gateway has, and that the clock alone does not pass; otherwise 0.
    let above: Int64

    /// `DIR`, or `--data` and `--keys`.
    init(_ arguments: Arguments) throws {
        let folder = try arguments.optionalString("DIR")
        guard let data = try arguments.optionalString("data") ?? folder.map({ $0 + "/data" }),
            let keys = try arguments.optionalString("keys") ?? folder.map({ $0 + "/keys" })
        else { throw arguments.missing("DIR", "name it, or both --data and --keys") }
        let above = try arguments.optionalInteger("above", in: 1...Int(Int64.max / 2))
        self.init(
            data: data, keys: keys, forgotten: try arguments.optionalString("forgotten"), above: Int64(above ?? 0))
    }

    init(data: String, keys: String, forgotten: String? = nil, isRehearsal: Bool = false, above: Int64 = 0) {
        self.data = data
        self.keys = keys
        self.forgotten = forgotten
        self.isRehearsal = isRehearsal
        self.above = above
    }

    func run(_ settings: ConsumerSettings, output: CInt) throws(Failure) -> ExitCode {
        try run(settings, now: unixMilliseconds(), output: output)
    }

    /// Writes what was restored to `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, now: Int64, output: CInt) throws(Failure) -> ExitCode {
        let summary = try restore(settings, now: now)
        var lines = Lines(output)
        lines.write(Array(summary.utf8))
        lines.flush()
        return .ok
    }

    /// Restores it.
    /// - Returns: what to say about it.
    func restore(_ settings: ConsumerSettings, now: Int64) throws(Failure) -> String {
        let folder = try StateFolder(settings.state)
        if let database = folder.database {
            throw Failure(
                .inputOutput, "\(settings.state) already has databases: \(database)",
                hint: "nothing is ever overwritten: move them away first, and keep them")
        }
        let prepared = folder.restoring
        try Failure.explaining { () throws(VaultError) in
            try Folder.make(prepared)
            try Self.copy("\(data)/vitals.db", to: "\(prepared)/vitals.db", Store.applicationID)
            try Self.copy("\(keys)/keys.db", to: "\(prepared)/keys.db", Keys.applicationID)
        }
        let summary = try renew(settings, prepared, now: now)
        try Failure.explaining { () throws(VaultError) in try folder.putInPlace() }
        return summary
    }

    /// Perhaps only the operator can read the backup and its log; the copy must belong to the service.
    private static func checked(_ path: String, _ application: Int32) throws(VaultError) -> Database {
        let rights = FileRights.takeCallers()
        defer { rights.giveBack() }
        if FileRights.areRoots { try ReadableFile.check(path, "open the database \(path)") }
        let source = try Database(path, .readOnly, applicationID: application)
        try source.checkIntegrity()
        return source
    }

    private static func copy(_ path: String, to copy: String, _ application: Int32) throws(VaultError) {
        try checked(path, application).backUp(to: copy)
    }

    /// Opens what was copied, as the service will, and makes it a store of its own. When this returns, the databases
    /// are closed, whole and on the disk.
    private func renew(
        _ settings: ConsumerSettings, _ prepared: String, now: Int64
    ) throws(Failure) -> String {
        // Read-only first: if the copy is empty, nothing must be made.
        _ = try Keys(settings, .read, folder: prepared, mayBeOlder: true)
        let keys = try Keys(settings, isRehearsal ? .rehearse : .write, folder: prepared)
        let store = try Store(folder: prepared, adding: Feature.all.schema)
        return try Failure.explaining { () throws(VaultError) in
            try keys.checkIntegrity()
            try store.database.checkIntegrity()
            let again = try forgetAgain(settings, store, keys)
            let renewed = try store.renew(now: max(now, above + 1))
            for stream in try store.streams() where !stream.user.isEmpty {
                guard try keys.person(stream.user, version: stream.secretVersion) == nil else { continue }
                log.warning(
                    "stream \(stream.id) of \(stream.user): the secret is not in these keys, its blocks stay closed")
            }
            try keys.closeLog()
            try store.database.checkpoint()
            return """
                restored store \(store.id) as \(renewed): \(try store.streams().count) streams\(again)
                Start the service: gateways send again what they keep, and it takes what it has not.
                """
        }
    }
}

extension RestoreCommand {
    /// Forgets again the people who were forgotten after the backup, as far as any list says.
    /// - Returns: what to say about it.
    private func forgetAgain(_ settings: ConsumerSettings, _ store: Store, _ keys: Keys) throws(VaultError) -> String {
        let lists = try lists(keys)
        let places = ForgottenPlaces(settings, store: store, keys: keys)
        // The service goes on without a list that cannot be read. Here it may be the only one that names somebody.
        for file in places.files { _ = try ForgottenList(file, keys) }
        if let file = settings.forgottenFile, let end = file.lastIndex(of: "/"), access(String(file[...end]), F_OK) != 0
        {
            throw VaultError(
                "read the list of the forgotten \(file)", .missing,
                said: "its folder is missing: is the medium mounted?")
        }
        var count = 0
        for person in try places.bringUpToDate(with: lists).inOrder {
            guard try Erasure.isPending(person, store, keys, Feature.all) else { continue }
            // The service decides at its start whose the sensors are.
            let given = settings.givenSensors
            var erasure = Erasure(person, store, keys, Feature.all, given: given) { _ throws(VaultError) in }
            try erasure.finish()
            count += 1
        }
        return count == 0 ? "" : "; \(count) \(count == 1 ? "person" : "persons") forgotten since the backup, and again"
    }
}

extension RestoreCommand {
    /// The lists that the operator has named, or that are in the backup: read as root, if root runs this.
    private func lists(_ keys: Keys) throws(VaultError) -> [ForgottenList] {
        let rights = FileRights.takeCallers()
        defer { rights.giveBack() }
        var lists = [try ForgottenList(data + "/forgotten", keys), try ForgottenList(self.keys + "/forgotten", keys)]
        guard let forgotten else { return lists }
        if access(forgotten, F_OK) != 0, errno == ENOENT {
            lists.append(try listBeside(forgotten))
        } else {
            lists.append(try ForgottenList(forgotten, keys))
        }
        return lists
    }

    /// If nobody was ever forgotten there is no list; the databases of that folder have the same list, and prove
    /// that it is empty.
    private func listBeside(_ forgotten: String) throws(VaultError) -> ForgottenList {
        let folder = forgotten.lastIndex(of: "/").map { String(forgotten[..<$0]) } ?? "."
        let path = "\(folder)/keys.db"
        guard access(path, F_OK) == 0 else {
            throw VaultError(
                "read the list of the forgotten \(forgotten)", .missing,
                said: "it is missing, and there is no keys.db next to it with the same list")
        }
        let database = try Database(path, .readOnly, applicationID: Keys.applicationID)
        // The keys may be as an older program left them, and are not changed. The first version had no list.
        let has = { (name: String) throws(VaultError) in try database.hasApplied(name, of: Keys.migrations) }
        let column = try has("keys/3") ? "person" : "user"
        let list = try has("keys/2") ? ForgottenList(database, column: column) : ForgottenList()
        log.notice(
            "there is no list \(forgotten): according to the keys next to it, \(list.people.count) were forgotten")
        return list
    }
}

extension Store {
    /// Makes this a store of its own, and every sensor's latest grant newer than any earlier one.
    /// - Returns: the new id.
    fileprivate func renew(now: Int64) throws(VaultError) -> StoreID {
        let bytes = try RandomBytes.draw(16)
        try database.transaction { () throws(VaultError) in
            try database.execute("UPDATE store SET id = ?", [.blob(bytes)])
            for stream in try latestStreams() {
                try database.execute(
                    "UPDATE streams SET serial = ? WHERE number = ?",
                    [.integer(nextSerial(now)), .integer(stream.number)])
            }
        }
        return StoreID(stored: bytes)
    }
}
