import Foundation
import Storage
import TestSupport
import Testing

@Suite("Database files")
struct DatabaseFileTests {
    private let place: Place

    init() throws { place = try Place() }

    @Test("file, log and shared memory are their owner's alone")
    func modes() throws {
        let database = try place.openWithTable()
        for name in ["test.db", "test.db-wal", "test.db-shm"] {
            #expect(try place.directory.mode(name) == 0o600, "\(name)")
        }
        try database.backUp(to: place.directory.path("copy.db"))
        #expect(try place.directory.mode("copy.db") == 0o600)
    }

    @Test("refuses another program's database and leaves it as it is", arguments: [0, 99])
    func foreign(_ applicationID: Int) throws {
        let program = """
            import sqlite3, sys
            with sqlite3.connect(sys.argv[1]) as database:
                database.execute("PRAGMA application_id = \(applicationID)")
                database.execute("CREATE TABLE theirs (x)")
            """
        _ = try RunningProgram.runPython(["-c", program, place.path])
        let before = try Data(contentsOf: URL(fileURLWithPath: place.path))
        #expect(reason { _ = try place.open() } == .foreign)
        #expect(reason { _ = try place.open(.readOnly) } == .foreign)
        #expect(try Data(contentsOf: URL(fileURLWithPath: place.path)) == before)
    }

    @Test("refuses a file that is not a database")
    func noDatabase() throws {
        try Data(repeating: 0x41, count: 5000).write(to: URL(fileURLWithPath: place.path))
        #expect(reason { _ = try place.open() } == .corrupt)
    }

    @Test("says what is missing")
    func missing() throws {
        #expect(reason { _ = try place.open(.readOnly) } == .missing)
        #expect(
            reason { _ = try Database(place.directory.path("no/such.db"), .readWrite(.full), applicationID: 1) }
                == .missing)
    }

    @Test("a connection knows that its file is no longer the one of that name")
    func moved() throws {
        let database = try place.openWithTable()
        let reader = try place.open(.readOnly)
        #expect(try !reader.hasMoved() && reader.count() == 0)
        try database.backUp(to: place.directory.path("copy.db"))
        try FileManager.default.moveItem(atPath: place.path, toPath: place.directory.path("old.db"))
        #expect(try reader.hasMoved())
        try FileManager.default.moveItem(atPath: place.directory.path("copy.db"), toPath: place.path)
        #expect(try reader.hasMoved() && database.hasMoved() && !place.open(.readOnly).hasMoved())
    }

    @Test("gives back what it has read of the file, and reads it again")
    func memory() throws {
        let database = try place.openWithTable()
        for number in 1...500 {
            try database.execute(
                "INSERT INTO notes (text) VALUES (?)", [.text("\(number)" + String(repeating: "x", count: 900))])
        }
        let reader = try place.open(.readOnly)
        let count = { try reader.query("SELECT text FROM notes ORDER BY id", row: Row.text).count }
        #expect(try count() == 500)
        // SQLite keeps at most two megabytes by itself: all of this.
        #expect(reader.releaseMemory() < 20_000)
        #expect(try count() == 500)
    }

    @Test("a reader cannot write")
    func readOnly() throws {
        let database = try place.openWithTable()
        let reader = try place.open(.readOnly)
        #expect(reason { try reader.execute("INSERT INTO notes (text) VALUES ('a')") } == .readOnly)
        #expect(
            reason { _ = try reader.transaction { () throws(VaultError) in try reader.execute("DELETE FROM notes") } }
                == .readOnly)
        #expect(try reader.count() == 0)
        #expect(try database.count() == 0)
    }

    @Test("a backup is a database of its own, and never replaces a file")
    func backup() throws {
        let database = try place.openWithTable()
        try database.execute("INSERT INTO notes (text) VALUES ('a')")
        let copy = place.directory.path("copy.db")
        try database.backUp(to: copy)
        #expect(reason { try database.backUp(to: copy) } != nil)
        let restored = try Database(copy, .readWrite(.full), applicationID: Place.applicationID)
        #expect(try restored.count() == 1)
        #expect(try restored.version == 1)
    }

    @Test("a connection is handed to another thread for good", .timeLimit(.minutes(60)))
    func handOver() async throws {
        let database = try place.openWithTable()
        let count = try await Task { try database.count() }.value
        #expect(count == 0)
    }
}
