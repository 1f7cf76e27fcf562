import CSQLite
public import Files

/// sqlite3_stmt, which Swift knows as an opaque pointer only.
typealias StatementHandle = OpaquePointer

/// A value for a `?` in SQL.
public enum Value: Hashable, Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral
{
    /// INTEGER.
    case integer(Int64)
    /// REAL.
    case real(Double)
    /// TEXT.
    case text(String)
    /// BLOB; an empty one stays a blob.
    case blob([UInt8])
    /// NULL.
    case null

    /// INTEGER.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// TEXT.
    public init(stringLiteral value: String) { self = .text(value) }
    /// NULL.
    public init(nilLiteral: ()) { self = .null }

    /// INTEGER.
    public static func integer(_ value: Int) -> Value { .integer(Int64(value)) }
    /// The value, or NULL.
    public static func integer(_ value: Int64?) -> Value { value.map(Value.integer) ?? .null }
    /// The value, or NULL.
    public static func text(_ value: String?) -> Value { value.map(Value.text) ?? .null }
    /// The value, or NULL.
    public static func blob(_ value: [UInt8]?) -> Value { value.map(Value.blob) ?? .null }
}

/// A statement for rows of values, as many as there are: `INSERT INTO t (a, b) VALUES …`, or a query that begins with
/// them. It is made for 64 rows, for 8 and for 1, each prepared once.
public struct RowsStatement: Sendable {
    let columns: Int
    let portions: [(rows: Int, sql: String)]

    /// - Parameters:
    ///   - before: what comes before the rows.
    ///   - columns: how many values a row has.
    ///   - after: what follows the rows.
    public init(_ before: String, columns: Int, _ after: String = "") {
        self.columns = columns
        let row = "(" + repeatElement("?", count: columns).joined(separator: ", ") + ")"
        portions = [64, 8, 1].map { rows in
            (rows, before + repeatElement(row, count: rows).joined(separator: ", ") + after)
        }
    }
}

/// A prepared statement on loan: outside of the closure that got it, it throws `.misuse`.
///
/// (A `~Copyable` type would let the compiler refuse to keep it; but the optimiser of Swift 6.3.1 ends with an error
/// over such types in generic closures.)
public final class Statement {
    let handle: StatementHandle
    let sql: String
    private unowned let database: Database
    /// Whether a closure has it. A statement lives longer than its connection only if somebody kept it; then it is not
    /// lent.
    var isLent = true
    /// Rises with each row and at the end, so that a row knows when it is over.
    fileprivate private(set) var moment = 0
    /// The columns that were asked for by name, in the order of the first requests: rows are read in the same order
    /// each time.
    private var columns: [(name: UnsafePointer<UInt8>, column: Int)] = []
    /// The column that is asked for next, if the order is the same as before.
    private var nextColumn = 0
    /// How often SQLite has prepared this again because the schema had changed.
    private var preparations: Int32 = 0

