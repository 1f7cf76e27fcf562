import Foundation
import TestSupport
import Testing
import Vault

@Suite("A file of lines")
struct LineFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("keeps what was there, is its owner's alone, and begins a new line after one that was torn")
    func appends() throws {
        let path = folder.path("lines")
        #expect(try LineFile.read(path, atMost: 100) == nil)
        try LineFile.append(["one", "two"], to: path)
        try LineFile.append(["three"], to: path)
        #expect(try LineFile.read(path, atMost: 100) == ["one", "two", "three"])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        try "one\ntw".write(toFile: path, atomically: false, encoding: .utf8)
        try LineFile.append(["three"], to: path)
        #expect(try LineFile.read(path, atMost: 100) == ["one", "tw", "three"])
        #expect(throws: VaultError.self) { try LineFile.read(path, atMost: 5) }
        #expect(throws: VaultError.self) { try LineFile.append(["x"], to: folder.path("nowhere/lines")) }
    }

    @Test("of a service's stays the service's when root adds to it", .enabled(if: geteuid() == 0))
    func owner() throws {
        let (home, path) = (folder.path("home"), folder.path("home/lines"))
        func owner() -> uid_t? {
            var status = stat()
            return stat(path, &status) == 0 ? status.st_uid : nil
        }
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
        #expect(chown(home, 1234, 1234) == 0)
        try LineFile.append(["one"], to: path)
        #expect(owner() == 1234)
        #expect(chown(home, 0, 0) == 0)
        try LineFile.append(["two"], to: path)
        #expect(owner() == 1234)
    }
}

@Suite("A database's care for those who forget")
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

    @Test("rows go without a look for those that refer to them, where that is asked for, and only then")
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
