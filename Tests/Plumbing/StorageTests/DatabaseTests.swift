import Foundation
import Storage
import TestSupport
import Testing

/// A database in a private directory, of which tests open as many connections as they like.
struct Place: Sendable {
    let directory: TemporaryFolder
    var path: String { directory.path("test.db") }
    static let applicationID: Int32 = 0x5649_5431

    init() throws { directory = try TemporaryFolder() }

    func open(
        _ mode: Database.Mode = .readWrite(.normal), busyTimeout: Duration = .seconds(5)
    ) throws(VaultError) -> Database {
        try Database(path, mode, applicationID: Self.applicationID, busyTimeout: busyTimeout)
    }

    func openWithTable() throws(VaultError) -> Database {
        let database = try open()
        try database.migrate([step("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE)")])
        return database
    }

    /// Bytes in the log.
    func logSize() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
        return try #require(attributes[.size] as? NSNumber).intValue
    }
}

/// The only step of a schema.
func step(_ sql: String) -> Migration { Migration("test/1", sql) }

func reason(_ body: () throws -> Void) -> VaultError.Reason? {
    do {
        try body()
        return nil
    } catch { return (error as? VaultError)?.reason }
}

extension Database {
    func count() throws(VaultError) -> Int64 { try first("SELECT count(*) FROM notes", row: Row.int) ?? -1 }
}

@Suite("Statements")
struct StatementTests {
    private let place: Place
    private let database: Database

    init() throws {
        place = try Place()
        database = try place.open()
        try database.migrate([step("CREATE TABLE things (integer INTEGER, real REAL, text TEXT, blob BLOB)")])
    }

    @Test("gives back every type as it went in")
    func types() throws {
        let rows: [[Value]] = [
            [.integer(Int64.min), .real(-0.5), "naïve \u{0} text", .blob([0, 255])],
            [.integer(Int64.max), .real(1e300), "", .blob([])],
            [nil, nil, nil, nil],
        ]
        for row in rows { try database.execute("INSERT INTO things VALUES (?, ?, ?, ?)", row) }
        let found = try database.query("SELECT * FROM things ORDER BY rowid") { row throws(VaultError) in
            [
                Value.integer(try row.intIfPresent(0)), try row.realIfPresent(1).map(Value.real) ?? .null,
                Value.text(try row.textIfPresent(2)), Value.blob(try row.blobIfPresent(3)),
            ]
        }
        #expect(found == rows)
    }

