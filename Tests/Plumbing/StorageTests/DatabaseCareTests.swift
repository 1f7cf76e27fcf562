import Foundation
import Storage
import TestSupport
import Testing

@Suite("A database from which things are forgotten")
struct ForgettingDatabaseTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func database(_ mode: Database.Mode = .readWrite(.full)) throws -> Database {
        try Database(folder.path("test.db"), mode, applicationID: 7, secureDelete: true)
    }

    @Test("a log that somebody reads is not waited for; else it is emptied")
    func checkpoint() throws {
        let writer = try database()
        try writer.execute("CREATE TABLE t (x BLOB) STRICT")
        let reader = try database(.readOnly)
        let size = { try #require(FileManager.default.contents(atPath: folder.path("test.db-wal"))).count }
        try reader.snapshot { () throws(VaultError) in
            _ = try reader.first("SELECT count(*) FROM t", row: Row.int)
            try writer.execute("INSERT INTO t VALUES (x'01')")
            let begun = ContinuousClock.now
            let isEmptied = try writer.checkpointWithoutWaiting()
            #expect(!isEmptied && ContinuousClock.now - begun < .seconds(2))
        }
        #expect(try size() > 0)
        #expect(try writer.checkpointWithoutWaiting())
        #expect(try size() == 0)
    }

    @Test("rows go without a look for those that refer to them, if that is asked for, and only then")
    func withoutForeignKeys() throws {
        let database = try database()
        try database.execute("CREATE TABLE a (id INTEGER PRIMARY KEY) STRICT")
        try database.execute("CREATE TABLE b (a INTEGER NOT NULL REFERENCES a) STRICT")
        try database.execute("INSERT INTO a VALUES (1), (2)")
        try database.execute("INSERT INTO b VALUES (1), (2)")
        #expect(throws: VaultError.self) { try database.execute("DELETE FROM a WHERE id = 1") }
        try database.withoutForeignKeys { () throws(VaultError) in try database.execute("DELETE FROM a WHERE id = 1") }
        #expect(throws: VaultError.self) { try database.execute("DELETE FROM a WHERE id = 2") }
        #expect(throws: VaultError.self) { try database.checkIntegrity() }
        // Also after an error.
        #expect(throws: VaultError.self) {
            try database.withoutForeignKeys { () throws(VaultError) in try database.execute("DELETE FROM nothing") }
        }
        #expect(throws: VaultError.self) { try database.execute("DELETE FROM a WHERE id = 2") }
    }
}
