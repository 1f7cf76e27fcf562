import Daemon
import DaysSupport
import Files
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Custody
@testable import Features
@testable import Readings
@testable import vitals_consumer

@Suite("What is packed lives on", .timeLimit(.minutes(60)))
struct PackedLifeTests {
    let household: Household
    let demo: ID

    init() throws {
        household = try Household()
        demo = try ID("demo")
    }

    /// So many hours at 1 Hz with ten readings a block, each packed when three more have come, or all of it at once.
    private func lived(_ hours: Int, isPacking: Bool = true) throws -> (parts: Parts, session: GatewaySession) {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        for hour in 0..<hours {
            let readings = hourOfHeartRates(
                jitter: 5, withIntervals: false, at: start + Int64(hour) * 3_600_000 + 200)
            _ = try parts.take(
                all: stride(from: 0, to: 3600, by: 10).map { try session.block(Array(readings[$0..<$0 + 10])) })
            if isPacking { try parts.pack(before: firstHour + Int64(hour) - 2) }
        }
        return (parts, session)
    }

    @Test(
        "in less than two bytes a sample, all tables and indexes counted, and leaves room only for what is not packed yet"
    )
    func size() throws {
        func pages(_ hours: Int) throws -> (unpacked: Int64, packed: Int64, free: Int64) {
            // Its folder goes with it.
            let home = try PackedLifeTests()
            defer { withExtendedLifetime(home) {} }
            let parts = try home.lived(hours).parts
            let database = parts.store.database
            func count() throws -> (used: Int64, free: Int64) {
                let free = try database.first("PRAGMA freelist_count", row: Row.int) ?? 0
                return (try (database.first("PRAGMA page_count", row: Row.int) ?? 0) - free, free)
            }
            let before = try count().used
            try parts.pack()
            #expect(try parts.findings().readings == hours * 3600)
            return (before, try count().used, try count().free)
        }
        let (few, many) = (try pages(6), try pages(22))
        let bytes = Double((many.packed - few.packed) * 4096) / (16 * 3600)
        #expect(bytes < 1.95)
        // The file grows by what is packed alone: what is free is what the hours took that are not packed yet.
        #expect(many.free <= few.free + 5, "\(many) after \(few)")
        #expect(many.unpacked - many.packed < 60)
    }

