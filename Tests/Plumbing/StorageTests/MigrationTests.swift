import Foundation
import Storage
import TestSupport
import Testing

@Suite("Migrations", .timeLimit(.minutes(60)))
struct MigrationTests {
    private let folder: TemporaryFolder
    private static let applicationID: Int32 = 0x5649_5432

    init() throws { folder = try TemporaryFolder() }

    private func open(_ mode: Database.Mode = .readWrite(.normal)) throws(VaultError) -> Database {
        try Database(folder.path("test.db"), mode, applicationID: Self.applicationID)
    }

    /// What came before the names, and one more step with the row that it leaves.
    private static let before = [
        Migration("notes/1", number: 1, "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('1')"),
        Migration("notes/2", number: 2, "INSERT INTO notes VALUES ('2')"),
        Migration("notes/3", number: 3, "INSERT INTO notes VALUES ('3')"),
    ]

    private static func later(_ name: String) -> Migration {
        Migration(name, "INSERT INTO notes VALUES ('\(name)')")
    }

    /// A file as programs left it that only counted.
    @discardableResult
    private func counted(_ version: Int) throws -> Database {
        let database = try open()
        try database.migrate(Array(Self.before.prefix(version)))
        try database.execute("DROP TABLE migrations")
        return database
    }

    private func notes(_ database: Database) throws -> [String] {
        try database.query("SELECT text FROM notes", row: Row.text)
    }

    private func names(_ database: Database) throws -> [String] {
        try database.query("SELECT name FROM migrations ORDER BY name", row: Row.text)
    }

    private func failure(_ database: Database, _ migrations: [Migration]) -> VaultError? {
        thrown(VaultError.self) { try database.migrate(migrations) }
    }

    @Test("each step is applied once, in the order of the list, and noted by its name")
    func once() throws {
        let list = Self.before + [Self.later("goals/1")]
        for steps in [Array(list.prefix(1)), list, list] { try open().migrate(steps) }
        let database = try open()
        #expect(try notes(database) == ["1", "2", "3", "goals/1"])
        #expect(try names(database) == ["goals/1", "notes/1", "notes/2", "notes/3"])
        #expect(try database.version == 4)
        #expect(try database.schemaAge(list) == .current)
    }

    @Test("a file that only counted has had the steps with these numbers", arguments: 0...3)
    func counting(version: Int) throws {
        if version > 0 { try counted(version) }
        // The new step comes before the steps with numbers, and needs what the first of them makes.
        var list = Self.before
        list.insert(Self.later("goals/1"), at: 1)
        let database = try open()
        try database.migrate(list)
        let applied = ["1", "2", "3"].prefix(version)
        let rest = ["1", "goals/1", "2", "3"].filter { !applied.contains($0) }
        #expect(try notes(database) == applied + rest)
        #expect(try database.version == 4)
        #expect(try names(database) == ["goals/1", "notes/1", "notes/2", "notes/3"])
    }

    @Test("a step that comes into the middle of the list is applied, though later ones were before")
    func inserted() throws {
        let list = Self.before + [Self.later("days/1"), Self.later("goals/1")]
        try open().migrate(list)
        var grown = list
        grown.insert(Self.later("days/2"), at: 4)
        let database = try open()
        #expect(try database.schemaAge(grown) == .older)
        try database.migrate(grown)
        #expect(try notes(database) == ["1", "2", "3", "days/1", "goals/1", "days/2"])
        #expect(try database.version == 6)
        #expect(try database.schemaAge(grown) == .current)
    }

    @Test("a step that fails leaves everything as it was: rows, names and version", arguments: [false, true])
    func failing(hasNames: Bool) throws {
        let database = try counted(2)
        if hasNames { try database.migrate(Array(Self.before.prefix(2))) }
        let broken = Self.before + [Self.later("goals/1"), Migration("goals/2", "CREATE TABLE notes (id)")]
        #expect(failure(database, broken)?.reason == .misuse)
        #expect(try notes(database) == ["1", "2"])
        #expect(try database.version == 2)
        let tables = try database.query("SELECT name FROM sqlite_schema ORDER BY name", row: Row.text)
        #expect(tables == (hasNames ? ["migrations", "notes"] : ["notes"]))
        if hasNames { #expect(try names(database) == ["notes/1", "notes/2"]) }
        try database.migrate(Self.before)
        #expect(try notes(database) == ["1", "2", "3"])
    }

    @Test("two programs that open an older file at the same time apply each step once")
    func together() async throws {
        try counted(1)
        let list = Self.before + [Self.later("goals/1")]
        let path = folder.path("test.db")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...4 {
                group.addTask {
                    let database = try Database(path, .readWrite(.normal), applicationID: Self.applicationID)
                    try database.migrate(list)
                }
            }
            try await group.waitForAll()
        }
        let database = try open()
        #expect(try notes(database) == ["1", "2", "3", "goals/1"])
        #expect(try database.version == 4)
    }

