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

@testable import Days
@testable import Features
@testable import Readings
@testable import vitals_consumer

@Suite("A range of heart rate that was deleted", .timeLimit(.minutes(60)))
struct DeletionTests {
    let household: Household
    let demo: ID

    init() throws {
        household = try Household()
        demo = try ID("demo")
    }

    /// Two hours at a reading each ten seconds, the first of them packed; a loose block, whose first reading repeats
    /// one; another kind; a boot whose clock was an hour behind.
    private func filled(_ deriving: @escaping (Store, Keys) -> [any Derivation] = { _, _ in [] }) throws -> Parts {
        var parts = try household.open(deriving: deriving)
        let (old, session, behind) = (
            try parts.session(household), try parts.session(household), try parts.session(household, boot: 2)
        )
        _ = try parts.take(old.keyBlock, session.keyBlock, behind.keyBlock)
        _ = try parts.take(all: blocks(session, 0..<36))
        _ = try parts.take(session.block(Reading(at: beat(1000, 1).moment, .steps(10))))
        try parts.pack()
        _ = try parts.take(all: blocks(session, 36..<72))
        let records = try [(0, 0), (1, 15_500), (2, 25_500)].map { try old.record($0, beat($1, $0 == 0 ? 60 : 80)) }
        _ = try parts.take(session.loose(old, records))
        let clock = try ClockBody(boot: BootID(high: 0, low: 2), correction: 3_600_000, until: 100_000_000)
        _ = try parts.take(
            behind.block(beat(-3_600_000 + 15_700, 90), beat(-3_600_000 + 7_300_000, 91)),
            behind.seal(.clock, clock.bytes))
        return parts
    }

    private func blocks(_ session: GatewaySession, _ numbers: Range<Int64>) throws -> [[UInt8]] {
        try numbers.map { number in
            try session.block((0..<10).map { beat((number * 10 + $0) * 10_000, 60 + UInt16($0)) })
        }
    }

    private func times(_ lines: [String]) -> [Int64] {
        lines.map { (Int64($0.dropFirst(8).prefix { $0.isNumber }) ?? 0) - start }
    }

    private func remove(_ parts: Parts) throws {
        var removal = try RangeRemoval(demo, parts.store, parts.keys, parts.ingest.totals.deletions)
        while try removal.goOn(until: 0) == .goesOn {}
    }

    private func count(_ range: Range<Int64>, before: DeletedRanges = DeletedRanges(), _ parts: Parts) throws -> Int {
        var count = try HiddenCount(demo, range, before: before, parts.store, parts.keys) { _ in }
        while try count.goOn(until: 0) {}
        return count.number
    }

    private func hide(_ from: Int64, _ to: Int64, _ parts: Parts) throws -> DeletedRanges {
        try #require(try parts.ingest.totals.deletions.hide(start + from..<start + to, of: demo))
    }

    @Test(
        "is seen by nobody from then on, goes from packed rows, unpacked and loose blocks, and all else stays",
        arguments: [
            (15_000, 26_000), (0, 1), (-10_000_000, 20_000_000), (3_599_999, 3_600_001), (1_000_000, 5_000_000),
            (50_000_000, 50_000_001),
        ])
    func goes(from: Int64, to: Int64) throws {
        let parts = try filled()
        let before = try parts.shown()
        #expect(before[0].count == 724)
        let kept = before[0].filter { line in !(from..<to).contains(times([line])[0]) }
        _ = try hide(from, to, parts)
        #expect(try parts.printed() == kept)
        #expect(try parts.printed(.steps) == before[1])
        #expect(try !parts.shown()[3].joined().contains(before[0].first { !kept.contains($0) } ?? "no such line"))
        #expect(try count(start + from..<start + to, parts) >= before[0].count - kept.count)
        let all = try parts.findings()
        #expect(all.isGood)

        try remove(parts)
        #expect(try parts.printed() == kept)
        let found = try parts.findings()
        #expect(found.isGood, "\(found.json)")
        #expect(found.blocks == all.blocks)
        let gone = all.readings - found.readings
        // The one that repeats another is stored twice, and shown once.
        #expect((before[0].count - kept.count...before[0].count - kept.count + 1).contains(Int(gone)))
        try parts.ingest.totals.deletions.write(Deletions.Document(), of: demo)
        #expect(try parts.printed() == kept, "they are not there at all")
        try parts.pack()
        #expect(try parts.printed() == kept)
        #expect(try parts.findings().json == found.json)
    }

    @Test("what is left of what was deleted is in no page of the database and its log")
    func pages() throws {
        let parts = try filled()
        let sealed = try parts.store.database.query(
            "SELECT sealed FROM blocks WHERE kinds & 1 AND first_hour >= \(firstHour)", row: Row.blob)
        #expect(sealed.count > 30)
        func left() throws -> Int {
            let files = try ["vitals.db", "vitals.db-wal"].map {
                try Data(contentsOf: URL(fileURLWithPath: household.path("state/\($0)")))
            }
            return sealed.count { row in files.contains { $0.range(of: Data(row.prefix(32))) != nil } }
        }
        #expect(try left() == sealed.count)
        _ = try hide(-10_000_000, 20_000_000, parts)
        try remove(parts)
        #expect(try left() == 0)
        #expect(try parts.ingest.totals.deletions.read(demo)?.pending.isEmpty == true)
    }

