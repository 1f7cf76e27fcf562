import Daemon
import DaysSupport
import Files
import Foundation
import HouseholdSupport
import Readings
import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Features
@testable import vitals_consumer

@Suite("Check, counts and upgrades")
struct CheckTests {
    let home: ID
    let household: Household

    init() throws {
        home = try ID("home")
        household = try Household()
    }

    /// A store with a block of each type, 6 readings, and 5 that were lost.
    private func filled() throws -> Parts {
        var parts = try household.open()
        let (old, new) = (try parts.session(household), try parts.session(household))
        let records = try (0..<3).map { try old.record(UInt64($0), beat(Int64($0) * 1000, 70)) }
        let clock = try ClockBody(boot: BootID(high: 0, low: 9), correction: 5, until: 10)
        let gap = try GapBody(count: 5, first: start, last: start + 1, reason: .outboxFull)
        let steps = Reading(at: beat(7000, 1).moment, .steps(10))
        _ = try parts.take(
            old.keyBlock, new.keyBlock, new.block(beat(5000, 71), beat(6000, 72)), new.block(steps),
            new.loose(old, Array(records[0...1])), new.loose(old, Array(records[1...2])), new.loose(old, records),
            new.seal(.clock, clock.bytes), new.seal(.gap, gap.bytes))
        let documents = Documents(store: parts.store, keys: parts.keys)
        let demo = try ID("demo")
        try documents.write(["name": "Ada"], "profile", of: demo)
        let (version, name) = try documents.sealed(.string("phone"), Documents.label(ofDevice: "one"), of: demo)
        try parts.store.database.execute(
            "INSERT INTO devices (device, person, credential, created_ms, secret_version, name) VALUES ('one', 'demo', x'00', 0, ?, ?)",
            [.integer(version), .blob(name)])
        return parts
    }

    private func findings(_ parts: Parts) throws -> Findings {
        let keys = try Keys(parts.settings, .read)
        return try CheckCommand.findings(
            try Store(folder: parts.settings.state, readOnly: true, adding: Feature.all.schema), keys)
    }

    private let good =
        #"{"streams":1,"sessions":2,"blocks":7,"readings":6,"lost_in_gaps":5,"forgotten":0,"#
        + #""unreadable":0,"miscounted":0,"unledgered":0,"damaged":0}"#

    @Test("counts what is stored, and agrees")
    func agrees() throws {
        let parts = try filled()
        let lines = try output { _ = try CheckCommand().run(household.written(), output: $0) }
        #expect(lines == [good])
        let stream = try #require(try parts.store.streams().first)
        #expect(try parts.store.counts(of: stream) == [0: 7, 1: 5, 2: 1])
    }

    @Test("sees one state while a batch is being written")
    func beside() throws {
        let parts = try filled()
        try parts.store.change(ID("demo")) { () throws(VaultError) in
            try parts.store.database.execute("DELETE FROM blocks WHERE type = 2")
            let found = Result { try findings(parts).json }
            #expect(throws: Never.self) { try #expect(found.get() == good) }
        }
    }

    @Test(
        "finds what was altered, and ends with an error",
        arguments: [
            ("UPDATE blocks SET sealed = zeroblob(40) WHERE number = 2", \Findings.unreadable),
            ("DELETE FROM blocks WHERE type = 2 AND number = 2", \.miscounted),
            ("DELETE FROM blocks WHERE type = 5", \.miscounted),
            ("DELETE FROM ledger WHERE seq = 3", \.unledgered),
            ("DELETE FROM ledger WHERE seq = 0 AND session = 1", \.unledgered),
            ("UPDATE ledger SET digest = zeroblob(32) WHERE seq = 1", \.unledgered),
            ("DELETE FROM records WHERE record = 0", \.miscounted),
            ("UPDATE counts SET number = number + 1 WHERE kind = 1", \.miscounted),
            ("UPDATE sessions SET boot = zeroblob(16) WHERE number = 2", \.unreadable),
            ("UPDATE documents SET sealed = zeroblob(40)", \.unreadable),
            ("UPDATE devices SET device = 'another'", \.unreadable),
        ])
    func altered(sql: String, finding: KeyPath<Findings, Int64> & Sendable) throws {
        let parts = try filled()
        #expect(try parts.store.database.execute(sql) > 0)
        let found = try findings(parts)
        #expect(found[keyPath: finding] > 0, "\(found.json)")
        let lines = try output { descriptor in
            #expect(throws: Failure.self) { try CheckCommand().run(household.written(), output: descriptor) }
        }
        #expect(lines == [found.json])
    }

