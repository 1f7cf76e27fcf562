import Daemon
import Files
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Readings

@Suite("More than any sensor sends", .timeLimit(.minutes(60)))
struct DensityTests {
    let household: Household
    let home: ID
    let demo: ID

    init() throws {
        household = try Household()
        home = try ID("home")
        demo = try ID("demo")
    }

    private let nine = [UInt16](repeating: 20, count: 9)
    private let most = [UInt16](repeating: 800, count: HeartRateMeasurement.maximumIntervals)

    @Test("a second of a sensor with more readings, or more RR intervals, than any sensor sends is not filled further")
    func limits() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        for number in 0..<20 {
            let block = try session.block((0..<64).map { beat(Int64(number * 50 + $0 % 50), 70) })
            let (answers, reports) = try parts.take(all: [block], later: 100)
            #expect(answers == [.acknowledge(home, [session.identity(UInt64(number) + 1)])])
            let isOver = number >= 15
            #expect(reports.map(\.verdict) == (isOver ? [.tooDense(64)] : []), "\(number)")
            // It came, and was told: it is not judged again.
            #expect(try parts.take(all: [block], later: 0).reports == [])
        }
        #expect(parts.ingest.counts.stored == 16 && parts.ingest.counts.tooDense == 5)
        #expect(try parts.printed().count == 15 * 64)
        for number in 0..<10 {
            let block = try session.block(beat(1000 + Int64(number), 70, rr: most))
            #expect(try parts.take(all: [block], later: 0).reports.count == (number < 7 ? 0 : 1), "\(number)")
        }
        #expect(try parts.streamFindings().isGood)
    }

    @Test("sensors that there are, recordings at sixty times their speed, and a week at once are kept whole")
    func honest() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        var count = 0
        // A notification of 20 bytes has room for nine intervals; 50 of them a second, and then a strap's minute within
        // one.
        for second in Int64(0)..<4 {
            let fast = (0..<50).map { beat(second * 1000 + $0 * 20, 70, rr: nine) }
            _ = try parts.take(session.block(fast))
            count += fast.count
        }
        let replayed = (0..<60).map { beat(10_000 + Int64($0) * 16, 180, rr: [340, 341, 339]) }
        _ = try parts.take(session.block(replayed))
        let week = try (0..<1000).map { block in
            try session.block((0..<64).map { beat(60_000 + Int64(block * 64 + $0) * 1000, 70, rr: [800]) })
        }
        let reports = try parts.take(all: week).reports
        #expect(reports == [] && parts.ingest.counts.tooDense == 0)
        #expect(try parts.printed().count == count + 60 + 64_000)
    }

    @Test("what was stored before a restart counts, as do loose blocks; another sensor's does not")
    func restarted() throws {
        var parts = try household.open(people: "demo: { sensors: [\"home/strap\", \"home/belt\"] }")
        let (old, session) = (try parts.session(household), try parts.session(household))
        let belt = try parts.session(household, "belt")
        _ = try parts.take(old.keyBlock, session.keyBlock, belt.keyBlock)
        for number in UInt64(0)..<3 {
            let records = try (0..<256).map { index in
                try old.record(number * 256 + UInt64(index), beat(Int64(index), 70))
            }
            _ = try parts.take(session.loose(old, records))
        }
        // As after a start: nothing is in memory.
        parts = try household.open(people: "demo: { sensors: [\"home/strap\", \"home/belt\"] }")
        var refused = 0
        for number in 0..<12 {
            let block = try session.block((0..<64).map { beat(Int64(300 + $0), 80) })
            refused += try parts.take(all: [block], later: 100).reports.count
            #expect(try parts.take(all: [belt.block(beat(Int64(number), 60))]).reports == [])
        }
        // 768 were there; half of the limit may come before that is looked up, and no more after it.
        #expect(refused == 5)
    }

    @Test("an hour with very much in it is not opened to count one of its minutes: that is taken for full")
    func dense() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        for block in 0..<10 {
            _ = try parts.take(session.block((0..<60).map { beat(Int64($0 * 1000 + block), 70) }))
        }
        let stream = try #require(try parts.store.streams(of: demo).first)
        let person = try #require(try parts.keys.person("demo", version: 1))
        let minute = Density.Minute(stream: stream.number, number: start / 60_000)
        for isPacked in [false, true] {
            if isPacked { try parts.pack() }
            let all = try parts.store.counts(of: stream, person, minute, Corrections())
            #expect(all?.map(\.readings) == Array(repeating: 10, count: 60))
            // A packed hour is one row, and is opened as a whole; the next is not.
            let some = try parts.store.counts(of: stream, person, minute, Corrections(), opening: 300)
            #expect((some == nil) == !isPacked)
        }
        _ = try parts.take(session.block(beat(59_500, 71)))
        #expect(try parts.store.counts(of: stream, person, minute, Corrections(), opening: 300) == nil)
    }

    @Test("a batch that the disk refuses ten times and then takes is stored whole: what was rolled back does not count")
    func refusedByTheDisk() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        let blocks = try (0..<4).map { block in
            try session.block((0..<50).map { beat(Int64($0 * 20 + block), 70) })
        }
        let database = parts.store.database
        try database.execute(
            """
            CREATE TEMP TRIGGER full BEFORE INSERT ON main.blocks WHEN (SELECT count(*) FROM main.blocks) >= 3
            BEGIN SELECT RAISE(ABORT, 'no'); END
            """)
        for _ in 0..<10 {
            #expect(throws: VaultError.self) { _ = try parts.take(all: blocks, later: 100) }
        }
        try database.execute("DROP TRIGGER full")
        #expect(try parts.take(all: blocks, later: 100).reports == [])
        #expect(parts.ingest.counts.tooDense == 0)
        #expect(try parts.printed().count == 200)
    }

    @Test("readings that a clock block has moved do not count where they were")
    func moved() throws {
        var parts = try household.open()
        // A gateway without a clock of its own begins at the same time at each start.
        for boot in UInt64(1)...20 {
            let session = try parts.session(household, boot: boot)
            let clock = try ClockBody(
                boot: BootID(high: 0, low: boot), correction: Int64(boot) * 3_600_000, until: 2_000_000)
            let blocks = try (0..<3).map { block in
                try session.block((0..<64).map { beat(Int64(block * 64 + $0), 70) })
            }
            let reports = try parts.take(
                all: [session.keyBlock] + blocks + [session.seal(.clock, clock.bytes)]
            ).reports
            #expect(reports == [], "\(boot)")
        }
        #expect(parts.ingest.counts.tooDense == 0)
    }

    @Test("no more clock blocks of a stream are kept than count, also after a restart; another stream has its own")
    func clocks() throws {
        let people = "demo: { sensors: [\"home/strap\", \"home/belt\"] }"
        var parts = try household.open(people: people)
        let (session, belt) = (try parts.session(household), try parts.session(household, "belt"))
        _ = try parts.take(session.keyBlock, belt.keyBlock)
        func clock(_ number: UInt64) throws -> [UInt8] {
            let body = try ClockBody(
                boot: BootID(high: 1, low: number), correction: 3_600_000, until: 2_000_000)
            return try session.seal(.clock, body.bytes)
        }
        let most = Store.mostClockBlocks
        let blocks = try (0..<UInt64(most) + 2).map(clock)
        #expect(try parts.take(all: blocks).reports.map(\.verdict) == [.tooManyClocks, .tooManyClocks])
        #expect(parts.ingest.counts.tooDense == 2)
        parts = try household.open(people: people)
        let late = try clock(UInt64(most) + 2)
        let (answers, reports) = try parts.take(all: [late], later: 100)
        #expect(reports.map(\.verdict) == [.tooManyClocks])
        #expect(answers == [.acknowledge(home, [session.identity(UInt64(most) + 3)])])
        // It came, and was told: it is not judged again.
        #expect(try parts.take(all: [late, blocks[most]], later: 0).reports == [])
        let kept = try parts.store.database.first("SELECT count(*) FROM blocks WHERE type = 4", row: Row.int)
        #expect(kept == Int64(most))
        let other = try ClockBody(boot: BootID(high: 1, low: 0), correction: 1000, until: 2_000_000)
        #expect(try parts.take(all: [belt.seal(.clock, other.bytes), session.block(beat(0, 70))]).reports == [])
    }

    @Test("a block with readings of more days than any gateway puts into one is not kept; one of eight is")
    func days() throws {
        var parts = try household.open()
        let (old, session) = (try parts.session(household), try parts.session(household))
        _ = try parts.take(old.keyBlock, session.keyBlock)
        let day: Int64 = 86_400_000
        // The second goes forth and back over eight days.
        let nine = (0..<9).map { beat(Int64($0) * day, 70) }
        let eight = (0..<64).map { beat(-Int64($0 % 8) * day - Int64($0 / 8) * 60_000, 71) }
        let far = (0..<64).map { beat(Int64($0) * 40 * day, 72) }
        var records: [[LooseBody.Record]] = []
        for (index, readings) in [nine, eight, far].enumerated() {
            var some: [LooseBody.Record] = []
            for (number, reading) in readings.enumerated() {
                var moved = reading
                moved.moment.wall += 3_600_000
                some.append(try old.record(UInt64(index * 100 + number), moved))
            }
            records.append(some)
        }
        for (index, readings) in [nine, eight, far].enumerated() {
            for block in [try session.block(readings), try session.loose(old, records[index])] {
                let identity = try BlockHeader(startOf: block).identity
                let (answers, reports) = try parts.take(all: [block], later: 100)
                #expect(answers == [.acknowledge(home, [identity])])
                #expect(reports.map(\.verdict) == (index == 1 ? [] : [.tooDense(readings.count)]), "\(index)")
            }
        }
        #expect(parts.ingest.counts.tooDense == 4)
        #expect(try parts.printed().count == 128)
        #expect(try parts.streamFindings().isGood)
    }

    // MARK: Reading

    @Test(
        "whatever is stored is read in the same order, however little of it is in memory",
        arguments: 1...4 as ClosedRange<UInt64>)
    func capacity(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var parts = try household.open(
            people: "demo: { sensors: [\"home/strap\", \"home/belt\"] }", densest: .none)
        let sessions = try [
            parts.session(household, boot: 1), parts.session(household, boot: 2), parts.session(household, "belt"),
        ]
        _ = try parts.take(all: sessions.map(\.keyBlock))
        var blocks: [[UInt8]] = []
        var records: [LooseBody.Record] = []
        for number in 0..<40 {
            let session = sessions[number % 3]
            let begin = Int64.random(in: 0...4_000_000, using: &generator)
            let readings = (0..<Int.random(in: 1...64, using: &generator)).map { _ in
                let intervals = [UInt16](repeating: 800, count: Int.random(in: 0...9, using: &generator))
                let time = begin + Int64.random(in: 0...300_000, using: &generator) / 100 * 100
                return beat(time, UInt16.random(in: 60...62, using: &generator), rr: intervals)
            }
            blocks.append(try session.block(readings))
            // The same again, as from a card that was copied back.
            if number % 3 == 0 {
                records.append(try session.record(UInt64(number), readings[0]))
            }
        }
        let clock = try ClockBody(boot: BootID(high: 0, low: 2), correction: -5_000_000, until: 2_000_000)
        blocks.append(try sessions[1].seal(.clock, clock.bytes))
        blocks.append(try sessions[1].loose(sessions[0], records))
        _ = try parts.take(all: blocks.shuffled(using: &generator))
        func read(_ capacity: StoredReadings.Capacity) throws -> [Reading] {
            var stored = StoredReadings(store: parts.store, keys: parts.keys)
            stored.capacity = capacity
            var readings: [Reading] = []
            _ = try stored.forEach(of: demo, .heartRate, from: -Moment.limit, to: Moment.limit) { readings.append($0) }
            return readings
        }
        for isPacked in [false, true] {
            if isPacked { try parts.pack() }
            let all = try read(StoredReadings.Capacity())
            #expect(all.count > 500)
            for (readings, intervals) in [(1, 1), (7, 1000), (1000, 20), (100, 100)] {
                let found = try read(StoredReadings.Capacity(readings: readings, intervals: intervals))
                #expect(found == all, "\(readings), \(intervals)")
            }
        }
    }
}