    @Test("converts nothing behind one's back")
    func strictColumns() throws {
        try database.execute("INSERT INTO things VALUES (1, 2.5, 'three', x'04')")
        #expect(reason { _ = try database.first("SELECT text FROM things", row: Row.int) } == .malformed)
        #expect(reason { _ = try database.first("SELECT integer FROM things", row: Row.text) } == .malformed)
        #expect(reason { _ = try database.first("SELECT NULL", row: Row.blob) } == .malformed)
        #expect(
            reason { _ = try database.first("SELECT 1") { row throws(VaultError) in try row.int(5) } } == .malformed)
    }

    @Test("a statement is run many times, and the same SQL inside its own rows")
    func reuse() throws {
        try database.withStatement("INSERT INTO things (integer) VALUES (?)") { statement throws(VaultError) in
            for number in 0..<100 { try statement.run([.integer(number)]) }
        }
        let sql = "SELECT integer FROM things WHERE integer < ?"
        var seen = 0
        try database.forEach(sql, [3]) { row throws(VaultError) in
            seen += try database.query(sql, [.integer(try row.int(0))], row: Row.int).count
        }
        #expect(seen == 0 + 1 + 2)
        #expect(try database.execute("UPDATE things SET integer = 0 WHERE integer >= 98") == 2)
    }

    @Test("a row and a statement that were kept beyond their closure throw")
    func kept() throws {
        try database.execute("INSERT INTO things (integer) VALUES (1), (2)")
        var row: Row?
        try database.forEach("SELECT integer FROM things") { found throws(VaultError) in
            if let row { #expect(reason { _ = try row.int(0) } == .misuse) }
            row = found
        }
        let keptRow = try #require(row)
        #expect(reason { _ = try keptRow.int(0) } == .misuse)
        #expect(reason { _ = try keptRow.isNull(0) } == .misuse)
        let statement = try database.withStatement("DELETE FROM things") { $0 }
        #expect(reason { try statement.run() } == .misuse)
        #expect(try database.query("SELECT integer FROM things", row: Row.int) == [1, 2])
    }

    @Test("an error names the SQL that failed, and never a value")
    func errors() throws {
        let sql = "INSERT INTO nowhere VALUES (?)"
        let error = try #require(thrown(VaultError.self) { try database.execute(sql, ["secret"]) })
        #expect(error.sql == sql)
        #expect(error.description.contains("no such table: nowhere"))
        #expect(!error.description.contains("secret"))
        #expect(reason { try database.execute("SELECT 1") } == .misuse)
        #expect(reason { try database.execute("DELETE FROM things; DELETE FROM things") } == .misuse)
        #expect(reason { try database.execute("") } == .misuse)
        #expect(reason { try database.execute("INSERT INTO things (integer) VALUES (?)", []) } == .misuse)
    }

    @Test("many rows are written and found, whatever their number", arguments: [0, 1, 7, 8, 9, 63, 64, 65, 137, 200])
    func manyRows(_ count: Int) throws {
        let place = try Place()
        let database = try place.open()
        try database.migrate([step("CREATE TABLE pairs (one INTEGER PRIMARY KEY, other BLOB) STRICT")])
        let insert = RowsStatement("INSERT INTO pairs (one, other) VALUES ", columns: 2)
        try database.execute(insert, (0..<count).flatMap { [.integer($0), .blob([UInt8($0), 1])] })
        let stored = try database.query("SELECT one, other FROM pairs ORDER BY one") { row throws(VaultError) in
            [UInt8(try row.int(0))] + (try row.blob(1))
        }
        #expect(stored == (0..<count).map { [UInt8($0), UInt8($0), 1] })
        let find = RowsStatement(
            "WITH asked (a) AS (VALUES ", columns: 1, ") SELECT one FROM asked JOIN pairs ON one = a")
        var found: [Int64] = []
        try database.forEach(find, (0..<count + 3).map { .integer($0) }) { row throws(VaultError) in
            found.append(try row.int(0))
        }
        #expect(found.sorted() == (0..<count).map(Int64.init))
        #expect(reason { try database.execute(insert, [.integer(1000)]) } == .misuse)
        guard count > 1 else { return }
        #expect(reason { try database.execute(insert, [.integer(1000), nil, .integer(0), nil]) } == .constraint)
    }

    @Test("columns are read by their names, in any order, row after row")
    func names() throws {
        for number in 1...3 {
            try database.execute(
                "INSERT INTO things (integer, real, text, blob) VALUES (?, ?, ?, ?)",
                [.integer(number), .real(0.5), .text("t\(number)"), .blob([UInt8(number)])])
        }
        let sql = """
            SELECT blob, text, integer, real, integer * 2 AS double, NULL AS absent FROM things ORDER BY integer
            """
        for turn in 1...3 {
            let rows = try database.query(sql) { row throws(VaultError) in
                // Another order for each second row, and a column twice.
                let number = try row.int("integer")
                let text = number == 2 ? try row.text("text") : ""
                let nothing = try (
                    row.intIfPresent("absent"), row.realIfPresent("absent"), row.textIfPresent("absent"),
                    row.blobIfPresent("absent")
                )
                let isNull = try row.isNull("absent")
                let isNothing = isNull && nothing.0 == nil && nothing.1 == nil && nothing.2 == nil && nothing.3 == nil
                let (double, real) = try (row.int("double"), row.real("real"))
                let again = try (row.int("integer"), row.text("text"))
                let isAgain = again.0 == number && again.1 == "t\(number)"
                let isRight = isNothing && isAgain && real == 0.5 && double == 2 * number
                return isRight ? "\(number)\(text)\(try row.blob("blob"))" : "wrong"
            }
            #expect(rows == ["1[1]", "2t2[2]", "3[3]"], "\(turn)")
        }
    }

    @Test("a column that the statement does not give, or gives twice, is an error that says which statement")
    func noColumn() throws {
        try database.execute("INSERT INTO things (integer) VALUES (1)")
        let sql = "SELECT integer, real AS other, text AS other FROM things"
        for column: StaticString in ["real", "other", "INTEGER", ""] {
            let error = thrown(VaultError.self) {
                try database.query(sql) { row throws(VaultError) in try row.intIfPresent(column) }
            }
            #expect(error?.reason == .misuse && error?.sql == sql, "\(column)")
            #expect(error?.description.contains("column \(column)") == true, "\(column)")
        }
        #expect(try database.first(sql) { row throws(VaultError) in try row.int("integer") } == 1)
        let error = thrown(VaultError.self) {
            try database.query(sql) { row throws(VaultError) in try row.text("integer") }
        }
        #expect(error?.reason == .malformed)
    }

    @Test("columns are found again when another connection has changed the schema")
    func otherOrder() throws {
        try database.execute("INSERT INTO things (integer, real) VALUES (1, 0.5)")
        // No statement of the programs says *; this one has its columns in the order of the table.
        let read = { [database] () throws(VaultError) -> [Double] in
            try database.query("SELECT * FROM things") { row throws(VaultError) in
                Double(try row.int("integer")) + (try row.real("real"))
            }
        }
        #expect(try read() == [1.5])
        let other = try place.open()
        try other.execute("ALTER TABLE things DROP COLUMN integer")
        try other.execute("ALTER TABLE things ADD COLUMN integer INTEGER")
        try other.execute("UPDATE things SET integer = 2")
        #expect(try read() == [2.5])
    }

    @Test("a violated constraint has an error of its own, and the statement works again")
    func constraint() throws {
        try database.execute("CREATE UNIQUE INDEX only ON things (integer)")
        let insert = "INSERT INTO things (integer) VALUES (?)"
        try database.execute(insert, [1])
        #expect(reason { try database.execute(insert, [1]) } == .constraint)
        try database.execute(insert, [2])
    }
}