    init(handle: StatementHandle, database: Database, sql: String) {
        self.handle = handle
        self.database = database
        self.sql = sql
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs the statement with these bindings, one for each `?`, and says how many rows it changed. It may not give
    /// rows.
    @discardableResult
    public func run(_ bindings: [Value] = []) throws(VaultError) -> Int { try run(bindings[...]) }

    func run(_ bindings: ArraySlice<Value>) throws(VaultError) -> Int {
        try bind(bindings)
        defer { reset() }
        guard try !step() else {
            throw VaultError("run a statement", .misuse, said: "it gives rows: use query", sql: sql)
        }
        return sqlite3_stmt_readonly(handle) == 0 ? Int(sqlite3_changes(database.handle)) : 0
    }

    /// Shows each row to `row`.
    public func forEach(_ bindings: [Value] = [], row: (Row) throws(VaultError) -> Void) throws(VaultError) {
        try forEach(bindings[...], row: row)
    }

    func forEach(_ bindings: ArraySlice<Value>, row: (Row) throws(VaultError) -> Void) throws(VaultError) {
        try bind(bindings)
        defer { reset() }
        guard try step() else { return }
        forgetEarlierColumns()
        repeat { try row(Row(statement: self, moment: moment)) } while try step()
    }

    /// What `row` makes of the first row; nil if there is none.
    public func first<T>(_ bindings: [Value] = [], row: (Row) throws(VaultError) -> T) throws(VaultError) -> T? {
        try bind(bindings[...])
        defer { reset() }
        guard try step() else { return nil }
        forgetEarlierColumns()
        return try row(Row(statement: self, moment: moment))
    }

    /// Whether there is a row.
    private func step() throws(VaultError) -> Bool {
        moment &+= 1
        nextColumn = 0
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        try database.check(code, "run a statement", sql)
        return false
    }

    // MARK: Names

    /// The number of the column of this name. The same literal has the same address each time: as a rule this is one
    /// comparison.
    fileprivate func column(_ name: StaticString) throws(VaultError) -> Int {
        let start = name.utf8Start
        let next = nextColumn
        if next < columns.count {
            let expected = columns[next]
            if expected.name == start {
                nextColumn = next + 1
                return expected.column
            }
        }
        if let known = columns.firstIndex(where: { $0.name == start }) {
            nextColumn = known + 1
            return columns[known].column
        }
        let column = try found(name)
        columns.append((start, column))
        nextColumn = columns.count
        return column
    }

    private func found(_ name: StaticString) throws(VaultError) -> Int {
        let text = String(describing: name)
        let columns = (0..<Int(sqlite3_column_count(handle))).filter {
            sqlite3_column_name(handle, Int32($0)).map { String(cString: $0) } == text
        }
        guard let column = columns.first, columns.count == 1 else {
            let said = columns.isEmpty ? "the statement gives no such column" : "the statement gives it twice"
            throw VaultError("read the column \(text)", .misuse, said: said, sql: sql)
        }
        return column
    }

    /// Another schema may give the same statement its columns in another order.
    private func forgetEarlierColumns() {
        let now = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
        guard now != preparations else { return }
        preparations = now
        columns.removeAll()
    }

    private func reset() {
        moment &+= 1
        // Both repeat what the last step said already.
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private func bind(_ bindings: ArraySlice<Value>) throws(VaultError) {
        guard isLent, sqlite3_stmt_busy(handle) == 0 else {
            throw VaultError(
                "run a statement", .misuse, said: "it was kept beyond its closure, or runs already", sql: sql)
        }
        guard bindings.count == Int(sqlite3_bind_parameter_count(handle)) else {
            throw VaultError("bind values", .misuse, said: "\(bindings.count) values do not fit", sql: sql)
        }
        var index: Int32 = 0
        for value in bindings {
            index += 1
            let code = bind(value, index)
            // The error's text is put together only if there is one.
            if code != SQLITE_OK { try database.check(code, "bind value \(index)", sql) }
        }
    }

    private func bind(_ value: Value, _ index: Int32) -> Int32 {
        switch value {
        case .integer(let integer): sqlite3_bind_int64(handle, index, integer)
        case .real(let real): sqlite3_bind_double(handle, index, real)
        case .text(let text): sqlite3_bind_text(handle, index, text, Int32(clamping: text.utf8.count), Self.copy)
        // A blob without bytes has no address, and a blob without an address would be NULL.
        case .blob(let bytes) where bytes.isEmpty: sqlite3_bind_zeroblob(handle, index, 0)
        case .blob(let bytes): sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), Self.copy)
        case .null: sqlite3_bind_null(handle, index)
        }
    }

    /// SQLITE_TRANSIENT, a macro that Swift does not import: the number -1 in place of a function, upon which SQLite
    /// makes a copy.
    private static var copy: sqlite3_destructor_type? { unsafeBitCast(-1, to: sqlite3_destructor_type?.self) }
}

@available(*, unavailable, message: "a statement belongs to its connection's thread")
extension Statement: Sendable {}

/// A row on loan: once its closure has returned, it throws `.misuse`.
///
/// Columns are read by their names, which are literals: each statement looks for them once. (Numbers, from 0, are for
/// tests, and for the outbox.) What the statement computes needs a name by AS. A column of a type that was not asked
/// for is `.malformed`: nothing is converted silently.
public struct Row {
    fileprivate let statement: Statement
    fileprivate let moment: Int
    private var handle: StatementHandle { statement.handle }

    /// An INTEGER.
    public func int(_ column: Int) throws(VaultError) -> Int64 {
        try require(column, SQLITE_INTEGER, "an integer")
        return sqlite3_column_int64(handle, Int32(column))
    }

    /// A REAL or an INTEGER.
    public func real(_ column: Int) throws(VaultError) -> Double {
        if try type(column) != SQLITE_INTEGER { try require(column, SQLITE_FLOAT, "a real") }
        return sqlite3_column_double(handle, Int32(column))
    }

