package import Daemon
package import Files
import Glibc
import ProgramSettings
package import Storage

// The state folder of a consumer, and how a restored one is put into place.
//
//     lock           who may write here (StateLock)
//     vitals.db      what was received
//     keys.db        secrets and identity, under the root key
//     forgotten      the list of the forgotten
//     restoring/     databases that `restore` is preparing: without meaning, removed by the next program that takes the
//                    folder to write
//     restored/      databases that are ready, on their way to their places
//     moved          the store is on another machine now: nobody takes the folder to write any more
//
// `restore` prepares both databases in `restoring`, and renames that folder to `restored`: from then on, and not
// before, it has happened. The next program that takes the folder to write moves them into place, in as many tries as
// it takes. So a restore that is interrupted, at any instant, has happened or has not.

/// The state folder, taken to write to.
package struct StateFolder {
    package let path: String
    private let lock: StateLock

    /// The list of the forgotten.
    package static let forgotten = "forgotten"

    /// The databases.
    package static let databases = [Keys.file, Store.file]

    /// All files that are opened there.
    package static let files = databases.flatMap(Database.files) + [forgotten, StateLock.file]

    /// Makes the folder if there is none, takes it, and finishes what a restore has begun.
    package init(_ path: String) throws(Failure) {
        try Self.make(path)
        lock = try StateLock(folder: path)
        self.path = path
        try Self.refuseIfMoved(path)
        try Failure.explaining { () throws(VaultError) in
            if isRestored { try finishRestore() }
            // Left by a restore that was killed. It may hold keys of a person who was forgotten since the backup.
            if access(restoring, F_OK) == 0 { try Folder.remove(restoring) }
        }
    }

    /// Makes the folder, readable by its owner only, if there is none.
    package static func make(_ path: String) throws(Failure) {
        do throws(VaultError) {
            try Folder.make(path)
        } catch {
            guard access(path, F_OK) != 0 else { return }
            throw Failure(
                .configuration, "could not \(error.attempted): \(error.said)",
                hint: "check \"state\" in the settings, and who may write there")
        }
    }

    private static let moved = "moved"

    /// Notes that the store is on another machine from now on: it is never started here again.
    package func noteMove(now: Int64) throws(VaultError) {
        try SmallFile.replace("\(path)/\(Self.moved)", with: Array("\(utcTime(now))\n".utf8))
    }

    private static func refuseIfMoved(_ path: String) throws(Failure) {
        let file = "\(path)/\(moved)"
        let bytes = try Failure.explaining { () throws(VaultError) in try SmallFile.read(file, atMost: 64, isOwn: true)
        }
        guard let bytes else { return }
        let time = String(decoding: bytes.prefix { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
        throw Failure(
            .configuration,
            "the store in \(path) was moved to another machine at \(time), and must not be started here again",
            hint: "run the one that was restored there. Only if nothing was ever restored from that move: rm \(file)")
    }

    /// Databases that `restore` is preparing.
    package var restoring: String { path + "/restoring" }
    private var restored: String { path + "/restored" }
    private var isRestored: Bool { access(restored, F_OK) == 0 }

    /// The first database that exists here already.
    package var database: String? {
        let files = Self.databases.map { "\(path)/\($0)" }
        return (files + files.map { $0 + "-wal" }).first { access($0, F_OK) == 0 }
    }

    /// Puts the databases in `restoring`, which are complete and on the disk, into place.
    package func putInPlace() throws(VaultError) {
        try Folder.rename(restoring, to: restored)
        try finishRestore()
    }

    private func finishRestore() throws(VaultError) {
        // There is nothing here to overwrite: `restore` has made sure of that, and since then nobody could take the
        // folder without running this code first.
        for name in Self.databases where access("\(restored)/\(name)", F_OK) == 0 {
            try Folder.rename("\(restored)/\(name)", to: "\(path)/\(name)")
        }
        try Folder.remove(restored)
    }

    /// Brings the databases that are there up to date. Nobody else has the folder: a service of an earlier version
    /// would not find its columns.
    /// - Parameter features: the features' own part of the store's schema.
    package func migrate(adding features: Schema = Schema()) throws(Failure) {
        for (name, id, migrations) in [
            (Keys.file, Keys.applicationID, Keys.migrations),
            (Store.file, Store.applicationID, Store.migrations + features.steps),
        ] where access("\(path)/\(name)", F_OK) == 0 {
            try Failure.explaining { () throws(VaultError) in
                try Database("\(path)/\(name)", .readWrite(.full), applicationID: id, secureDelete: true)
                    .migrate(migrations)
            }
        }
    }

    /// Migrates a database in a folder that this process does not hold, as a command does while the service runs.
    /// Refuses it where another process has the folder, unless the database is new.
    static func migrate(
        _ database: Database, _ schema: Schema, fill: () throws(VaultError) -> Void = {}
    ) throws(Failure) {
        let isOld = try Failure.explaining { () throws(VaultError) in
            guard case .older = try database.schemaAge(schema.steps) else { return false }
            return try database.version > 0
        }
        let folder = database.path.lastIndex(of: "/").map { String(database.path[..<$0]) } ?? "."
        guard !isOld || isFree(folder) else {
            throw Failure(
                .temporary, "a service of an earlier version runs on \(database.path)",
                hint: "restart the service, which brings its databases up to date; then run this again")
        }
        try Failure.explaining { () throws(VaultError) in
            try database.migrate(schema.steps, to: schema.tables, fill: fill)
        }
    }

    /// Whether no process holds a folder. A process that the kernel does not name holds it, too.
    private static func isFree(_ folder: String) -> Bool {
        do throws(Failure) { return try StateLock.holder(of: folder) == nil } catch { return false }
    }

    /// Refuses to continue while a restore that was interrupted in its last steps is pending: for those who do not take
    /// the folder.
    package static func checkForPendingRestore(_ path: String) throws(Failure) {
        guard access(path + "/restored", F_OK) == 0 else { return }
        throw Failure(
            .temporary, "a restore into \(path) was interrupted",
            hint: "start the service, which finishes it, or run restore again")
    }
}