    @Test("counts the blocks of those who are forgotten, and minds a secret that is damaged")
    func forgotten() throws {
        let parts = try filled()
        let keys = try Database(household.path("state/keys.db"), .readWrite(.full), applicationID: Keys.applicationID)
        try keys.execute("UPDATE secrets SET sealed = zeroblob(60)")
        #expect(try findings(parts).damaged == 1)
        let error = thrown(Failure.self) { try household.readings() }
        #expect(error?.message.contains("7 stored blocks do not open") == true)
        try keys.execute("DELETE FROM secrets")
        let found = try findings(parts)
        #expect(found.forgotten == 7 && found.readings == 0 && found.isGood)
    }

    // MARK: Upgrades

    /// The SQL of version 1.
    private func version1() throws -> Migration {
        Store.migrations[0]
    }

    /// Takes a store back to version 1.
    private func downgrade(_ parts: Parts) throws {
        let database = parts.store.database
        // The same schema as the SQL of version 1 makes.
        let other = try Database(household.path("fresh.db"), .readWrite(.full), applicationID: 1)
        try other.migrate([version1()])
        // Files had no names then.
        try other.execute("DROP TABLE migrations")
        for kind in ["index", "table"] {
            let names = "SELECT name FROM sqlite_schema WHERE sql IS NOT NULL AND type = '\(kind)'"
            let old = Set(try other.query(names, row: Row.text))
            for name in try database.query(names, row: Row.text) where !old.contains(name) {
                try database.execute("DROP \(kind) \(name)")
            }
        }
        for sql in [
            "ALTER TABLE streams RENAME COLUMN person TO user", "ALTER TABLE streams DROP COLUMN counted",
            "ALTER TABLE sessions DROP COLUMN after_block",
            "PRAGMA user_version = 1",
        ] {
            try database.execute(sql)
        }
        try database.checkpoint()
        let schema = "SELECT name FROM sqlite_schema ORDER BY name"
        let columns = ["streams", "sessions"].map { "SELECT group_concat(name) FROM pragma_table_info('\($0)')" }
        for query in [schema] + columns {
            #expect(try database.query(query, row: Row.text) == other.query(query, row: Row.text))
        }
    }

