import CSQLite
public import Files
import Glibc

/// One connection to a SQLite database in WAL mode.
///
/// **One owner.** A connection belongs to one thread at a time. The class is not `Sendable` and SQLite's own mutexes
/// are off, so the compiler refuses a second owner; a connection may be made anywhere and then handed over for good.
///
/// **Handles stay inside.** A row or a statement is good only within the closure that may use it; one that was kept
/// throws.
///
/// Closures say `{ () throws(VaultError) in … }` and `{ row throws(VaultError) in … }`: Swift 6 does not infer a
/// closure's error type by itself.
///
/// **What is durable when a call returns.** In WAL mode a commit survives a killed process as soon as it returns. It
/// survives a power cut at once with `.full`; with `.normal` only from the next flush on: `durably`, or a checkpoint.
/// Nothing is ever torn. One connection writes; others open read-only, or to move the log into the file in passing.
public final class Database {
    /// The files of a database: itself, and what SQLite keeps next to it while it is open.
    public static func files(_ path: String) -> [String] { [path, path + "-wal", path + "-shm"] }

    /// What a commit waits for.
    public enum Synchronous: String, Sendable {
        /// Not for the disk: commits survive a killed process, and a power cut once flushed.
        case normal = "NORMAL"
        /// For the disk: commits survive a power cut.
        case full = "FULL"
    }

    /// How to open a file.
    public enum Mode: Hashable, Sendable {
        /// Reads and writes; makes the file, with mode 0600, if there is none.
        case readWrite(Synchronous)
        /// Reads only; the file must exist.
        case readOnly
    }

    /// The file.
    public let path: String
    let handle: OpaquePointer
    let busyMilliseconds: Int32
    private let synchronous: Synchronous?
    /// Idle statements by their SQL. One in use is not in here, so that the same SQL can run inside its own rows.
    private var idle: [StatementText: Statement] = [:]
    private static let idleLimit = 128
    /// SQLite counts its memory, under a lock at each allocation, for functions that nobody here calls. This switches
    /// it off, once for the process, before SQLite's first use; if something else has used SQLite before, the call
    /// says so and SQLite keeps counting.
    private static let hasNoStatistics = vitals_sqlite_without_memory_statistics() == SQLITE_OK

    /// Has SQLite open every file without waiting: root's commands open databases in a folder whose owner can put a pipe
    /// in the place of any file.
    private static let waitsForNoPipe = vitals_sqlite_without_waiting() == SQLITE_OK

    /// What SQLite would say about a pipe is only that the disk has an error.
    private static func refusePipes(_ path: String, _ attempted: String) throws(VaultError) {
        for file in files(path) {
            var status = stat()
            guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { continue }
            let advice = "find out who has put it there"
            throw VaultError(attempted, .malformed, said: "\(file) is a pipe, not a file: \(advice)")
        }
    }

    /// Opens the file at `path`.
    ///
    /// - Parameters:
    ///   - applicationID: written into new files (`PRAGMA application_id`); a file with another one is refused as
    ///     `.foreign`. Not 0.
    ///   - busyTimeout: how long to wait for another connection's lock, before `.locked`.
    ///   - secureDelete: overwrite deleted rows with zeros, for a database of keys.
    ///   - pageSize: of a new file; a power of two from 512 to 65536, nil for SQLite's own choice. A commit writes
    ///     whole pages.
    public init(
        _ path: String, _ mode: Mode, applicationID: Int32, busyTimeout: Duration = .seconds(5),
        secureDelete: Bool = false, pageSize: Int? = nil
    ) throws(VaultError) {
        self.path = path
        _ = Self.hasNoStatistics
        _ = Self.waitsForNoPipe
        let attempted = "open the database \(path)"
        try Self.refusePipes(path, attempted)
        var flags = SQLITE_OPEN_NOMUTEX
        switch mode {
        case .readOnly:
            flags |= SQLITE_OPEN_READONLY
            synchronous = nil
            // SQLite says only "unable to open database file".
            guard access(path, R_OK) == 0 else { throw .system(attempted, errno: errno) }
        case .readWrite(let level):
            flags |= SQLITE_OPEN_READWRITE
            synchronous = level
            try Self.createFile(path, attempted)
            // The log is next to it; about that, too, SQLite says only "unable to open database file".
            let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
            guard access(folder, W_OK) == 0 else { throw .system(attempted, errno: errno) }
        }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened else {
            throw VaultError(attempted, .inputOutput, said: String(cString: sqlite3_errstr(code)), code: code)
        }
        let milliseconds =
            busyTimeout.components.seconds * 1000 + busyTimeout.components.attoseconds / 1_000_000_000_000_000
        handle = opened
        busyMilliseconds = Int32(clamping: milliseconds)
        try check(code, attempted)
        try check(sqlite3_extended_result_codes(handle, 1), attempted)
        try check(sqlite3_busy_timeout(handle, busyMilliseconds), attempted)
        // Nothing is written to a file before it is known to be ours.
        let isNew = try isNew(applicationID: applicationID, attempted)
        try run("PRAGMA trusted_schema = OFF")
        try run("PRAGMA foreign_keys = ON")
        guard let synchronous else { return }
        if isNew, let pageSize { try run("PRAGMA page_size = \(pageSize)") }
        guard try first("PRAGMA journal_mode = WAL", row: Row.text) == "wal" else {
            throw VaultError(attempted, .misuse, said: "this file system does not allow WAL mode")
        }
        try run("PRAGMA synchronous = \(synchronous.rawValue)")
        if secureDelete { try run("PRAGMA secure_delete = ON") }
        if isNew { try run("PRAGMA application_id = \(applicationID)") }
    }