@Suite("Transactions")
struct TransactionTests {
    private let place: Place
    private let database: Database

    init() throws {
        place = try Place()
        database = try place.openWithTable()
    }

    struct Refusal: Error, Equatable {}

    @Test("what a body throws undoes everything")
    func rollBack() throws {
        let failed = reason {
            try database.transaction { () throws(VaultError) in
                try database.execute("INSERT INTO notes (text) VALUES ('a')")
                try database.execute("INSERT INTO notes (text) VALUES ('a')")
            }
        }
        #expect(failed == .constraint)
        #expect(try database.count() == 0)
        let refused = try database.attempt { () throws(Refusal) in
            _ = try? database.execute("INSERT INTO notes (text) VALUES ('b')")
            throw Refusal()
        }
        #expect(throws: Refusal()) { try refused.get() }
        #expect(try database.count() == 0)
        try database.transaction { () throws(VaultError) in
            try database.execute("INSERT INTO notes (text) VALUES ('c')")
        }
        #expect(try database.count() == 1)
    }

    @Test("there is no transaction inside another, and the outer one is undone")
    func nested() throws {
        let failed = reason {
            try database.transaction { () throws(VaultError) in
                try database.execute("INSERT INTO notes (text) VALUES ('a')")
                try database.transaction { () throws(VaultError) in }
            }
        }
        #expect(failed == .misuse)
        #expect(try database.count() == 0)
    }

    @Test("a commit is seen by another connection and another process at once, and not before")
    func visibility() throws {
        let reader = try place.open(.readOnly)
        try database.transaction { () throws(VaultError) in
            try database.execute("INSERT INTO notes (text) VALUES ('a')")
            #expect(try reader.count() == 0)
        }
        #expect(try reader.count() == 1)
        let program =
            "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT text FROM notes').fetchall())"
        #expect(try RunningProgram.runPython(["-c", program, place.path]) == "[('a',)]\n")
    }

