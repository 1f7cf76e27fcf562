import CSQLite
public import Files

// What https://www.sqlite.org/security.html says of files from strangers: defensive, no trusted schema, low limits,
// cells checked. Views, virtual tables and generated columns are left alone, so nothing that the file says is run.

/// A SQLite database that another program has written, and perhaps somebody who means harm. It is in memory, and only
/// read. Belongs to one thread.
public final class ForeignDatabase {
    private let handle: OpaquePointer
    /// How many thousands of steps SQLite has taken.
    private let steps: UnsafeMutablePointer<Int>
    /// Bytes of texts that were read.
    private var textBytes = 0

    /// Bytes of a row, and of a statement in the schema; columns of a table, and tables.
    private static let (longest, mostColumns, mostTables): (Int32, Int32, Int) = (1_000_000, 200, 1000)

    /// What a whole file may cost: pages of a tree that lead to each other make a small file endless. Ten years of a
    /// band's minutes, 5.26 million rows, take 31,560 thousands of steps.
    private static let (mostSteps, mostTextBytes) = (300_000, 256 << 20)

    /// Lends a database to `body`.
    /// - Parameter bytes: the whole file. They are changed, if the file says that there is a log next to it.
    public static func with<Result>(
        _ bytes: UnsafeMutableRawBufferPointer, _ body: (ForeignDatabase) throws(VaultError) -> Result
    ) throws(VaultError) -> Result {
        try body(try ForeignDatabase(bytes))
    }

    private init(_ bytes: UnsafeMutableRawBufferPointer) throws(VaultError) {
        let attempted = "open a database"
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard let opened else {
            throw VaultError(attempted, .inputOutput, said: String(cString: sqlite3_errstr(code)), code: code)
        }
        handle = opened
        steps = .allocate(capacity: 1)
        steps.initialize(to: 0)
        try check(code, attempted)
        sqlite3_progress_handler(
            handle, 1000,
            { context in
                guard let steps = context?.assumingMemoryBound(to: Int.self) else { return 1 }
                steps.pointee += 1
                return steps.pointee > ForeignDatabase.mostSteps ? 1 : 0
            }, steps)
        try check(vitals_sqlite_distrust(handle), attempted)
        for (limit, most) in [
            (SQLITE_LIMIT_LENGTH, Self.longest), (SQLITE_LIMIT_SQL_LENGTH, Self.longest), (SQLITE_LIMIT_ATTACHED, 0),
            (SQLITE_LIMIT_COLUMN, Self.mostColumns), (SQLITE_LIMIT_EXPR_DEPTH, 50), (SQLITE_LIMIT_TRIGGER_DEPTH, 1),
            (SQLITE_LIMIT_WORKER_THREADS, 0),
        ] {
            sqlite3_limit(handle, limit, most)
        }
        // In memory there is no log, and SQLite refuses a file that says there is one: sqlite3_deserialize's
        // documentation names these two bytes.
        if bytes.count >= 100 { (bytes[18], bytes[19]) = (1, 1) }
        try check(
            sqlite3_deserialize(
                handle, "main", bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), Int64(bytes.count),
                Int64(bytes.count), UInt32(SQLITE_DESERIALIZE_READONLY)), attempted)
        try check(sqlite3_exec(handle, "PRAGMA cell_size_check = ON", nil, nil, nil), attempted)
    }

    deinit {
        sqlite3_close_v2(handle)
        steps.deallocate()
    }

    /// The names of its tables. Views and virtual tables are none.
    public func tables() throws(VaultError) -> [String] {
        var tables: [String] = []
        try each("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0") { row in
            if case .text(let name) = row[0] { tables.append(name) }
            return tables.count < Self.mostTables
        }
        return tables
    }

    /// The names of a table's columns, as they are in the file. Those that are computed are none.
    public func columns(of table: String) throws(VaultError) -> [String] {
        var columns: [String] = []
        try each("PRAGMA table_info(\(Self.quoted(table)))") { row in
            if row.count > 1, case .text(let name) = row[1] { columns.append(name) }
            return true
        }
        return columns
    }

    /// Shows each row to `row`, in the order in which they lie there, for as long as it says so. A blob is shown as
    /// null.
    public func forEach(
        in table: String, _ columns: [String], row: ([Value]) -> Bool
    ) throws(VaultError) {
        let names = columns.map(Self.quoted).joined(separator: ", ")
        try each("SELECT \(names) FROM \(Self.quoted(table)) NOT INDEXED", row)
    }

    private static func quoted(_ name: String) -> String {
        "\"\(name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }

    private func each(_ sql: String, _ row: ([Value]) -> Bool) throws(VaultError) {
        var prepared: OpaquePointer?
        try check(sqlite3_prepare_v2(handle, sql, -1, &prepared, nil), "read a table")
        guard let prepared else { throw VaultError("read a table", .misuse, said: "there is no statement") }
        defer { sqlite3_finalize(prepared) }
        while true {
            let code = sqlite3_step(prepared)
            guard code != SQLITE_DONE else { return }
            guard code == SQLITE_ROW else { return try check(code, "read a table") }
            let values = (0..<sqlite3_column_count(prepared)).map { value(prepared, $0) }
            guard textBytes <= Self.mostTextBytes else {
                throw VaultError("read a table", .corrupt, said: "there is more text than there can be")
            }
            guard row(values) else { return }
        }
    }

    private func value(_ statement: OpaquePointer, _ column: Int32) -> Value {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            guard let bytes = sqlite3_column_text(statement, column) else { return .null }
            let count = Int(sqlite3_column_bytes(statement, column))
            textBytes += count
            return .text(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
        default: return .null
        }
    }

    private func check(_ code: Int32, _ attempted: String) throws(VaultError) {
        guard code != SQLITE_OK else { return }
        throw VaultError(attempted, Database.reason(code), said: String(cString: sqlite3_errmsg(handle)), code: code)
    }
}

@available(*, unavailable, message: "a connection belongs to one thread at a time")
extension ForeignDatabase: Sendable {}
