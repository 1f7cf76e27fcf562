// Tables, described so that a driver makes its own DDL of them. A new file is made from the description; a file that
// exists already comes there by the steps of `Migration`. A test compares the two.

/// A table.
public struct Table: Hashable, Sendable {
    public let name: String
    public let columns: [Column]
    /// The columns of the primary key; empty if one column is `.number`.
    public let key: [String]
    /// Columns whose values, taken together, occur only once.
    public let unique: [[String]]
    public let indexes: [Index]

    public init(
        _ name: String, _ columns: [Column], key: [String] = [], unique: [[String]] = [], indexes: [Index] = []
    ) {
        self.name = name
        self.columns = columns
        self.key = key
        self.unique = unique
        self.indexes = indexes
    }
}

/// A column of a table.
public struct Column: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// The primary key: a number that the database gives to each row.
        case number
        case integer
        case text
        case blob
    }

    let name: String
    let kind: Kind
    /// The length of all values, in bytes.
    private(set) var length: Int?
    private(set) var isOptional = false
    private(set) var isUnique = false
    /// What a row has where nothing else was said.
    private(set) var usual: Int64?
    /// The table whose number it is.
    private(set) var table: String?

    private init(_ name: String, _ kind: Kind, length: Int? = nil, usual: Int64? = nil, table: String? = nil) {
        self.name = name
        self.kind = kind
        self.length = length
        self.usual = usual
        self.table = table
    }

    /// The primary key: a number that the database gives to each row.
    public static func number(_ name: String) -> Column { Column(name, .number) }
    public static func integer(_ name: String, usually usual: Int64? = nil) -> Column {
        Column(name, .integer, usual: usual)
    }
    /// The number of a row in another table.
    public static func reference(_ name: String, to table: String) -> Column { Column(name, .integer, table: table) }
    public static func text(_ name: String) -> Column { Column(name, .text) }
    /// - Parameter length: of all values, in bytes; nil if it varies.
    public static func blob(_ name: String, length: Int? = nil) -> Column { Column(name, .blob, length: length) }

    /// The same column, which may also be NULL.
    public var optional: Column { changed { $0.isOptional = true } }
    /// The same column, in which no value occurs twice.
    public var unique: Column { changed { $0.isUnique = true } }

    private func changed(_ change: (inout Column) -> Void) -> Column {
        var column = self
        change(&column)
        return column
    }
}

/// Columns by which rows are looked up.
public struct Index: Hashable, Sendable {
    let name: String
    let columns: [String]
    let isUnique: Bool
    /// Which rows are in it, as a condition; nil for all.
    let condition: String?

    public init(_ name: String, _ columns: [String], isUnique: Bool = false, where condition: String? = nil) {
        self.name = name
        self.columns = columns
        self.isUnique = isUnique
        self.condition = condition
    }
}

// MARK: For SQLite

extension Table {
    /// The statements that make it.
    var statements: [String] {
        let primary = key.count == 1 ? key[0] : nil
        var parts = columns.map { $0.definition(isKey: $0.name == primary) }
        if key.count > 1 { parts.append("PRIMARY KEY (\(key.joined(separator: ", ")))") }
        parts += unique.map { "UNIQUE (\($0.joined(separator: ", ")))" }
        let options = key.isEmpty ? "STRICT" : "STRICT, WITHOUT ROWID"
        return ["CREATE TABLE \(name) (\(parts.joined(separator: ", "))) \(options)"]
            + indexes.map { $0.statement(on: name) }
    }
}

extension Column {
    fileprivate func definition(isKey: Bool) -> String {
        let type =
            switch kind {
            case .number: "INTEGER PRIMARY KEY"
            case .integer: "INTEGER"
            case .text: "TEXT"
            case .blob: "BLOB"
            }
        var words = [name, type]
        // A primary key of a table without row ids is never NULL.
        if isKey { words.append("PRIMARY KEY") } else if kind != .number, !isOptional { words.append("NOT NULL") }
        if let usual { words.append("DEFAULT \(usual)") }
        if isUnique { words.append("UNIQUE") }
        if let table { words.append("REFERENCES \(table)") }
        if let length { words.append("CHECK (length(\(name)) = \(length))") }
        return words.joined(separator: " ")
    }
}

extension Index {
    fileprivate func statement(on table: String) -> String {
        """
        CREATE \(isUnique ? "UNIQUE " : "")INDEX \(name) ON \(table) (\(columns.joined(separator: ", ")))\
        \(condition.map { " WHERE \($0)" } ?? "")
        """
    }
}

// MARK: A schema

/// What a part of a program keeps in a database: the tables as they are now, and the steps by which a file that exists
/// already comes there.
public struct Schema: Sendable {
    public var steps: [Migration]
    public var tables: [Table]

    public init(steps: [Migration] = [], tables: [Table] = []) {
        self.steps = steps
        self.tables = tables
    }

    /// Tables that are new. When one of them changes later, this call gives way to `Schema(steps:tables:)`, with the SQL of
    /// this step as it was released, and another step behind it: a test knows the digest of each step.
    /// - Parameter name: of the step that makes them, such as `diary/1`.
    public init(_ name: String, making tables: [Table]) {
        let statements = tables.flatMap(\.statements).joined(separator: ";\n") + ";"
        self.init(steps: [Migration(name, statements)], tables: tables)
    }

    public static func + (first: Schema, second: Schema) -> Schema {
        Schema(steps: first.steps + second.steps, tables: first.tables + second.tables)
    }
}
