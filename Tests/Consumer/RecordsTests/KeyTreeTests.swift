import Daemon
import Foundation
import Records
import Telemetry
import TestSupport
import Testing
import Vault

@Suite("Keys and what is sealed under them")
struct KeyTreeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func keys(_ access: Keys.Access) throws(Failure) -> Keys {
        try Keys(state: folder.path("state"), rootKeyFile: folder.path("root.key"), access)
    }

    @Test("are made once, and are the same after a restart")
    func identity() throws {
        let first = try keys(.create).identity.publicKey
        #expect(try keys(.create).identity.publicKey == first)
        #expect(try keys(.write).identity.publicKey == first)
        #expect(try keys(.read).identity.publicKey == first)
    }

    @Test("are missed before a service starts without them")
    func missing() throws {
        let error = thrown(Failure.self) { try keys(.write) }
        #expect(error?.hint?.contains("identity") == true)
        #expect(!FileManager.default.fileExists(atPath: folder.path("root.key")))
    }

    @Test("open a document for its person and under its name only, and not once the secret is forgotten")
    func documents() throws {
        let keys = try keys(.create)
        let documents = Documents(store: try Store(folder: folder.path("state")), keys: keys)
        let (ada, bob) = (try ID("ada"), try ID("bob"))
        // Nothing is kept of people who have no secret.
        #expect(thrown(VaultError.self) { try documents.write(["a": 1], "profile", of: ada) }?.reason == .missing)
        _ = try (keys.currentVersion(of: ada), keys.currentVersion(of: bob))
        try documents.write(["a": 1], "profile", of: ada)
        try documents.write(["a": 2], "profile", of: ada)
        #expect(try documents.read("profile", of: ada) == ["a": 2])
        // A row that was moved to another person, or another name, is none.
        let sql = "UPDATE documents SET person = ?, name = ?"
        try documents.store.database.execute(sql, ["bob", "profile"])
        #expect(try documents.read("profile", of: bob) == nil)
        try documents.store.database.execute(sql, ["ada", "contact"])
        #expect(try documents.read("contact", of: ada) == nil)
        try documents.store.database.execute(sql, ["ada", "profile"])
        #expect(try documents.read("profile", of: ada) == ["a": 2])
        try keys.database.execute("DELETE FROM secrets")
        let fresh = Documents(store: documents.store, keys: try self.keys(.write))
        #expect(try fresh.read("profile", of: ada) == nil)
    }
}