    /// A TEXT.
    public func text(_ column: Int) throws(VaultError) -> String {
        try require(column, SQLITE_TEXT, "a text")
        guard let bytes = sqlite3_column_text(handle, Int32(column)) else { throw outOfMemory(column) }
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// A BLOB.
    public func blob(_ column: Int) throws(VaultError) -> [UInt8] {
        try require(column, SQLITE_BLOB, "a blob")
        let bytes = sqlite3_column_blob(handle, Int32(column))
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        guard let bytes else {
            // An empty blob has no address; nor does one for which there was not enough memory.
            guard count == 0 else { throw outOfMemory(column) }
            return []
        }
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// Whether the column is NULL.
    public func isNull(_ column: Int) throws(VaultError) -> Bool {
        try type(column) == SQLITE_NULL
    }

    /// An INTEGER; nil for NULL.
    public func intIfPresent(_ column: Int) throws(VaultError) -> Int64? { try isNull(column) ? nil : try int(column) }
    /// A REAL; nil for NULL.
    public func realIfPresent(_ column: Int) throws(VaultError) -> Double? {
        try isNull(column) ? nil : try real(column)
    }
    /// A TEXT; nil for NULL.
    public func textIfPresent(_ column: Int) throws(VaultError) -> String? {
        try isNull(column) ? nil : try text(column)
    }
    /// A BLOB; nil for NULL.
    public func blobIfPresent(_ column: Int) throws(VaultError) -> [UInt8]? {
        try isNull(column) ? nil : try blob(column)
    }

    /// An INTEGER.
    public func int(_ name: StaticString) throws(VaultError) -> Int64 { try int(statement.column(name)) }
    /// A REAL or an INTEGER.
    public func real(_ name: StaticString) throws(VaultError) -> Double { try real(statement.column(name)) }
    /// A TEXT.
    public func text(_ name: StaticString) throws(VaultError) -> String { try text(statement.column(name)) }
    /// A BLOB.
    public func blob(_ name: StaticString) throws(VaultError) -> [UInt8] { try blob(statement.column(name)) }
    /// Whether the column is NULL.
    public func isNull(_ name: StaticString) throws(VaultError) -> Bool { try isNull(statement.column(name)) }

    /// An INTEGER; nil for NULL.
    public func intIfPresent(_ name: StaticString) throws(VaultError) -> Int64? {
        try intIfPresent(statement.column(name))
    }
    /// A REAL; nil for NULL.
    public func realIfPresent(_ name: StaticString) throws(VaultError) -> Double? {
        try realIfPresent(statement.column(name))
    }
    /// A TEXT; nil for NULL.
    public func textIfPresent(_ name: StaticString) throws(VaultError) -> String? {
        try textIfPresent(statement.column(name))
    }
    /// A BLOB; nil for NULL.
    public func blobIfPresent(_ name: StaticString) throws(VaultError) -> [UInt8]? {
        try blobIfPresent(statement.column(name))
    }

    /// The only column of a row of one: `try db.first("SELECT count(*) …", row: Row.int)`.
    public static func int(_ row: Row) throws(VaultError) -> Int64 { try row.int(0) }
    /// The first column.
    public static func text(_ row: Row) throws(VaultError) -> String { try row.text(0) }
    /// The first column; nil for NULL.
    public static func intIfPresent(_ row: Row) throws(VaultError) -> Int64? { try row.intIfPresent(0) }
    /// The first column.
    public static func blob(_ row: Row) throws(VaultError) -> [UInt8] { try row.blob(0) }

    private func type(_ column: Int) throws(VaultError) -> Int32 {
        guard moment == statement.moment else {
            throw VaultError(
                "read column \(column)", .misuse, said: "the row was kept beyond its closure", sql: statement.sql)
        }
        return sqlite3_column_type(handle, Int32(column))
    }

    private func require(_ column: Int, _ type: Int32, _ name: String) throws(VaultError) {
        guard try self.type(column) == type else {
            throw VaultError("read column \(column)", .malformed, said: "it is not \(name)", sql: statement.sql)
        }
    }

    private func outOfMemory(_ column: Int) -> VaultError {
        VaultError("read column \(column)", .inputOutput, said: "out of memory", sql: statement.sql, code: SQLITE_NOMEM)
    }
}

@available(*, unavailable, message: "a row belongs to its connection's thread")
extension Row: Sendable {}
