import DaysSupport
import Files
import Fitness
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Days
@testable import Readings

@Suite("Stale hours", .timeLimit(.minutes(60)))
struct StaleTests {
    /// Notes what is to be computed again.
    private final class Notes: Derivation {
        var hours: [Int64] = []
        var fails = false

        func take(_ people: [PersonsReadings], now: Int64) throws(VaultError) {}
        func hourReader(of user: ID) -> @Sendable (Int64, StoredReadings) throws(VaultError) -> Int64 {
            { hour, _ throws(VaultError) in hour }
        }
        func firstKept(of user: ID) -> @Sendable (ClosedRange<Int64>, Store) throws(VaultError) -> Int64? {
            { _, _ throws(VaultError) in nil }
        }
        func extent(of found: Int64, _ hour: Int64) -> ReadExtent { ReadExtent(times: 0..<0, kinds: []) }
        func recount(of user: ID) -> (kept: Int, differing: Int) { (0, 0) }
        func replace(_ hour: Int64, of user: ID, with found: Int64, now: Int64) throws(VaultError) {
            if fails { throw VaultError("compute", .inputOutput, said: "no") }
            hours.append(hour)
        }
        func committed() {}
        func rolledBack() { hours = [] }
    }

    private let hour: Int64 = 3_600_000

    @Test("are walked from one with something in it to the next, however wide the range")
    func wide() throws {
        let diary = try Diary()
        let notes = Notes()
        let stale = StaleHours(diary.parts.store, diary.parts.keys, [notes])
        // Of a clock that begins in 1970, and of one that is 200 years ahead.
        let times = [60_000, start, start + 5 * hour, start + 200 * 365 * 24 * hour]
        try diary.take(times.map { beat($0 - start, 70) }, now: start)
        try diary.parts.store.markStale(diary.user, HourSpan.earliest...HourSpan.latest)
        while try !stale.work(within: .seconds(1)) {}
        #expect(notes.hours == times.map { HourSpan.hour($0) })
        #expect(try diary.parts.count("stale") == 0)
    }

    @Test("are left where computing fails, and are there after a restart, one hour at a time")
    func restart() throws {
        let diary = try Diary()
        let notes = Notes()
        var stale = StaleHours(diary.parts.store, diary.parts.keys, [notes])
        try diary.take((0..<3).map { beat(Int64($0) * hour, 70) }, now: start)
        let first = HourSpan.hour(start)
        try diary.parts.store.markStale(diary.user, first - 100...first + 100)
        notes.fails = true
        #expect(throws: VaultError.self) { try stale.work(within: .zero) }
        notes.fails = false
        #expect(try !stale.catchUp(diary.user, within: .zero) && notes.hours == [first])
        stale = StaleHours(diary.parts.store, diary.parts.keys, [notes])
        #expect(try !stale.catchUp(diary.user, within: .zero) && notes.hours == [first, first + 1])
        while try !stale.catchUp(diary.user, within: .zero) {}
        #expect(notes.hours == [first, first + 1, first + 2])
    }

    @Test("are worked off by turns, and of somebody who is being forgotten not at all")
    func turns() throws {
        let household = try Household()
        let people = "demo: { sensors: [\"home/strap\"] }, other: { sensors: [\"home/watch\"] }, gone: {}"
        var parts = try household.open(people: people)
        let (strap, watch) = (try parts.session(household), try parts.session(household, "watch"))
        let beats = (0..<3).map { beat(Int64($0) * hour, 70) }
        _ = try parts.take(strap.keyBlock, watch.keyBlock, strap.block(beats), watch.block(beats))
        try parts.store.database.execute("DELETE FROM stale")
        let notes = Notes()
        let beingForgotten = BeingForgotten()
        let stale = StaleHours(
            parts.store, parts.keys, [notes], isBeingForgotten: { beingForgotten.contains($0) })
        let first = HourSpan.hour(start)
        for name in ["demo", "other", "gone"] { try parts.store.markStale(ID(name), first...first + 2) }
        beingForgotten.users = [try ID("demo")]
        while try !stale.work(within: .zero) {}
        #expect(notes.hours == [first, first + 1, first + 2])
        beingForgotten.users = []
        while try !stale.work(within: .zero) {}
        #expect(notes.hours.count == 6)
        #expect(try parts.count("stale") == 0)
    }