    @Test("a store of version 1 is brought up to date, read back, and counted at the service's start")
    func upgrade() throws {
        var parts = try filled()
        let before = try parts.printed()
        try downgrade(parts)
        let error = thrown(Failure.self) {
            try Store(folder: parts.settings.state, readOnly: true, adding: Feature.all.schema)
        }
        #expect(error?.hint?.contains("start the service") == true)

        parts = try household.open()
        #expect(try parts.store.database.version == (Store.schema + Feature.all.schema).steps.count)
        #expect(try parts.printed() == before)
        let stream = try #require(try parts.store.streams().first)
        #expect(try parts.store.counts(of: stream) == nil)
        #expect(try findings(parts).json == good, "unknown counts are no wrong counts")
        // Blocks that come before the count do not disturb it.
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock, session.block(beat(9000, 75)))
        try parts.store.countTheUncounted(parts.keys)
        #expect(try parts.store.counts(of: stream) == [0: 8, 1: 6, 2: 1])
        _ = try parts.take(session.block(beat(10_000, 76)))
        #expect(try parts.store.counts(of: stream) == [0: 9, 1: 7, 2: 1])
        #expect(try findings(parts).isGood)
    }

    @Test("what a store of version 6 has opens as before, though the columns that say whose it is have another name")
    func renamed() throws {
        var parts = try filled()
        let before = try (
            parts.printed(), Documents(store: parts.store, keys: parts.keys).read("profile", of: ID("demo"))
        )
        let database = parts.store.database
        try database.execute("DROP TABLE people")
        try database.execute("ALTER TABLE notifications DROP COLUMN alert")
        try database.execute("DROP INDEX notifications_about")
        try database.execute("ALTER TABLE notifications DROP COLUMN about")
        let named = "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE c.name = 'person'"
        // What came with features later, and was never called anything else.
        let later = Feature.all.schema.tables.map(\.name)
        let laterNamed = try database.query(named, row: Row.text).filter(later.contains)
        #expect(laterNamed.contains("workouts"))
        for table in later { try database.execute("DROP TABLE \(table)") }
        let tables = try database.query(named, row: Row.text)
        #expect(tables.count == 14)
        for table in tables { try database.execute("ALTER TABLE \(table) RENAME COLUMN person TO user") }
        try database.execute("ALTER TABLE used_claim_codes RENAME COLUMN slot TO window")
        try database.execute("DROP TABLE migrations")
        try database.execute("PRAGMA user_version = 6")

        parts = try household.open()
        #expect(try Set(database.query(named, row: Row.text)) == Set(tables + ["people"] + laterNamed))
        #expect(try parts.printed() == before.0)
        #expect(try Documents(store: parts.store, keys: parts.keys).read("profile", of: ID("demo")) == before.1)
        #expect(before.1?["name"] == "Ada")
        #expect(try findings(parts).json == good)
    }

    @Test("no column is called what is a word of SQL elsewhere")
    func words() throws {
        let parts = try filled()
        for database in [parts.store.database, parts.keys.database] {
            let columns = try database.query(
                "SELECT c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c", row: Row.text)
            #expect(Set(columns).isDisjoint(with: ["user", "window"]) && columns.contains("person"))
        }
    }

    @Test("a block that does not open is not counted, and the stream is not counted again at each start")
    func uncountable() throws {
        var parts = try filled()
        try downgrade(parts)
        parts = try household.open()
        try parts.store.database.execute("UPDATE blocks SET sealed = zeroblob(40) WHERE number = 2")
        try parts.store.countTheUncounted(parts.keys)
        let stream = try #require(try parts.store.streams().first)
        #expect(try parts.store.counts(of: stream) == [0: 7, 1: 5])
        let found = try findings(parts)
        #expect(found.unreadable == 1 && found.miscounted == 0)
    }

    @Test("a migration that fails half-way leaves version 1 as it was")
    func failedMigration() throws {
        let parts = try filled()
        let before = try parts.printed()
        try downgrade(parts)
        try parts.store.database.execute("CREATE INDEX records_by_block ON records (record)")
        #expect(throws: Failure.self) { try Store(folder: parts.settings.state, adding: Feature.all.schema) }
        #expect(try parts.store.database.version == 1)
        let names = try parts.store.database.query("SELECT name FROM sqlite_schema", row: Row.text)
        #expect(!names.contains("counts"))
        try parts.store.database.execute("DROP INDEX records_by_block")
        #expect(try household.open().printed() == before)
    }

    @Test("a file of a newer program is refused, to write and to read", arguments: ["vitals.db", "keys.db"])
    func newer(name: String) throws {
        let parts = try filled()
        let id = name == "keys.db" ? Keys.applicationID : Store.applicationID
        let file = try Database(household.path("state/\(name)"), .readWrite(.full), applicationID: id)
        try file.execute("PRAGMA user_version = 99")
        for access in [Keys.Access.read, .write] {
            let error = thrown(Failure.self) {
                _ = try Keys(parts.settings, access)
                return try Store(folder: parts.settings.state, readOnly: access == .read, adding: Feature.all.schema)
            }
            #expect(error?.exitCode == .configuration && error?.message.contains("99") == true)
            #expect(error?.hint?.contains("install at least the version") == true)
        }
    }
}
