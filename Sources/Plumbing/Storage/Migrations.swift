public import Files

// How the schema of a file becomes what a program needs.
//
// Each step has a name, and a file notes the names of the steps that were applied to it, in its table `migrations`. So
// a step is applied if the file has not had it, wherever it is in the list: a feature that adds a step puts it after
// its earlier ones, and does not have to know how many steps other features have.
//
// A new file is made from the description of its tables, where there is one, and notes all steps as applied.
//
// `user_version` is the number of names. Programs from before the names compare that number with the one they know, and
// still refuse a file that is newer than they are.

/// One step of a schema.
public struct Migration: Hashable, Sendable {
    /// What files know it by: the part of the schema and a number, such as `store/1`. It never changes.
    public let name: String
    /// The `user_version` that it led to in files without names; nil for all steps that came after the names.
    public let number: Int?
    /// Any number of statements; never edited once released.
    public let sql: String

    /// - Parameters:
    ///   - name: `store/1`.
    ///   - number: only for the steps that were there before the names.
    ///   - sql: the statements.
    public init(_ name: String, number: Int? = nil, _ sql: String) {
        self.name = name
        self.number = number
        self.sql = sql
    }
}

/// How a file's schema compares with what a program needs.
public enum SchemaAge: Hashable, Sendable {
    /// It has every step, and no other.
    case current
    /// It lacks steps. A connection that may write adds them with `migrate`.
    case older
    /// It has steps that this program does not know; the words say which, as in `its version is 8, this program knows
    /// 7`.
    case newer(String)
}

extension Database {
    /// The schema's version: how many migrations were applied.
    public var version: Int {
        get throws(VaultError) { Int(try first("PRAGMA user_version", row: Row.int) ?? 0) }
    }

    /// Brings the schema up to date: applies every step that the file has not had, in the order of the list, all of
    /// them in one transaction. A file in which the last step fails, or whose program is killed on the way, stays as it
    /// was; if two programs do this at the same time, the second finds everything done. Throws `.newer` for a file with
    /// steps that are not in the list.
    /// - Parameters:
    ///   - tables: what all steps together lead to, if a new file is made from it; empty if it goes through the steps.
    ///   - fill: writes what a new file begins with.
    public func migrate(
        _ migrations: [Migration], to tables: [Table] = [], fill: () throws(VaultError) -> Void = {}
    ) throws(VaultError) {
        let attempted = "migrate the database \(path)"
        try transaction { () throws(VaultError) in
            let found = try schema(migrations, attempted)
            if let stranger = found.stranger { throw VaultError(attempted, .newer, said: stranger) }
            if !found.hasNames {
                try run("CREATE TABLE migrations (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID")
                for migration in migrations where found.applied.contains(migration.name) { try note(migration) }
            }
            let isNew = !found.hasNames && found.applied.isEmpty && !tables.isEmpty
            for statement in isNew ? tables.flatMap(\.statements) : [] { try run(statement) }
            for migration in migrations where !found.applied.contains(migration.name) {
                if !isNew { try run(migration.sql) }
                try note(migration)
            }
            if isNew { try fill() }
            if found.applied.count < migrations.count { try run("PRAGMA user_version = \(migrations.count)") }
        }
    }

    /// How the file compares with a list of migrations: for connections that only read.
    public func schemaAge(_ migrations: [Migration]) throws(VaultError) -> SchemaAge {
        // The number and the names come from one state of the file, even if another program migrates it at the same time.
        let found = try snapshot { () throws(VaultError) -> Found in
            try schema(migrations, "read the schema of the database \(path)")
        }
        if let stranger = found.stranger { return .newer(stranger) }
        return found.applied.count == migrations.count ? .current : .older
    }

    /// Whether a step of the list was applied to this file: for callers that read a file of another version as it is.
    public func hasApplied(_ name: String, of migrations: [Migration]) throws(VaultError) -> Bool {
        try snapshot { () throws(VaultError) in
            try schema(migrations, "read the schema of the database \(path)").applied.contains(name)
        }
    }

    private func note(_ migration: Migration) throws(VaultError) {
        try execute("INSERT INTO migrations (name) VALUES (?)", [.text(migration.name)])
    }

    private typealias Found = (applied: Set<String>, hasNames: Bool, stranger: String?)

    /// What was applied to the file. The caller has a transaction.
    private func schema(_ migrations: [Migration], _ attempted: String) throws(VaultError) -> Found {
        let known = Set(migrations.map(\.name))
        let numbers = migrations.compactMap(\.number)
        guard known.count == migrations.count, numbers.sorted() == Array(1..<numbers.count + 1) else {
            throw VaultError(attempted, .misuse, said: "two migrations have the same name, or the numbers have a gap")
        }
        let version = try version
        let table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'"
        let hasNames = try first(table, row: Row.int) != nil
        let applied: Set<String>
        if hasNames {
            applied = Set(try query("SELECT name FROM migrations", row: Row.text))
        } else {
            applied = Set(migrations.filter { $0.number.map { $0 <= version } ?? false }.map(\.name))
        }
        if version > (hasNames ? migrations.count : numbers.count) {
            let count = hasNames ? migrations.count : numbers.count
            return (applied, hasNames, "its version is \(version), this program knows \(count)")
        }
        if let stranger = applied.subtracting(known).min() {
            return (applied, hasNames, "it has had the migration \(stranger), which this program does not know")
        }
        guard applied.count == version else {
            throw VaultError(
                attempted, .corrupt, said: "its version is \(version), and it names \(applied.count) migrations")
        }
        return (applied, hasNames, nil)
    }
}