    @Test("are all hours that were stored before days were kept")
    func migration() throws {
        let diary = try Diary(zone: "UTC")
        try diary.take([count(start, 0), count(start + 1000, 700)])
        let database = diary.parts.store.database
        try database.execute("DELETE FROM days")
        #expect(try !diary.isExact())
        // What the migration does to a store of before.
        let statement = try #require(
            Store.migrations.map(\.sql).joined().split(separator: ";").first { $0.contains("INSERT INTO stale") })
        try database.execute(statement.replacingOccurrences(of: "user", with: "person"))
        try diary.settle()
        #expect(try diary.steps("\(CalendarDay(localSeconds: start / 1000))") == 700 && diary.isExact())
    }

    @Test(
        "are all hours that a store of version 4 has: steps that nobody walks and heart rates that no heart makes counted"
    )
    func upgraded() throws {
        let household = try Household()
        let noon = start + 12 * hour
        let day = CalendarDay(localSeconds: noon / 1000)
        do {
            let diary = try Diary(zone: "UTC", household: household)
            try diary.take([count(noon, 0), count(noon + 60_000, .max), count(noon + 120_000, 90)], now: noon)
            try diary.take([beat(0, 70), beat(1000, 300)], now: noon)
            // As it was kept then.
            let (store, keys) = (diary.parts.store, diary.parts.keys)
            let rows = DayRows(store: store, keys: keys)
            var record = try #require(try rows.record(of: diary.user, on: day))
            record.steps = Steps(walking: Int(UInt32.max) + 90)
            try rows.write(record, of: diary.user, on: day)
            var cells = HeartRateCells(capacity: 60)
            for rate in [70, 300] { cells[0].add(rate, at: start) }
            try HeartRateRows(store, keys).write(cells, .hours, HourSpan.hour(start), of: diary.user)
            // The migration that came after version 4; what others add to tables is there already.
            let migration = try #require(Store.migrations.lastIndex { $0.sql.contains("INSERT INTO stale") })
            #expect(migration >= 4)
            for statement in Store.migrations[migration].sql.split(separator: ";") where statement.contains("stale") {
                try store.database.execute(statement.replacingOccurrences(of: "user", with: "person"))
            }
        }
        // `Diary` works off what is stale.
        let diary = try Diary(zone: "UTC", household: household)
        #expect(try diary.totals("\(day)").steps == Steps(walking: 90, countsLeftOut: 1) && diary.isExact())
        let minutes = HeartRateMinutes(diary.parts.store, diary.parts.keys)
        try diary.parts.store.markStale(diary.user, HourSpan.hour(start)...HourSpan.hour(start))
        _ = try StaleHours(diary.parts.store, diary.parts.keys, [minutes]).catchUp(diary.user, within: .seconds(10))
        #expect(try minutes.recount(of: diary.user) == (1, 0))
        #expect(
            try HeartRateTiers(diary.parts.store, diary.parts.keys)
                .hours(of: diary.user, in: start..<start + hour).first?.samples.maximum == 70)
    }

    @Test("are those whose readings became another person's, or came back")
    func ends() throws {
        let household = try Household()
        let diary = try Diary(zone: "UTC", household: household)
        let noon = start + 12 * hour
        try diary.take([count(noon, 0), count(noon + hour, 100), count(noon + 2 * hour, 300)], now: noon)
        let day = "\(CalendarDay(localSeconds: noon / 1000))"
        #expect(try diary.steps(day) == 300)
        // From a clock that is ahead: by then the strap is somebody else's.
        let other = try household.houseSettings(people: "other: { sensors: [\"home/strap\"] }, demo: {}").people
        try diary.parts.grants.settle(other, now: noon + hour + 600_000)
        try diary.settle()
        #expect(try diary.steps(day) == 100 && diary.isExact())
        let own = try household.houseSettings(people: "demo: { sensors: [\"home/strap\"] }, other: {}").people
        try diary.parts.grants.settle(own, now: noon + hour + 1_200_000)
        try diary.settle()
        #expect(try diary.steps(day) == 300 && diary.isExact())
    }

    @Test("are those of a day whose row does not open, the first time that it is needed")
    func damaged() throws {
        let diary = try Diary(zone: "UTC")
        let noon = start + 12 * hour
        let day = "\(CalendarDay(localSeconds: noon / 1000))"
        try diary.take([count(noon, 0), count(noon + 60_000, 100)])
        try diary.parts.store.database.execute("UPDATE days SET sealed = zeroblob(60)")
        try diary.take([count(noon + 2 * hour, 150)])
        #expect(try diary.steps(day) == 150 && diary.isExact())
    }

    @Test("are computed once each where a clock moves readings to the next hour, and others to where these were")
    func once() throws {
        let diary = try Diary(zone: "UTC")
        let session = try diary.parts.session(diary.household)
        var blocks = [session.keyBlock]
        for number in 0..<10 as Range<Int64> {
            blocks.append(try session.block(count(start + number * hour, UInt32(number) * 100)))
        }
        try diary.take(blocks, now: start + 10 * hour)
        let clock = try ClockBody(
            boot: BootID(high: 0, low: 1), correction: hour, until: UInt64(start + 20 * hour))
        _ = try diary.parts.take(all: [session.seal(.clock, clock.bytes)], wall: start + 10 * hour)
        let notes = Notes()
        let stale = StaleHours(diary.parts.store, diary.parts.keys, [notes])
        while try !stale.work(within: .seconds(10)) {}
        let first = HourSpan.hour(start)
        #expect(notes.hours == Array(first...first + 10))
    }

    @Test("are computed with the clock blocks that came between two portions")
    func correctedBetween() throws {
        let diary = try Diary(zone: "UTC")
        let session = try diary.parts.session(diary.household)
        var blocks = [session.keyBlock]
        for number in 0..<10 as Range<Int64> {
            blocks.append(try session.block(count(start + number * hour, UInt32(number) * 100)))
        }
        _ = try diary.parts.take(all: blocks, wall: start + 10 * hour)
        let first = HourSpan.hour(start)
        try diary.parts.store.markStale(diary.user, first...first + 9)
        #expect(try !diary.stale.work(within: .zero))
        let clock = try ClockBody(
            boot: BootID(high: 0, low: 1), correction: 20 * hour, until: UInt64(start + 20 * hour))
        _ = try diary.parts.take(all: [session.seal(.clock, clock.bytes)], wall: start + 10 * hour)
        try diary.settle()
        #expect(try diary.isExact())
    }

    @Test("are one mark where marks have hours in common, and that mark is a new one")
    func joined() throws {
        let diary = try Diary(zone: "UTC")
        let store = diary.parts.store
        func marks() throws -> [[Int64]] {
            try store.database.query("SELECT number, first_hour, last_hour FROM stale ORDER BY first_hour") {
                row throws(VaultError) in [try row.int(0), try row.int(1), try row.int(2)]
            }
        }
        try store.markStale(diary.user, 0...10)
        try store.markStale(diary.user, 20...30)
        try store.markStale(diary.user, 40...50)
        let before = try marks()
        #expect(before.map { Array($0.dropFirst()) } == [[0, 10], [20, 30], [40, 50]])
        try store.markStale(diary.user, 10...25)
        var after = try marks()
        #expect(after.map { Array($0.dropFirst()) } == [[0, 30], [40, 50]])
        #expect(after[0][0] > before[2][0] && after[1] == before[2])
        // What was within it may be read at this moment.
        try store.markStale(diary.user, 5...6)
        let again = try marks()
        #expect(again[0].dropFirst() == after[0].dropFirst() && again[0][0] > after[0][0])
        try store.markStale(diary.user, -5...100)
        after = try marks()
        #expect(after.map { Array($0.dropFirst()) } == [[-5, 100]] && after[0][0] > again[0][0])
    }

    @Test("are few ranges where a clock moves all hours of a boot, by however many blocks")
    func clocks() throws {
        let diary = try Diary(zone: "UTC")
        let session = try diary.parts.session(diary.household)
        var blocks = [session.keyBlock]
        for number in 0..<60 as Range<Int64> {
            blocks.append(try session.block(count(start + number * hour, UInt32(number) * 100)))
        }
        try diary.take(blocks, now: start + 60 * hour)
        for number in 1...12 as ClosedRange<Int64> {
            let clock = try ClockBody(
                boot: BootID(high: 0, low: 1), correction: (number % 2 == 0 ? -1 : 1) * number * hour,
                until: UInt64(start + 50 * hour + number))
            _ = try diary.parts.take(all: [session.seal(.clock, clock.bytes)], wall: start + 60 * hour)
            #expect(try diary.parts.count("stale") <= Int(number) * 4)
        }
        try diary.settle()
        #expect(try diary.isExact())
    }

    @Test("are one range where one clock moves hours that lie far apart, and a limited number of ranges in all")
    func farApart() throws {
        let diary = try Diary(zone: "UTC")
        let session = try diary.parts.session(diary.household)
        var blocks = [session.keyBlock]
        for number in 0..<100 as Range<Int64> {
            blocks.append(try session.block(count(start + number * 26 * hour, UInt32(number) * 100)))
        }
        try diary.take(blocks, now: start + 3000 * hour)
        try diary.settle()
        let clock = try ClockBody(
            boot: BootID(high: 0, low: 1), correction: hour, until: UInt64(start + 3000 * hour))
        _ = try diary.parts.take(all: [session.seal(.clock, clock.bytes)], wall: start + 3000 * hour)
        #expect(try diary.parts.count("stale") == 1)
        try diary.settle()
        #expect(try diary.isExact())

        // None of them covers another.
        let first = HourSpan.hour(start)
        for number in 0..<1000 as Range<Int64> {
            try diary.parts.store.markStale(diary.user, first - number * 2...first - number * 2)
            #expect(try diary.parts.count("stale") <= 256)
        }
        let covered = try diary.parts.store.database.query("SELECT first_hour, last_hour FROM stale") {
            row throws(VaultError) in (try row.int(0))...(try row.int(1))
        }
        for number in 0..<1000 as Range<Int64> {
            #expect(covered.contains { $0.contains(first - number * 2) })
        }
        try diary.settle()
        #expect(try diary.isExact())
    }

    @Test("are all found where several clock blocks of a boot come at once")
    func clocksAtOnce() throws {
        let diary = try Diary(zone: "UTC")
        let session = try diary.parts.session(diary.household)
        var blocks = [session.keyBlock]
        for number in 0..<10 as Range<Int64> {
            blocks.append(try session.block(count(start + number * hour, UInt32(number) * 100)))
        }
        try diary.take(blocks, now: start + 100 * hour)
        func clock(_ hours: Int64, until: Int64) throws -> [UInt8] {
            let clock = try ClockBody(
                boot: BootID(high: 0, low: 1), correction: hours * hour, until: UInt64(start + until * hour))
            return try session.seal(.clock, clock.bytes)
        }
        try diary.take([clock(30, until: 5)], now: start + 100 * hour)
        #expect(try diary.isExact())
        try diary.take([clock(50, until: 20), clock(70, until: 30)], now: start + 100 * hour)
        #expect(try diary.isExact())
        // Of two boots at once, too.
        let other = try diary.parts.session(diary.household, boot: 2)
        let second = try ClockBody(
            boot: BootID(high: 0, low: 2), correction: 90 * hour, until: UInt64(start + 90 * hour))
        try diary.take([other.keyBlock, other.block(count(start + 20 * hour, 5))], now: start + 100 * hour)
        try diary.take([clock(-40, until: 25), other.seal(.clock, second.bytes)], now: start + 100 * hour)
        #expect(try diary.isExact())
    }

    @Test(
        "move by the sum of all corrections that come after a reading, in whichever order these came", arguments: 0..<8)
    func sums(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let boot = BootID(high: 0, low: 1)
        var (corrections, all) = (Corrections(), Set<ClockBody>())
        for _ in 0..<200 {
            let clock = try ClockBody(
                boot: boot, correction: Int64.random(in: -hour...hour, using: &generator),
                until: UInt64.random(in: 0..<100, using: &generator))
            corrections.add(clock)
            // The same again changes nothing.
            if Bool.random(using: &generator) { corrections.add(clock) }
            all.insert(clock)
        }
        for monotonic in 0...100 as ClosedRange<UInt64> {
            let expected = all.filter { $0.until > monotonic }.reduce(0) { $0 + $1.correction }
            #expect(corrections.corrected(Moment(wall: 7, monotonic: monotonic), of: boot) == 7 + expected)
        }
    }

    @Test("may be among ranges that are joined where there are very many, and none is lost", arguments: 0..<8)
    func ranges(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (ranges, all) = (HourRanges(), Set<Int64>())
        #expect(ranges.isEmpty && !ranges.overlaps(0...0))
        for _ in 0..<500 {
            let first = Int64.random(in: -5000..<5000, using: &generator)
            let last = first + Int64.random(in: 0..<4, using: &generator)
            ranges.insert(first...last)
            all.formUnion(first...last)
        }
        for hour in -5010..<5010 as Range<Int64> {
            #expect(ranges.overlaps(hour...hour) == all.contains(hour))
            #expect(ranges.overlaps(hour...hour + 2) == !all.isDisjoint(with: hour...hour + 2))
        }
        for number in 0..<20_000 as Range<Int64> {
            let first = number * 10 + Int64.random(in: 0..<5, using: &generator)
            ranges.insert(first...first)
            all.insert(first)
        }
        #expect(ranges.ranges.count <= HourRanges.capacity && ranges.ranges.count > HourRanges.capacity / 20)
        #expect(all.allSatisfy { ranges.overlaps($0...$0) })
        #expect(!ranges.overlaps(300_000...400_000))
    }

    @Test("of loose blocks are known without another look at all of them, and after one")
    func loose() throws {
        let diary = try Diary(zone: "UTC")
        let sessions = (old: try diary.parts.session(diary.household), new: try diary.parts.session(diary.household))
        try diary.take([sessions.old.keyBlock, sessions.new.keyBlock, sessions.new.block(count(start, 0))], now: start)
        for number in 1...5 as ClosedRange<Int64> {
            let reading = count(start + number * 4 * hour, UInt32(number))
            let record = try sessions.old.record(UInt64(number), reading)
            let repeated = try sessions.new.block(reading)
            let apart = try sessions.new.block(count(start + number * 4 * hour + 2 * hour, UInt32(number)))
            _ = try diary.parts.take(all: [sessions.new.loose(sessions.old, [record])], wall: start + 100 * hour)
            try diary.settle()
            // The same may lie in a block that comes after it, and nowhere else.
            _ = try diary.parts.take(all: [apart], wall: start + 100 * hour)
            #expect(try diary.parts.count("stale") == 0)
            _ = try diary.parts.take(all: [repeated], wall: start + 100 * hour)
            #expect(try diary.parts.count("stale") == 1)
            try diary.settle()
            if number == 3 { diary.parts.ingest.forgetSessions() }
        }
        #expect(try diary.isExact())
    }

    @Test("are looked for no further away than a boot's clock was wrong, however many boots there were")
    func slack() throws {
        var corrections = Corrections()
        for boot in 1...100 as ClosedRange<UInt64> {
            corrections.add(try ClockBody(boot: BootID(high: 0, low: boot), correction: 10 * hour, until: 1000))
        }
        #expect(corrections.moves.slack == 0...11)
        let boot = BootID(high: 0, low: 7)
        #expect(corrections.shifts(of: boot) == [0...0, 10 * hour...10 * hour])
        for number in 1...1000 as ClosedRange<Int64> {
            corrections.add(try ClockBody(boot: boot, correction: -number, until: UInt64(number)))
        }
        #expect(corrections.shifts(of: boot) == [-500_500...10 * hour])
    }
}