    @Test(
        "comes late, and is not seen, not counted in totals, acknowledged, and goes when its hour is packed, but not at once"
    )
    func late() throws {
        let taken = Record<Int64>()
        var parts = try filled { _, _ in [Taking(taken)] }
        let session = try parts.session(household)
        _ = try hide(0, 3_600_000, parts)
        try remove(parts)
        let before = try (parts.printed(), parts.findings().readings)
        _ = taken.all
        let late = try session.block(beat(-5, 70), beat(5, 71), beat(10, 72))
        _ = try parts.take(session.keyBlock)
        #expect(try parts.take(late) == [.acknowledge(ID("home"), [session.identity(1)])])
        #expect(taken.all.suffix(1) == [start - 5])
        #expect(try parts.printed() == (before.0 + [line(-5, 70)]).sorted { times([$0])[0] < times([$1])[0] })
        let newest = try #require(try parts.store.database.first("SELECT max(number) FROM blocks", row: Row.int))
        try parts.pack(settled: newest - 1)
        #expect(try parts.findings().readings == before.1 + 3, "a clock block may still move them")
        try parts.pack()
        #expect(try parts.findings().readings == before.1 + 1)
        #expect(try parts.findings().isGood)
        #expect(try parts.rows("type = 2") == 0)
        #expect(try parts.take(late) == [.acknowledge(ID("home"), [session.identity(1)])])
        #expect(try parts.findings().readings == before.1 + 1)
    }

    @Test("a clock block that moves late readings out of a range brings them to light")
    func movedOut() throws {
        var parts = try filled()
        _ = try hide(-100_000_000, 0, parts)
        try remove(parts)
        let session = try parts.session(household, boot: 7)
        _ = try parts.take(session.keyBlock, session.block(beat(-50_000_000, 55)))
        try parts.pack(settled: 0)
        #expect(try !parts.printed().joined().contains("\"bpm\":55"))
        let clock = try ClockBody(boot: BootID(high: 0, low: 7), correction: 60_000_000, until: 100_000_000)
        _ = try parts.take(session.seal(.clock, clock.bytes))
        #expect(try parts.printed().last == line(10_000_000, 55))
        try parts.pack()
        #expect(try parts.printed().last == line(10_000_000, 55))
    }

