import Compression
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
import Vault

@testable import Readings
@testable import vitals_consumer

@Suite("Packing", .timeLimit(.minutes(60)))
struct PackingTests {
    let household: Household

    init() throws { household = try Household() }

    private let people = "demo: { sensors: [\"home/strap\"] }, other: { sensors: [\"home/watch\"] }"

    /// Two people's sensors over some hours, of all that there may be: several sessions and boots, all kinds, readings
    /// of one instant in two blocks, loose blocks that repeat readings, clock blocks, gaps, a sensor that changes its
    /// owner, blocks over the hour's end.
    private func filled(seed: UInt64) throws -> (parts: Parts, blocks: [[UInt8]]) {
        var generator = SeededGenerator(seed: seed)
        var parts = try household.open(people: people)
        var blocks: [[UInt8]] = []
        for (sensor, boot) in [("strap", UInt64(1)), ("strap", 2), ("watch", 3), ("strap", 2)] {
            let (old, session) = (
                try parts.session(household, sensor, boot: boot), try parts.session(household, sensor, boot: boot)
            )
            _ = try parts.take(old.keyBlock, session.keyBlock)
            var records: [LooseBody.Record] = []
            for number in 0..<40 {
                let first = Int64.random(in: -600_000...9_000_000, using: &generator)
                let readings = (0..<Int.random(in: 1...12, using: &generator)).map {
                    beat(first + Int64($0) * 500, .random(in: 60...63, using: &generator), rr: [UInt16(800 + $0)])
                }
                blocks.append(try session.block(readings))
                if number % 8 == 0 {
                    // Of the same instant, in another block.
                    blocks.append(try session.block(readings))
                    blocks.append(try session.block(Reading(at: readings[0].moment, .steps(.init(UInt32(number))))))
                    let warm = try Temperature(thousandths: 36_000 + Int64(number), site: .ear)
                    blocks.append(try session.block(Reading(at: readings[0].moment, .temperature(warm))))
                    records.append(try old.record(UInt64(number), readings[0]))
                    records.append(try old.record(UInt64(number + 1), beat(first + 250, 99)))
                    blocks.append(try session.loose(old, records))
                }
            }
            let clock = try ClockBody(
                boot: BootID(high: 0, low: boot), correction: Int64(boot) * 1_700_000 - 3_000_000, until: 4_000_000)
            blocks.append(try session.seal(.clock, clock.bytes))
            let gap = try GapBody(count: 5, first: start, last: start + 1, reason: .outboxFull)
            blocks.append(try session.seal(.gap, gap.bytes))
        }
        blocks.shuffle(using: &generator)
        _ = try parts.take(all: blocks)
        if seed % 2 == 0 {
            let other = "demo: { sensors: [] }, other: { sensors: [\"home/watch\", \"home/strap\"] }"
            try parts.grants.settle(household.settings(people: other).people, now: start + 1_000_000)
            _ = try household.settings(people: people)
        }
        return (parts, blocks)
    }

