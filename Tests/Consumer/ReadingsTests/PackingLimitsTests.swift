import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import Testing

@testable import Packed
@testable import Readings

@Suite("Packing at its limits", .timeLimit(.minutes(60)))
struct PackingLimitsTests {
    let household: Household
    let demo: ID

    init() throws {
        household = try Household()
        demo = try ID("demo")
    }

    @Test("an hour of a sensor that makes up as many RR intervals as fit is packed into rows that can be read")
    func intervals() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        let some = [UInt16](repeating: 800, count: HeartRateMeasurement.maximumIntervals)
        let blocks = try (0..<70).map { block in
            try session.block((0..<64).map { beat(Int64(block * 64 + $0) * 500, 60, rr: some) })
        }
        _ = try parts.take(all: blocks)
        #expect(70 * 64 * some.count > PackedReadings.maximumIntervals)
        let before = try parts.streamFindings()
        // As late blocks, too.
        try parts.pack(mark: 40)
        try parts.pack()
        let found = try parts.streamFindings()
        #expect(found.isGood && found == before, "\(found.json)")
        #expect(try parts.rows("type = 2") == 0)
        #expect(try parts.rows("type = 16") >= 4)
        #expect(try parts.printed().count == 70 * 64)
    }

    @Test("an hour that cannot be packed is left, and keeps no other from being packed, nor ranges from being removed")
    func poisoned() throws {
        var parts = try household.open(
            people: "demo: { sensors: [\"home/strap\"] }, other: { sensors: [\"home/watch\"] }")
        let (session, other) = (try parts.session(household), try parts.session(household, "watch"))
        _ = try parts.take(session.keyBlock, other.keyBlock)
        for hour in Int64(0)..<4 {
            _ = try parts.take(session.block(beat(hour * 3_600_000, 70)), other.block(beat(hour * 3_600_000, 70)))
        }
        // The same block twice: the ledger has it once.
        try parts.store.database.execute(
            """
            INSERT INTO blocks (stream, session, seq, type, kinds, first_hour, hours_more, sealed)
                SELECT stream, session, seq, type, kinds, first_hour, hours_more, sealed FROM blocks ORDER BY number LIMIT 1
            """)
        let folding = Folding()
        let packing = Packing(parts.store, parts.keys, parts.ingest.totals.deletions, closedHours: folding) { _ in false
        }
        packing.now = { start + 24 * 3_600_000 }
        var failures = 0
        for _ in 1...4 {
            do { while try packing.workOnce(until: 0) {} } catch {
                failures += 1
                packing.startOver()
            }
        }
        #expect(failures == 1 && folding.asked.count > 0)
        #expect(try parts.rows("type = 2") == 2)
        #expect(try parts.rows("type = 16") == 7)
    }

    @Test("what comes late in loose blocks, and what they repeat, goes from their bytes, too")
    func loose() throws {
        var parts = try household.open()
        let (old, session) = (try parts.session(household), try parts.session(household))
        _ = try parts.take(old.keyBlock, session.keyBlock)
        _ = try parts.take(
            session.loose(old, [old.record(1, beat(10, 80)), old.record(2, beat(20, 81))]),
            session.loose(old, [old.record(1, beat(10, 80)), old.record(3, beat(90_000, 82))]))
        func loose() throws -> Int { try parts.rows("type = 3") }
        let deletions = parts.ingest.totals.deletions
        _ = try deletions.hide(start..<start + 15, of: demo)
        var removal = try RangeRemoval(demo, parts.store, parts.keys, deletions)
        while try removal.goOn(until: 0) == .goesOn {}
        #expect(try loose() == 0, "the second repeats what is to go")
        let shown = [line(20, 81), line(90_000, 82)]
        #expect(try parts.printed() == shown)
        #expect(try parts.streamFindings().isGood)

        let late = try session.loose(old, [old.record(4, beat(5, 83)), old.record(5, beat(95_000, 84))])
        let repeated = try session.loose(old, [old.record(4, beat(5, 83))])
        let kept = try session.loose(old, [old.record(6, beat(99_000, 85))])
        _ = try parts.take(late, repeated, kept)
        let newest = try #require(try parts.store.database.first("SELECT max(number) FROM blocks", row: Row.int))
        try parts.pack(settled: newest - 3)
        #expect(try loose() == 3, "a clock block may still move them")
        try parts.pack()
        #expect(try loose() == 1)
        #expect(try parts.printed() == shown + [line(95_000, 84), line(99_000, 85)])
        let found = try parts.streamFindings()
        #expect(found.isGood, "\(found.json)")
        let stored = parts.ingest.counts.stored
        _ = try parts.take(late, repeated, kept)
        #expect(parts.ingest.counts.stored == stored)
    }
}