    @Test(
        "goes from packed rows, too, if a clock block says only later that it was then, also while other rows are written again"
    )
    func moved() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        _ = try parts.take(all: blocks(session, 0..<36))
        try parts.pack()
        #expect(try parts.rows("type = 16") == 1 && parts.printed().count == 360)
        let deletions = parts.ingest.totals.deletions
        // Nothing is there, ten hours later.
        _ = try hide(36_000_000, 40_000_000, parts)
        var removal = try RangeRemoval(demo, parts.store, parts.keys, deletions)
        #expect(try removal.goOn(until: .max) == .goesOn)
        let clock = try ClockBody(boot: BootID(high: 0, low: 1), correction: 36_000_000, until: 1_000_000_000)
        _ = try parts.take(session.seal(.clock, clock.bytes))
        #expect(try removal.goOn(until: .max) == .done && deletions.pending() == [demo])
        #expect(try parts.printed().isEmpty)
        let packing = Packing(parts.store, parts.keys, deletions, closedHours: Folding()) { _ in false }
        while try packing.workOnce(until: .max) {}
        #expect(try deletions.pending().isEmpty)
        // Once it has looked, it hears of what comes later.
        let back = try ClockBody(boot: BootID(high: 0, low: 1), correction: 0, until: 1_000_000_000)
        _ = try parts.take(session.seal(.clock, back.bytes))
        #expect(try deletions.pending() == [demo])
        while try packing.workOnce(until: .max) {}
        #expect(try deletions.pending().isEmpty)
        try deletions.write(Deletions.Document(), of: demo)
        #expect(try parts.printed().isEmpty, "it is not there at all")
        #expect(try parts.findings().isGood)
    }

    @Test("goes on after an interruption at any instant, and the same is left")
    func interrupted() throws {
        for row in 0...3 {
            var parts = try filled()
            let kept = try parts.printed().filter { !(1_000_000..<5_000_000).contains(times([$0])[0]) }
            _ = try hide(1_000_000, 5_000_000, parts)
            try parts.store.database.execute("CREATE TEMP TABLE seen (n INTEGER)")
            for table in ["blocks", "ledger", "documents"] {
                try parts.store.database.execute(
                    """
                    CREATE TEMP TRIGGER stop_\(table) BEFORE \(table == "blocks" ? "INSERT" : "DELETE") ON main.\(table) BEGIN
                        INSERT INTO seen VALUES (1);
                        SELECT raise(ABORT, 'stop') WHERE (SELECT count(*) FROM seen) > \(row * row);
                    END
                    """)
            }
            #expect(throws: VaultError.self, "\(row)") { try remove(parts) }
            // As after a start.
            parts = try household.open()
            #expect(try parts.printed() == kept)
            #expect(try parts.findings().isGood)
            #expect(try parts.ingest.totals.deletions.pending() == [demo])
            try remove(parts)
            #expect(try parts.ingest.totals.deletions.pending().isEmpty)
            #expect(try parts.printed() == kept)
            #expect(try parts.findings().isGood)
            try FileManager.default.removeItem(atPath: household.path("state"))
        }
    }

    @Test("counts what was seen before and is not any more")
    func counted() throws {
        let parts = try filled()
        let whole = start - 10_000_000..<start + 20_000_000
        #expect(try count(whole, parts) == 725)
        #expect(try count(start + 20_000..<start + 40_000, parts) == 3)
        let before = try hide(0, 3_600_000, parts)
        #expect(before.isEmpty)
        let hidden = try hide(0, 7_200_000, parts)
        #expect(hidden == DeletedRanges([start..<start + 3_600_000]))
        #expect(try count(start..<start + 7_200_000, before: hidden, parts) == 360)
        try remove(parts)
        #expect(try count(whole, before: parts.ingest.totals.deletions.ranges(of: demo), parts) == 1)
    }

    @Test("is computed again in totals, and is nobody's document once all that is theirs was forgotten")
    func documents() throws {
        let parts = try filled()
        try parts.store.database.execute("DELETE FROM stale")
        _ = try hide(1, 3_600_001, parts)
        let stale = try parts.store.database.query("SELECT person, first_hour, last_hour FROM stale") {
            row throws(VaultError) in "\(try row.text(0)) \(try row.int(1)) \(try row.int(2))"
        }
        #expect(stale == ["demo \(firstHour) \(firstHour + 1)"])
        _ = try output { _ = try ForgetCommand(user: demo, isWithAccount: false).run(household.written(), output: $0) }
        let (store, keys) = (
            try Store(folder: parts.settings.state, adding: Feature.all.schema), try Keys(parts.settings, .write)
        )
        #expect(try Deletions(store, keys).ranges(of: demo).isEmpty)
        #expect(try Deletions(store, keys).pending().isEmpty)
    }

    @Test("ranges are merged, ascending, found, and no more than so many are kept")
    func ranges() throws {
        var generator = SeededGenerator(seed: 3)
        var (ranges, plain) = (DeletedRanges(), Set<Int64>())
        for _ in 0..<60 {
            let from = Int64.random(in: 0..<400, using: &generator)
            let to = from + .random(in: 0..<9, using: &generator)
            ranges.insert(from..<to)
            plain.formUnion(from..<to)
            #expect(zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
            #expect((-1..<410).allSatisfy { ranges.contains($0) == plain.contains($0) })
            let probe = from..<from + 20
            #expect(ranges.overlaps(probe) == probe.contains { plain.contains($0) })
        }
        #expect(DeletedRanges(ranges.ranges.shuffled()) == ranges)
        let parts = try household.open()
        let deletions = parts.ingest.totals.deletions
        var full = Deletions.Document()
        for number in 0..<Int64(Deletions.maximumCount) { full.ranges.insert(number * 10..<number * 10 + 5) }
        full.pending = full.ranges
        try deletions.write(full, of: demo)
        #expect(try deletions.read(demo) == full)
        #expect(try deletions.hide(-10 ..< -5, of: demo) == nil)
        #expect(try deletions.read(demo) == full)
        #expect(try deletions.hide(0..<10_000, of: demo) == full.ranges)
        #expect(try deletions.ranges(of: demo) == DeletedRanges([0..<10_000]))
    }
}

/// Notes the times that it is given.
private final class Taking: Derivation {
    private let taken: Record<Int64>

    init(_ taken: Record<Int64>) { self.taken = taken }

    func take(_ people: [PersonsReadings], now: Int64) {
        for entry in people.flatMap(\.entries) { taken.append(entry.bare.wall) }
    }
    func hourReader(of user: ID) -> @Sendable (Int64, StoredReadings) throws(VaultError) -> Int64 {
        { hour, _ throws(VaultError) in hour }
    }
    func firstKept(of user: ID) -> @Sendable (ClosedRange<Int64>, Store) throws(VaultError) -> Int64? {
        { _, _ throws(VaultError) in nil }
    }
    func extent(of found: Int64, _ hour: Int64) -> ReadExtent { ReadExtent(times: 0..<0, kinds: []) }
    func recount(of user: ID) -> (kept: Int, differing: Int) { (0, 0) }
    func replace(_ hour: Int64, of user: ID, with found: Int64, now: Int64) {}
    func committed() {}
    func rolledBack() {}
}