    @Test(
        "shows, exports, counts and checks the same as before, however much of it is packed, and knows each block again",
        arguments: 1...4)
    func same(seed: UInt64) throws {
        var (parts, blocks) = try filled(seed: seed)
        let before = try (demo: parts.shown(), other: parts.shown("other"), findings: parts.findings().json)
        #expect(before.demo[0].count > 100 && before.other[0].count > 100 && before.demo[1].count > 1)
        for hour in [firstHour + 1, firstHour + 2, .max] {
            try parts.pack(before: hour)
            #expect(try parts.rows("type = 16") > 0)
            #expect(try parts.rows("type = 2 AND first_hour < \(hour)") == 0)
            #expect(try parts.shown() == before.demo)
            #expect(try parts.shown("other") == before.other)
            #expect(try parts.findings().json == before.findings)
        }
        #expect(try parts.rows("type IN (3, 4, 5)") > 20, "all others stay as they are")
        #expect(
            try parts.store.database.first("SELECT count(*) FROM ledger WHERE seq > 0", row: Row.int)
                == Int64(parts.rows("type < 16")))
        let ranges = try parts.printed(from: start + 1_000_000, to: start + 2_000_000)
        #expect(
            ranges
                == before.demo[0].filter { line in
                    let time = Int64(line.dropFirst(8).prefix { $0.isNumber }) ?? 0
                    return (start + 1_000_000..<start + 2_000_000).contains(time)
                })
        // All of it again: nothing is new.
        _ = try parts.take(all: blocks)
        #expect(parts.ingest.counts.duplicates >= blocks.count)
        #expect(try parts.findings().json == before.findings)
    }

    @Test("a block that comes again is acknowledged, one with its number and other bytes is refused")
    func ledger() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        let blocks = try (0..<400).map { try session.block(beat(Int64($0) * 1000, 70)) }
        _ = try parts.take(session.keyBlock)
        // Every tenth comes late, and some never come.
        let missing: Set<Int> = [0, 17, 162, 163, 399]
        let late = blocks.indices.filter { $0 % 10 == 3 && !missing.contains($0) }
        _ = try parts.take(all: blocks.indices.filter { $0 % 10 != 3 && !missing.contains($0) }.map { blocks[$0] })
        try parts.pack()
        _ = try parts.take(all: late.map { blocks[$0] })
        try parts.pack()
        #expect(try parts.count("ledger") == 1, "the key block's")
        #expect(try parts.count("ledger_runs") <= 8)
        #expect(try parts.store.database.first("SELECT max(length(digests)) FROM ledger_runs", row: Row.int) == 162 * 6)
        #expect(try parts.rows("type = 16") == 1)
        for (index, block) in blocks.enumerated() {
            let sequence = UInt64(index + 1)
            let entry = try parts.store.ledgerEntry(1, sequence)
            let beginning = Array(try SHA256.digest(block).prefix(6))
            #expect(entry?.digest == (missing.contains(index) ? nil : beginning))
        }
        #expect(try parts.store.ledgerEntry(1, 401) == nil)
        #expect(try parts.store.ledgerEntry(1, .max) == nil)
        let stored = parts.ingest.counts.stored
        let home = try ID("home")
        #expect(try parts.take(blocks[5]) == [.acknowledge(home, [session.identity(6)])])
        let other = try session.seal(.readings, ReadingColumns.encode([beat(0, 71)]), sequence: 6)
        guard case .refuse(_, session.identity(6), _, .conflict)? = try parts.take(other).first else {
            Issue.record("it was not refused")
            return
        }
        #expect(parts.ingest.counts.stored == stored)
        _ = try parts.take(blocks[17])
        #expect(parts.ingest.counts.stored == stored + 1, "one that never came is new")
        #expect(try parts.printed().count == 396)
    }

    @Test("numbers of blocks up to the greatest are in runs, and known")
    func extremeNumbers() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        let numbers: [UInt64] = [1, 2, .max, .max - 1, 1 << 63, (1 << 63) - 1, (1 << 63) + 1]
        var blocks: [[UInt8]] = []
        for (index, number) in numbers.enumerated() {
            let columns = try ReadingColumns.encode([beat(Int64(index), 70)])
            blocks.append(try session.seal(.readings, columns, sequence: number))
            _ = try parts.take(blocks[index])
        }
        let before = try parts.shown()
        try parts.pack()
        for number in numbers { #expect(try parts.store.ledgerEntry(1, number) != nil, "\(number)") }
        for number: UInt64 in [3, .max - 2, (1 << 63) - 2, (1 << 63) + 2] {
            #expect(try parts.store.ledgerEntry(1, number) == nil, "\(number)")
        }
        // They come again, one by one and together.
        for block in blocks { #expect(try parts.take(all: [block]).reports == []) }
        _ = try parts.take(all: blocks)
        #expect(parts.ingest.counts.duplicates == 2 * numbers.count)
        #expect(try parts.shown() == before)
        #expect(try parts.findings().isGood)
    }

    @Test("hours that are open, blocks that are new, and those of people who are being forgotten stay as they came")
    func left() throws {
        var parts = try household.open(people: people)
        let (session, other) = (try parts.session(household), try parts.session(household, "watch"))
        _ = try parts.take(
            session.keyBlock, other.keyBlock, session.block(beat(0, 70)), session.block(beat(3_600_000, 71)),
            other.block(beat(0, 72)))
        try parts.pack(before: firstHour)
        #expect(try parts.rows("type = 2") == 3)
        try parts.pack(before: firstHour + 1, forgetting: ID("demo"))
        #expect(try parts.rows("type = 2") == 2, "only the other's first hour")
        // A block of the hour came since the mark was taken.
        let newest = try #require(try parts.store.database.first("SELECT max(number) FROM blocks", row: Row.int))
        _ = try parts.take(session.block(beat(1000, 73)))
        try parts.pack(before: firstHour + 1, mark: newest)
        #expect(try parts.rows("type = 2") == 3)
        try parts.pack(before: firstHour + 1)
        #expect(try parts.rows("type = 2") == 1)
    }

    @Test("a block that does not open, or is not in the ledger as it came, stays where it is, and is found")
    func damaged() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        _ = try parts.take(all: (0..<10).map { try session.block(beat(Int64($0) * 1000, 70)) })
        try parts.store.database.execute("UPDATE blocks SET sealed = zeroblob(60) WHERE seq = 3")
        try parts.store.database.execute("UPDATE ledger SET digest = zeroblob(32) WHERE seq = 5")
        try parts.store.database.execute("DELETE FROM ledger WHERE seq = 7")
        let before = try parts.findings().json
        try parts.pack()
        #expect(try parts.store.database.query("SELECT seq FROM blocks WHERE type = 2", row: Row.int) == [3, 5, 7])
        #expect(try parts.findings().json == before)
        #expect(before.contains("\"unledgered\":3") && before.contains("\"unreadable\":1"))
    }

    @Test(
        "check finds what was altered of what is packed",
        arguments: [
            (
                "UPDATE blocks SET sealed = zeroblob(length(sealed)) WHERE type = 16",
                \Findings.unreadable
            ),
            ("UPDATE blocks SET first_hour = first_hour + 1 WHERE type = 16", \.unreadable),
            ("UPDATE blocks SET seq = 1 WHERE type = 16", \.unreadable),
            ("DELETE FROM blocks WHERE type = 16", \.miscounted),
            ("DELETE FROM blocks WHERE type = 16", \.unledgered),
            ("DELETE FROM ledger_runs WHERE first_seq = 1", \.unledgered),
            ("UPDATE ledger_runs SET digests = substr(digests, 7) WHERE first_seq = 1", \.unledgered),
            ("UPDATE ledger_runs SET first_seq = 1000 WHERE first_seq = 1", \.unledgered),
            ("UPDATE counts SET number = number + 1 WHERE kind = 0", \.miscounted),
            ("UPDATE counts SET number = number - 1 WHERE kind = 1", \.miscounted),
        ])
    func check(sql: String, finding: KeyPath<Findings, Int64> & Sendable) throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        let readings = hourOfHeartRates(jitter: 10, withIntervals: true)
        _ = try parts.take(
            all: stride(from: 0, to: 3600, by: 10).map { try session.block(Array(readings[$0..<$0 + 10])) })
        try parts.pack()
        let good = try parts.findings()
        #expect(good.isGood && good.blocks == 360 && good.readings == 3600)
        #expect(try parts.store.database.execute(sql) > 0)
        let found = try parts.findings()
        #expect(found[keyPath: finding] > 0, "\(found.json)")
    }

    @Test(
        "where anything goes wrong in between, all is as it was, and is packed the next time",
        arguments: [
            "DELETE ON blocks", "INSERT ON blocks", "DELETE ON ledger", "INSERT ON ledger_runs",
            "DELETE ON ledger_runs",
        ])
    func atomic(statement: String) throws {
        var parts = try filled(seed: 1).parts
        // Rows to be written anew, too.
        try parts.pack()
        let session = try parts.session(household)
        _ = try parts.take(all: [session.keyBlock] + (0..<100).map { try session.block(beat(Int64($0) * 100_000, 70)) })
        _ = try parts.take(session.block(beat(0, 70)))
        try parts.pack(before: firstHour + 1)
        _ = try parts.take(session.block(beat(1, 70)))
        let before = try (parts.shown(), parts.findings().json, parts.count("blocks"), parts.count("ledger"))
        for row in [1, 3] {
            try parts.store.database.execute("CREATE TEMP TABLE seen (n INTEGER)")
            try parts.store.database.execute(
                """
                CREATE TEMP TRIGGER stop BEFORE \(statement.replacing("ON ", with: "ON main.")) BEGIN
                    INSERT INTO seen VALUES (1);
                    SELECT raise(ABORT, 'stop') WHERE (SELECT count(*) FROM seen) >= \(row);
                END
                """)
            let error = thrown(VaultError.self) { try parts.pack() }
            #expect(error != nil, "\(statement) was not met \(row) times")
            try parts.store.database.execute("DROP TRIGGER stop")
            try parts.store.database.execute("DROP TABLE temp.seen")
            #expect(try parts.shown() == before.0)
            #expect(try parts.findings().json == before.1)
            if row == 1 { #expect(try parts.count("blocks") == before.2 && parts.count("ledger") == before.3) }
        }
        try parts.pack()
        #expect(try parts.count("blocks") < before.2 && parts.count("ledger") < before.3)
        #expect(try parts.rows("type = 2") == 0)
        #expect(try parts.shown() == before.0)
        #expect(try parts.findings().json == before.1)
    }
}