    @Test("a program that waits for another one's migration finds it done")
    func waiting() async throws {
        let first = try counted(1)
        let path = folder.path("test.db")
        let opened = Record<Bool>()
        let second = Task.detached {
            let database = try Database(path, .readWrite(.normal), applicationID: Self.applicationID)
            opened.append(true)
            try database.migrate(Self.before)
            return try database.query("SELECT text FROM notes", row: Row.text)
        }
        // Nothing of a migration that ends without a commit is seen.
        struct Ended: Error {}
        let outcome = try first.attempt { () throws -> Void in
            try first.execute("INSERT INTO notes VALUES ('never')")
            _ = opened.first { $0 }
            throw Ended()
        }
        #expect(throws: Ended.self) { try outcome.get() }
        #expect(try await second.value == ["1", "2", "3"])
    }

    @Test("a file with more steps than the program knows is refused, and left alone")
    func newer() throws {
        let database = try open()
        try database.migrate(Self.before + [Self.later("goals/1")])
        let error = try #require(failure(database, Self.before))
        #expect(error.reason == .newer)
        #expect(error.description.contains("its version is 4, this program knows 3"))
        #expect(try database.schemaAge(Self.before) == .newer("its version is 4, this program knows 3"))
        #expect(try notes(database).count == 4)
    }

    @Test("a file that only counted, and counted further than the numbers go, is refused")
    func counterNewer() throws {
        let database = try counted(3)
        // As many steps as the file has, but not the same ones.
        let list = Self.before.prefix(2) + [Self.later("goals/1")]
        let error = try #require(failure(database, Array(list)))
        #expect(error.reason == .newer)
        #expect(error.description.contains("its version is 3, this program knows 2"))
        #expect(try notes(database) == ["1", "2", "3"])
    }

    @Test("a file with a step that the program does not know is refused, however many steps either has")
    func stranger() throws {
        let database = try open()
        try database.migrate(Self.before + [Self.later("social/1")])
        for more in [["goals/1"], ["goals/1", "goals/2"]] {
            let error = try #require(failure(database, Self.before + more.map(Self.later)))
            #expect(error.reason == .newer)
            #expect(error.description.contains("the migration social/1, which this program does not know"))
        }
        #expect(try notes(database).count == 4)
        #expect(try database.version == 4)
    }

    @Test("a file whose names and number do not agree is damaged")
    func disagreeing() throws {
        let database = try open()
        try database.migrate(Self.before)
        try database.execute("PRAGMA user_version = 2")
        #expect(failure(database, Self.before)?.reason == .corrupt)
        #expect(failure(database, Self.before)?.description.contains("version is 2, and it names 3") == true)
    }

    @Test("a list that has a name twice, or a gap in its numbers, is a mistake")
    func mistakes() throws {
        let database = try open()
        #expect(failure(database, Self.before + Self.before.prefix(1))?.reason == .misuse)
        #expect(failure(database, [Self.before[0], Self.before[2]])?.reason == .misuse)
        #expect(try database.version == 0)
    }

    @Test("a reader says how old a file is, and changes nothing")
    func reading() throws {
        try counted(2)
        let reader = try open(.readOnly)
        #expect(try reader.schemaAge(Self.before) == .older)
        #expect(try reader.schemaAge(Array(Self.before.prefix(2))) == .current)
        #expect(try reader.schemaAge(Array(Self.before.prefix(1))) == .newer("its version is 2, this program knows 1"))
        #expect(try reader.hasApplied("notes/2", of: Self.before))
        #expect(try !reader.hasApplied("notes/3", of: Self.before))
        #expect(failure(reader, Self.before)?.reason == .readOnly)
        try open().migrate(Self.before)
        #expect(try reader.schemaAge(Self.before) == .current)
        #expect(try reader.hasApplied("notes/3", of: Self.before))
        // As an earlier program reads it, which knows nothing of the table.
        #expect(try reader.version == 3)
    }
}