    @Test("until the person is forgotten: rows and ledger go, and the proof tries packed rows with every key")
    func forgotten() throws {
        for isSabotaged in [false, true] {
            let parts = try lived(3).parts
            try parts.pack()
            let groups = try parts.rows("type = 16")
            let secret = try parts.keys.database.first(
                "SELECT sealed FROM secrets WHERE person = 'demo' AND version = 1", row: Row.blob)
            let person = Forgotten(user: demo, version: 1, time: start, isWithAccount: false)
            var erasure = Erasure(person, parts.store, parts.keys, Feature.all) { _ throws(VaultError) in
                try parts.grants.settle(parts.settings.people, now: start)
            }
            while let step = erasure.step {
                _ = try erasure.advance()
                if step == .log, isSabotaged {
                    try parts.keys.database.execute(
                        "INSERT INTO secrets (person, version, sealed, made_ms) VALUES ('demo', 1, ?, 0)",
                        [.blob(try #require(secret))])
                }
            }
            #expect(groups == 3 && erasure.proof.tried >= 1 + groups)
            #expect(erasure.proof.opened == (isSabotaged ? erasure.proof.tried + 1 : 0))
            for table in ["blocks", "ledger", "ledger_runs", "sessions"] { #expect(try parts.count(table) == 0) }
            try FileManager.default.removeItem(atPath: household.path("state"))
        }
    }

    @Test("in a backup and what is restored of it, and blocks that come again are known there")
    func restored() throws {
        var (parts, session) = try lived(2)
        let early = try session.block(beat(0, 70))
        _ = try parts.take(early)
        try parts.pack()
        let before = try parts.shown()
        _ = try output { _ = try BackupCommand(folder: household.path("backup")).run(household.settings(), output: $0) }
        try FileManager.default.removeItem(atPath: household.path("state"))
        let restore = RestoreCommand(data: household.path("backup/data"), keys: household.path("backup/keys"))
        _ = try output { _ = try restore.run(household.settings(), now: start, output: $0) }
        parts = try household.open()
        #expect(try parts.shown() == before)
        #expect(try parts.findings().isGood)
        #expect(try parts.take(early) == [.acknowledge(ID("home"), [session.identity(session.sequence)])])
        #expect(try parts.findings().readings == 7201)
    }

    @Test("what a store of version 3 has is packed in time")
    func upgraded() throws {
        var parts = try lived(2, isPacking: false).parts
        let before = try (parts.shown(), parts.findings().json)
        let old = try Database(household.path("old.db"), .readWrite(.full), applicationID: 1)
        try old.migrate(Array(Store.migrations.prefix(3)))
        // Files had no names then.
        try old.execute("DROP TABLE migrations")
        for kind in ["index", "table"] {
            let names = "SELECT name FROM sqlite_schema WHERE sql IS NOT NULL AND type = '\(kind)'"
            let known = Set(try old.query(names, row: Row.text))
            for name in try parts.store.database.query(names, row: Row.text) where !known.contains(name) {
                try parts.store.database.execute("DROP \(kind) \(name)")
            }
        }
        let tables = "SELECT name FROM sqlite_schema WHERE sql IS NOT NULL AND type = 'table'"
        for table in try old.query(tables, row: Row.text) {
            let names = "SELECT name FROM pragma_table_info('\(table)')"
            let known = Set(try old.query(names, row: Row.text))
            for (now, then) in [("person", "user"), ("slot", "window")] where known.contains(then) {
                try parts.store.database.execute("ALTER TABLE \(table) RENAME COLUMN \(now) TO \(then)")
            }
            for name in try parts.store.database.query(names, row: Row.text) where !known.contains(name) {
                try parts.store.database.execute("ALTER TABLE \(table) DROP COLUMN \(name)")
            }
        }
        try parts.store.database.execute("PRAGMA user_version = 3")
        parts = try household.open()
        #expect(try parts.store.database.version == (Store.schema + Feature.all.schema).steps.count)
        let packing = Packing(parts.store, parts.keys, parts.ingest.totals.deletions, closedHours: Folding()) { _ in
            false
        }
        packing.now = { start + 24 * 3_600_000 }
        for _ in 1...2 { while try packing.workOnce(until: 0) {} }
        #expect(try parts.rows("type = 2") == 0 && parts.rows("type = 16 AND kinds = 1") == 2)
        #expect(try parts.shown() == before.0)
        #expect(try parts.findings().json == before.1)
    }

    @Test("hours are packed once they are over for two, and nothing came for a minute; then minutes are folded")
    func ticker() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock, session.block(beat(0, 70)), session.block(beat(3_600_000, 70)))
        var now: Int64 = start + 3 * 3_600_000 - 1
        let folding = Folding { $0 % 3 != 0 }
        let packing = Packing(parts.store, parts.keys, parts.ingest.totals.deletions, closedHours: folding) { _ in false
        }
        packing.now = { now }
        func minute() throws { while try packing.workOnce(until: 0) {} }
        for _ in 1...3 { try minute() }
        #expect(try parts.rows("type = 2") == 2)
        #expect(folding.asked == Array(repeating: firstHour, count: 9))
        now += 1
        _ = try parts.take(session.block(beat(1, 70)))
        try minute()
        #expect(try parts.rows("type = 2") == 3, "one came since the last tick")
        try minute()
        #expect(try parts.rows("type = 2") == 1)
        #expect(folding.asked.last == firstHour + 1)
    }

    @Test("while somebody reads for long and the log grows, packing waits")
    func readers() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock, session.block(beat(0, 70)))
        let late = try session.block(beat(3_600_000_000, 70))
        let packing = Packing(parts.store, parts.keys, parts.ingest.totals.deletions, closedHours: Folding()) { _ in
            false
        }
        packing.now = { start + 24 * 3_600_000 }
        packing.longLog = 1
        func minute() throws { while try packing.workOnce(until: 0) {} }
        try minute()
        let reader = try Store(folder: parts.settings.state, readOnly: true, adding: Feature.all.schema)
        var found: Result<Int, any Error> = .success(0)
        try reader.database.snapshot { () throws(VaultError) in
            _ = try reader.database.first("SELECT count(*) FROM blocks", row: Row.int)
            found = Result {
                _ = try parts.take(late)
                for _ in 1...3 { try minute() }
                return try parts.rows("type = 2")
            }
        }
        #expect(try found.get() == 2)
        for _ in 1...2 { try minute() }
        #expect(try parts.rows("type = 2") == 1)
    }

    @Test("whoever is being forgotten keeps their rows as they are: nothing of theirs is written")
    func busy() throws {
        let parts = try lived(1, isPacking: false).parts
        _ = try parts.ingest.totals.deletions.hide(start..<start + 5000, of: demo)
        let packing = Packing(parts.store, parts.keys, parts.ingest.totals.deletions, closedHours: Folding()) {
            [demo] in $0 == demo
        }
        packing.now = { start + 24 * 3_600_000 }
        for _ in 1...3 { while try packing.workOnce(until: 0) {} }
        #expect(try parts.rows("type = 2") == 360)
        #expect(try parts.ingest.totals.deletions.pending() == [demo])
    }
}