    deinit {
        idle.removeAll()
        // If somebody has kept a statement, the connection is closed with it.
        sqlite3_close_v2(handle)
    }

    /// Makes an empty file of mode 0600, which SQLite takes for a new database; WAL and shared memory inherit its mode.
    private static func createFile(_ path: String, _ attempted: String) throws(VaultError) {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            if errno == EEXIST { return }
            throw .system(attempted, errno: errno)
        }
        close(file)
        try Folder.makeNamesDurable(of: path, attempted)
    }

    /// Whether nothing was ever written to the file. Throws `.foreign` for another program's.
    private func isNew(applicationID: Int32, _ attempted: String) throws(VaultError) -> Bool {
        let found = try first("PRAGMA application_id", row: Row.int) ?? 0
        if found == Int64(applicationID) { return false }
        let tables = try first("SELECT count(*) FROM sqlite_schema", row: Row.int) ?? 0
        if found == 0, tables == 0, try version == 0, synchronous != nil { return true }
        throw VaultError(attempted, .foreign, said: "its application id is \(found) instead of \(applicationID)")
    }

    // MARK: Statements

    /// Runs one statement that gives no rows, and says how many rows it changed.
    @discardableResult
    public func execute(_ sql: String, _ bindings: [Value] = []) throws(VaultError) -> Int {
        try withStatement(sql) { statement throws(VaultError) in try statement.run(bindings) }
    }

    /// What `row` makes of each row.
    public func query<T>(
        _ sql: String, _ bindings: [Value] = [], row: (Row) throws(VaultError) -> T
    ) throws(VaultError) -> [T] {
        var results: [T] = []
        try forEach(sql, bindings) { found throws(VaultError) in results.append(try row(found)) }
        return results
    }

    /// What `row` makes of the first row; nil if there is none.
    public func first<T>(
        _ sql: String, _ bindings: [Value] = [], row: (Row) throws(VaultError) -> T
    ) throws(VaultError) -> T? {
        try withStatement(sql) { statement throws(VaultError) in try statement.first(bindings, row: row) }
    }

    /// Shows each row to `row`, keeping nothing: for results that should not be in memory at once.
    public func forEach(
        _ sql: String, _ bindings: [Value] = [], row: (Row) throws(VaultError) -> Void
    ) throws(VaultError) {
        try withStatement(sql) { statement throws(VaultError) in try statement.forEach(bindings, row: row) }
    }

    /// Lends a prepared statement, to run it many times. It is prepared once and kept for the next call with the same
    /// SQL.
    public func withStatement<T>(
        _ sql: String, _ body: (Statement) throws(VaultError) -> T
    ) throws(VaultError) -> T {
        let statement = try take(sql)
        defer { giveBack(statement) }
        return try body(statement)
    }

    /// Runs a statement for many rows, in portions: few statements, however many rows there are.
    /// - Parameter values: of all rows, one after the other.
    public func execute(_ statement: RowsStatement, _ values: [Value]) throws(VaultError) {
        try portions(of: statement, values) { sql, values throws(VaultError) in
            try withStatement(sql) { prepared throws(VaultError) in _ = try prepared.run(values) }
        }
    }

    /// Shows each row that a statement finds for many rows of values, in portions.
    public func forEach(
        _ statement: RowsStatement, _ values: [Value], row: (Row) throws(VaultError) -> Void
    ) throws(VaultError) {
        try portions(of: statement, values) { sql, values throws(VaultError) in
            try withStatement(sql) { prepared throws(VaultError) in try prepared.forEach(values, row: row) }
        }
    }

    private func portions(
        of statement: RowsStatement, _ values: [Value],
        _ body: (_ sql: String, _ values: ArraySlice<Value>) throws(VaultError) -> Void
    ) throws(VaultError) {
        guard values.count % statement.columns == 0 else {
            throw VaultError("bind values", .misuse, said: "\(values.count) values do not make whole rows")
        }
        var rest = values[...]
        for (rows, sql) in statement.portions {
            let count = rows * statement.columns
            while rest.count >= count {
                try body(sql, rest.prefix(count))
                rest = rest.dropFirst(count)
            }
        }
    }

    private func take(_ sql: String) throws(VaultError) -> Statement {
        guard let kept = idle.removeValue(forKey: StatementText(sql: sql)) else {
            return Statement(handle: try prepare(sql), database: self, sql: sql)
        }
        kept.isLent = true
        return kept
    }

    private func giveBack(_ statement: Statement) {
        statement.isLent = false
        guard idle.count < Self.idleLimit else { return }
        let text = StatementText(sql: statement.sql)
        if idle[text] == nil { idle[text] = statement }
    }

    private func prepare(_ sql: String) throws(VaultError) -> StatementHandle {
        var prepared: OpaquePointer?
        var rest: UnsafePointer<CChar>?
        var isLast = true
        let code = sql.withCString { text in
            let code = sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, &rest)
            isLast = rest.map { String(cString: $0).allSatisfy { $0.isWhitespace || $0 == ";" } } ?? true
            return code
        }
        try check(code, "prepare a statement", sql)
        guard let prepared else {
            throw VaultError("prepare a statement", .misuse, said: "there is no statement", sql: sql)
        }
        guard isLast else {
            sqlite3_finalize(prepared)
            throw VaultError("prepare a statement", .misuse, said: "more than one statement", sql: sql)
        }
        return prepared
    }

    /// Runs SQL of any number of statements, without bindings and rows.
    func run(_ sql: String) throws(VaultError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil), "run", sql)
    }

    /// The id of the row that this connection inserted last.
    public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// How many rows this connection has inserted, changed and deleted since it was opened.
    public var changes: Int64 { sqlite3_total_changes64(handle) }

    // MARK: Flushes

    /// One transaction which, when it returns, is on the disk together with every commit before it: a group commit.
    ///
    /// With an empty body it is a flush. On a `.normal` connection the level is raised to FULL for this one commit;
    /// outside of the transaction, since SQLite ignores the pragma inside.
    @discardableResult
    public func durably<T>(_ body: () throws(VaultError) -> T) throws(VaultError) -> T {
        try run("PRAGMA synchronous = FULL")
        defer { restoreSynchronous() }
        do throws(VaultError) {
            try settleDoubt()
            return try flushed(body)
        } catch {
            if error.reason == .inputOutput { doubt = .own }
            throw error
        }
    }

    /// Whether a flush has failed. The kernel then treats what it could not write as written, and no later flush would
    /// say otherwise: only what is written again counts, so the log is moved into the database file, and emptied,
    /// before the next flush.
    private enum Doubt {
        case none
        /// The process before may have had a flush that failed.
        case inherited
        case own
    }

    private var doubt = Doubt.inherited

    /// Whether a flush of this process has failed, and nothing has been written again since.
    public var isDoubtful: Bool { doubt == .own }

    /// Somebody else's flush of the log has failed: see `LogFile`.
    public func distrustFlushes() { doubt = .own }

    private func settleDoubt() throws(VaultError) {
        guard doubt != .none else { return }
        if try checkpoint() {
            doubt = .none
        } else if doubt == .own {
            throw VaultError("flush the database \(path)", .locked, said: "a reader is in the way")
        }
    }

    private func flushed<T>(_ body: () throws(VaultError) -> T) throws(VaultError) -> T {
        return try transaction { () throws(VaultError) -> T in
            let result = try body()
            // SQLite syncs the log only for a commit that writes to it, and leaves out a page whose bytes do not
            // change. The version in page 1 is always written, whatever the body did. Pinned by "flushes even an empty
            // transaction".
            try run("PRAGMA user_version = \(try version)")
            return result
        }
    }

    private func restoreSynchronous() {
        guard let synchronous else { return }
        // The pragma only sets a number in memory. If it failed, commits would wait for the disk: slower, never less
        // durable.
        _ = sqlite3_exec(handle, "PRAGMA synchronous = \(synchronous.rawValue)", nil, nil, nil)
    }

    // MARK: Care

    /// Every return code of SQLite passes through here.
    func check(_ code: Int32, _ attempted: String, _ sql: String? = nil) throws(VaultError) {
        guard code != SQLITE_OK else { return }
        throw VaultError(
            attempted, Self.reason(code), said: String(cString: sqlite3_errmsg(handle)), sql: sql, code: code)
    }

    static func reason(_ code: Int32) -> VaultError.Reason {
        switch code & 0xFF {
        case SQLITE_FULL: .diskFull
        case SQLITE_READONLY: .readOnly
        case SQLITE_BUSY, SQLITE_LOCKED: .locked
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
        case SQLITE_PERM, SQLITE_AUTH: .permissions
        case SQLITE_CANTOPEN: .permissions
        case SQLITE_CONSTRAINT: .constraint
        case SQLITE_IOERR, SQLITE_PROTOCOL: .inputOutput
        default: .misuse
        }
    }
}

/// SQL as a key: to hash all of it takes longer than to run a small statement, and its length tells nearly all apart.
private struct StatementText: Hashable {
    let sql: String

    func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
}

@available(*, unavailable, message: "a connection belongs to one thread at a time")
extension Database: Sendable {}
