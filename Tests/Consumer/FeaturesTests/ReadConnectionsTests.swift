import DaysSupport
import Files
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import Testing

@testable import Features

@Suite("A reader's connections")
struct ReadConnectionsTests {
    private let household: Household
    private let parts: Parts
    private let connections: ReadConnections
    private let user: ID

    init() throws {
        household = try Household()
        parts = try household.open()
        connections = ReadConnections(parts.settings, [])
        user = try ID("demo")
    }

    private func write(_ text: JSON) throws {
        let documents = Documents(store: parts.store, keys: parts.keys)
        try parts.store.change(user) { () throws(VaultError) in try documents.write(["text": text], "test", of: user) }
    }

    /// What a request reads, and the connection that it has for this.
    private func read() throws -> (text: JSON?, store: Database, keys: Database) {
        try connections.read { source in
            let text = try Documents(store: source.store, keys: source.keys).read("test", of: user)?["text"]
            return (text, source.store.database, source.keys.database)
        }
    }

    @Test("stay open, and each request sees what was committed before it, and nothing that is committed meanwhile")
    func committed() throws {
        try write("first")
        let first = try read()
        try write("second")
        let second = try connections.read { source in
            let documents = Documents(store: source.store, keys: source.keys)
            let before = try documents.read("test", of: user)
            try write("third")
            #expect(try documents.read("test", of: user) == before)
            return before
        }
        let third = try read()
        #expect(first.text == "first" && second?["text"] == "second" && third.text == "third")
        #expect(first.store === third.store && first.keys === third.keys)
    }

    @Test("keep nobody's key: the next request cannot open what belongs to somebody who was forgotten")
    func forgotten() throws {
        try write("secret")
        weak var keys: Keys?
        let text = try connections.read { source in
            keys = source.keys
            return try Documents(store: source.store, keys: source.keys).read("test", of: user)?["text"]
        }
        #expect(text == "secret" && keys == nil)
        try parts.keys.database.execute("DELETE FROM secrets WHERE person = ?", [.text(user.text)])
        #expect(try read().text == nil)
        // Nor do they keep anybody from emptying the log of what was deleted.
        #expect(try parts.keys.closeLogWithoutWaiting())
    }

    @Test("are given another root key, and follow")
    func rotated() throws {
        try write("sealed")
        let before = try read()
        _ = try parts.keys.rotateRoot(to: nil)
        let after = try read()
        #expect(before.text == "sealed" && after.text == "sealed" && before.keys === after.keys)
    }

    @Test("are made again where another file is in the place of the database, and where its schema is another one")
    func replaced() throws {
        try write("here")
        let first = try read()
        let path = parts.store.database.path
        try parts.store.database.backUp(to: path + ".copy")
        #expect(rename(path + ".copy", path) == 0)
        for suffix in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
        let second = try read()
        #expect(second.text == "here" && second.store !== first.store)
        let other = try Store(folder: parts.settings.state)
        try other.database.migrate(Store.schema.steps + [Migration("other/1", "CREATE TABLE other (x INTEGER) STRICT")])
        #expect(throws: (any Error).self) { try read() }
    }

    @Test("are made again after an error")
    func failed() throws {
        try write("here")
        let first = try read()
        #expect(throws: ReplyError.self) {
            try connections.read { _ in throw ReplyError(.notFound, "there is none") }
        }
        let second = try read()
        #expect(second.text == "here" && second.store !== first.store && second.keys !== first.keys)
        connections.close()
        #expect(try read().store !== second.store)
    }
}