    @Test("a full database has an error of its own, is undone, and usable once there is room")
    func diskFull() throws {
        try database.execute("INSERT INTO notes (text) VALUES ('kept')")
        _ = try database.first("PRAGMA max_page_count = 8", row: Row.int)
        let failed = reason {
            try database.transaction { () throws(VaultError) in
                for number in 0..<100 {
                    try database.execute(
                        "INSERT INTO notes (text) VALUES (?)", [.text(String(repeating: "\(number) ", count: 500))])
                }
            }
        }
        #expect(failed == .diskFull)
        #expect(try database.count() == 1)
        _ = try database.first("PRAGMA max_page_count = 1000", row: Row.int)
        try database.transaction { () throws(VaultError) in
            try database.execute("INSERT INTO notes (text) VALUES ('b')")
        }
        #expect(try database.count() == 2)
    }

    @Test("waits for a writer no longer than it was told")
    func busy() throws {
        let other = try place.open(busyTimeout: .zero)
        try database.transaction { () throws(VaultError) in
            #expect(reason { try other.transaction { () throws(VaultError) in } } == .locked)
            #expect(try other.count() == 0)
        }
        try other.transaction { () throws(VaultError) in }
    }

    @Test("flushes even an empty transaction, since SQLite syncs only a log that it writes to")
    func durably() throws {
        // The first one moves the log: nobody knows what became of a flush of the process before.
        try database.durably { () throws(VaultError) in }
        try database.execute("INSERT INTO notes (text) VALUES ('a')")
        let before = try place.logSize()
        try database.durably { () throws(VaultError) in }
        #expect(try place.logSize() > before)
        #expect(try database.version == 1)
        let level = try database.durably { () throws(VaultError) in
            try database.first("PRAGMA synchronous", row: Row.int)
        }
        #expect(level == 2)
        #expect(try database.first("PRAGMA synchronous", row: Row.int) == 1)
        #expect(
            reason { _ = try database.durably { () throws(VaultError) in try database.execute("nonsense") } } == .misuse
        )
        #expect(try database.first("PRAGMA synchronous", row: Row.int) == 1)
    }

    @Test("a flush after one that failed writes everything again")
    func distrust() throws {
        try database.durably { () throws(VaultError) in try database.execute("INSERT INTO notes (text) VALUES ('a')") }
        let before = try place.logSize()
        database.distrustFlushes()
        try database.durably { () throws(VaultError) in }
        #expect(try place.logSize() < before, "the log was moved into the file, and begun anew")
        #expect(try database.first("SELECT count(*) FROM notes", row: Row.int) == 1)
    }

    @Test("another connection moves the log, and the writer begins it again")
    func checkpointInPassing() throws {
        try database.leaveCheckpointsToOthers()
        let other = try Database(database.path, .readWrite(.normal), applicationID: Place.applicationID)
        for number in 0..<20 { try database.execute("INSERT INTO notes (text) VALUES (?)", [.text("a\(number)")]) }
        let before = try place.logSize()
        let log = try other.checkpointInPassing()
        #expect(log.pages > 10 && log.moved == log.pages)
        for number in 0..<5 { try database.execute("INSERT INTO notes (text) VALUES (?)", [.text("b\(number)")]) }
        #expect(try place.logSize() == before)
        #expect(try other.checkpointInPassing().pages < log.pages)
    }

    @Test("the log can be flushed by somebody who writes nothing")
    func logFile() throws {
        try database.execute("INSERT INTO notes (text) VALUES ('a')")
        try LogFile(of: database.path).flush()
        #expect(throws: VaultError.self) { try LogFile(of: database.path + "-elsewhere") }
    }

    @Test("a checkpoint empties the log")
    func checkpoint() throws {
        try database.execute("INSERT INTO notes (text) VALUES ('a')")
        #expect(try place.logSize() > 0)
        #expect(try database.checkpoint())
        #expect(try place.logSize() == 0)
        try database.checkIntegrity()
    }
}
