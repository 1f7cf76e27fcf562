import DaysSupport
import Files
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Days
@testable import Readings

/// Hours that are not read within a portion, and are read on another thread.
@Suite("Large hours", .timeLimit(.minutes(60)))
struct LargeHourTests {
    /// What the other thread leaves for this one: it has read, and is heard when the test says so.
    private final class Elsewhere: @unchecked Sendable {
        private var work: [@Sendable () -> Void] = []

        var isIdle: Bool { work.isEmpty }

        func add(_ more: @escaping @Sendable () -> Void) { work.append(more) }

        func run() {
            let some = work
            work = []
            for one in some { one() }
        }
    }

    /// What may happen to an hour while it is read.
    enum Change: String, CaseIterable {
        case nothing, readings, steps, anotherSensor, loose, clock, packing, folding, deletion, newZone, damage
    }

    private static let hour: Int64 = 3_600_000

    private let household: Household
    private var parts: Parts
    private let minutes: HeartRateMinutes
    private let days: Days
    private let stale: StaleHours
    private let elsewhere = Elsewhere()
    private let demo: ID
    private let sessions: (old: GatewaySession, new: GatewaySession)
    /// Of a sensor of the same person that has sent nothing twice: what it adds needs no mark.
    private let another: GatewaySession

    init() throws {
        household = try Household()
        demo = try ID("demo")
        var made: (HeartRateMinutes, Days)?
        parts = try household.open(people: "demo: { sensors: [\"home/strap\", \"home/watch\"] }") { store, keys in
            let both = (
                HeartRateMinutes(store, keys), Days(store, keys, Histories(store, keys, zone: "Europe/Berlin"))
            )
            made = both
            return [both.0, both.1]
        }
        (minutes, days) = try #require(made)
        stale = try parts.stale
        stale.now = { start + Self.hour }
        stale.firstLimit = .seconds(600)
        // A stream that is opened has marks of its own.
        while try !stale.work(within: .seconds(10)) {}
        sessions = (try parts.session(household), try parts.session(household))
        another = try parts.session(household, "watch")
        let settings = parts.settings
        stale.beside = StaleHours.Beside(
            perform: { $0() }, back: { [elsewhere] in elsewhere.add($0) },
            read: { read in try Self.opened(settings, read) })
    }

    /// Opens the databases as the readers of a service do, and lets `read` read one state of them.
    private static func opened<Value>(
        _ settings: HouseholdSettings, _ read: (Store, Keys) throws -> Value
    ) throws -> Value {
        let keys = try Keys(settings, .read)
        let store = try Store(folder: settings.state, readOnly: true)
        return try store.database.snapshot { () throws(VaultError) in Result { try read(store, keys) } }.get()
    }

    /// An hour of heart rates and steps, a part of it sent once more by a loose block: it is to be counted again.
    private mutating func begin() throws {
        let (old, new) = sessions
        _ = try parts.take(old.keyBlock, new.keyBlock, another.keyBlock)
        let beats = (0..<600).map { beat(Int64($0) * 1000, UInt16(60 + $0 % 40)) }
        let steps = (0..<50).map { count(start + Int64($0) * 1000, UInt32($0 * 2)) }
        var blocks = try stride(from: 0, to: 600, by: 10).map { try new.block(Array(beats[$0..<$0 + 10])) }
        blocks.append(try new.block(steps))
        var records: [LooseBody.Record] = []
        for (number, reading) in (beats.prefix(40) + steps.prefix(40)).enumerated() {
            records.append(try old.record(UInt64(number), reading))
        }
        records.append(try old.record(1000, beat(700_000, 99)))
        blocks.append(try new.loose(old, records))
        #expect(try parts.take(all: blocks).reports == [])
    }

    private mutating func make(_ change: Change) throws {
        let (old, new) = sessions
        let store = parts.store
        switch change {
        case .nothing: break
        case .readings: _ = try parts.take(new.block(beat(800_000, 120), beat(801_000, 121)))
        case .steps: _ = try parts.take(new.block(count(start + 900_000, 700)))
        case .anotherSensor: _ = try parts.take(another.block(beat(800_000, 122), beat(801_000, 123)))
        case .loose: _ = try parts.take(new.loose(old, [old.record(2000, beat(800_000, 130))]))
        case .clock:
            let clock = try ClockBody(boot: BootID(high: 0, low: 1), correction: 120_000, until: 1_300_000)
            _ = try parts.take(new.seal(.clock, clock.bytes))
        case .packing: try parts.pack()
        case .folding: while try minutes.fold(before: HourSpan.hour(start) + 3, now: start + 5 * Self.hour) {}
        case .deletion: _ = try Deletions(store, parts.keys).hide(start..<start + 100_000, of: demo)
        case .newZone:
            let moved = try profile(zone: "Pacific/Kiritimati")
            try store.change(demo) { () throws(VaultError) in
                try days.take(moved, of: demo, now: start + 20_000)
            }
            days.committed()
        case .damage: try store.database.execute("UPDATE days SET sealed = x'00'")
        }
    }

    /// Works until nothing is marked.
    private func settle() throws {
        while try parts.count("stale") > 0 {
            _ = try stale.work(within: .zero)
            elsewhere.run()
        }
    }

    @Test("are read beside, and what has changed meanwhile is not lost", arguments: Change.allCases)
    mutating func changes(change: Change) throws {
        try begin()
        #expect(try parts.count("stale") == 1)
        // Not at once, however little it is: there is no time at all.
        #expect(try !stale.work(within: .zero) && elsewhere.isIdle)
        #expect(try !stale.work(within: .zero) && !elsewhere.isIdle)
        // One reading of them at a time, and nobody waits for it.
        #expect(try stale.work(within: .zero) && !stale.catchUp(demo, within: .seconds(10)))
        // What is kept is what was read before the change.
        try make(change)
        elsewhere.run()
        switch change {
        case .nothing, .packing, .folding: #expect(try parts.count("stale") == 0)
        case .readings, .steps, .anotherSensor, .loose, .deletion, .damage: #expect(try parts.count("stale") > 0)
        case .clock, .newZone: break
        }
        try settle()
        #expect(try minutes.recount(of: demo).differing == 0 && days.recount(of: demo).differing == 0)
        #expect(try minutes.recount(of: demo).kept > 0 && days.recount(of: demo).kept > 0)
    }

    /// Works until a reading has come back from the other thread, and waits to be heard.
    private func readBeside() throws {
        while elsewhere.isIdle {
            try #require(parts.count("stale") > 0)
            _ = try stale.work(within: .zero)
        }
    }

    @Test("lose nothing that comes into a day that is full, and changes nothing of it")
    mutating func fullDay() throws {
        let (_, new) = sessions
        let all = (0..<DayRecord.capacity).map { count(start + Int64($0) * 10, UInt32($0)) }
        let blocks = try stride(from: 0, to: all.count, by: 50).map { try new.block(Array(all[$0..<$0 + 50])) }
        _ = try parts.take(all: [new.keyBlock] + blocks)
        // Most of them were of two days later, and the day has room again.
        let clock = try ClockBody(
            boot: BootID(high: 0, low: 1), correction: 172_800_000,
            until: all[DayRecord.capacity - 10].moment.monotonic)
        _ = try parts.take(new.seal(.clock, clock.bytes))
        try readBeside()
        _ = try parts.take(new.block(count(start + 900_000, 30_000)))
        elsewhere.run()
        #expect(try parts.count("stale") > 0)
        try settle()
        #expect(try days.recount(of: demo) == (2, 0))
    }

    @Test("lose nothing that comes into a day that became full while one of its hours was read")
    mutating func dayThatFills() throws {
        let (_, new) = sessions
        let early = (0..<50).map { count(start + Int64($0) * 10, UInt32($0)) }
        let most = (0..<DayRecord.capacity - 60).map { count(start + Self.hour + Int64($0) * 10, UInt32(100 + $0)) }
        let blocks = try stride(from: 0, to: most.count, by: 20).map { try new.block(Array(most[$0..<$0 + 20])) }
        _ = try parts.take(all: [new.keyBlock, new.block(early)] + blocks)
        // The early ones were of two days later.
        let clock = try ClockBody(
            boot: BootID(high: 0, low: 1), correction: 172_800_000, until: most[0].moment.monotonic)
        _ = try parts.take(new.seal(.clock, clock.bytes))
        try readBeside()
        // Ten of these find room.
        let late = (0..<30).map { count(start + 3 * Self.hour + Int64($0) * 10, UInt32(50_000 + $0)) }
        _ = try parts.take(new.block(late))
        elsewhere.run()
        try settle()
        #expect(try days.recount(of: demo) == (2, 0))
    }

    @Test("are not kept when some of it was marked meanwhile, for another reason")
    mutating func markedAgain() throws {
        try begin()
        try readBeside()
        let hour = HourSpan.hour(start)
        try parts.store.markStale(demo, hour - 100...hour + 100)
        elsewhere.run()
        // The two marks have hours in common, and are one.
        #expect(try parts.count("stale") == 1)
        try settle()
        #expect(try minutes.recount(of: demo).differing == 0 && days.recount(of: demo).differing == 0)
    }

    @Test("are not kept of a person who was forgotten meanwhile, or when the reading ends because others wait for it")
    mutating func spoilt() throws {
        try begin()
        for isForgotten in [true, false] {
            try readBeside()
            if isForgotten { stale.forgotten(demo) } else { stale.endReading() }
            // It has read already: only what was spoilt is not kept then.
            elsewhere.run()
            #expect(try parts.count("stale") == (isForgotten ? 1 : 0))
        }
        #expect(try minutes.recount(of: demo).differing == 0 && days.recount(of: demo).differing == 0)
    }

    @Test("end between two blocks when others wait for the end")
    mutating func ended() throws {
        try begin()
        let stale = stale
        stale.beside = StaleHours.Beside(
            perform: { $0() }, back: { [elsewhere] in elsewhere.add($0) },
            read: { [settings = parts.settings] read in
                try Self.opened(settings) { store, keys in
                    stale.endReading()
                    return try read(store, keys)
                }
            })
        try readBeside()
        elsewhere.run()
        #expect(try parts.count("stale") == 1)
    }

    @Test("are read beside after an hour that took long however little was read")
    mutating func longStep() throws {
        try begin()
        try parts.store.markStale(demo, HourSpan.hour(start) + 50...HourSpan.hour(start) + 50)
        #expect(try parts.count("stale") == 2)
        stale.longStep = .zero
        #expect(try !stale.work(within: .seconds(10)) && elsewhere.isIdle)
        #expect(try parts.count("stale") == 1)
        #expect(try !stale.work(within: .seconds(10)) && !elsewhere.isIdle)
        elsewhere.run()
        #expect(try parts.count("stale") == 0)
    }

    @Test("are large by all that is opened: a packed row counts as its readings, and a clock block as a block")
    mutating func weight() throws {
        let (_, new) = sessions
        let beats = (0..<3200).map { beat(Int64($0) * 1000, 70) }
        var blocks = try stride(from: 0, to: 3200, by: 64).map { try new.block(Array(beats[$0..<$0 + 64])) }
        for number in 0..<40 as Range<UInt64> {
            let clock = try ClockBody(boot: BootID(high: 0, low: 9), correction: 1, until: number)
            blocks.append(try new.seal(.clock, clock.bytes))
        }
        _ = try parts.take(all: [new.keyBlock] + blocks)
        func asked(_ count: Int = 3200) throws -> [Int] {
            let asked = Record<Int>()
            var stored = StoredReadings(store: parts.store, keys: parts.keys)
            stored.goesOn = {
                asked.append($0)
                return true
            }
            var found = 0
            _ = try stored.forEach(of: demo, .heartRate, from: 0, to: Moment.limit) { _ in found += 1 }
            #expect(found == count)
            return asked.all
        }
        #expect(try asked() == Array(repeating: 1, count: 90))
        try parts.pack()
        #expect(try parts.store.database.first("SELECT count(*) FROM blocks WHERE kinds != 0", row: Row.int) == 1)
        // Its 3,200 readings are told of before the block that follows it.
        #expect(try parts.take(all: [new.block(beat(7_200_000, 60))]).reports == [])
        #expect(try asked(3201) == Array(repeating: 1, count: 41) + [50])
    }

    @Test("are those of which 32 blocks were read, and the time is over")
    func time() {
        let over = ReadingTime(until: .now)
        for _ in 0..<32 { #expect(over.goesOn(after: 1)) }
        #expect(!over.goesOn(after: 1) && over.isOver)
        let packed = ReadingTime(until: .now)
        #expect(packed.goesOn(after: 1) && !packed.goesOn(after: 256))
        #expect(ReadingTime(until: .now + .seconds(1000)).goesOn(after: 1_000_000))
    }

    @Test("are not kept when the service stops while they are read: the mark stays, and the next start reads them")
    mutating func stopped() throws {
        try begin()
        var reading: (@Sendable () -> Void)?
        stale.beside = StaleHours.Beside(
            perform: { reading = $0 }, back: { $0() },
            read: { [settings = parts.settings] read in
                try Self.opened(settings, read)
            })
        while reading == nil { _ = try stale.work(within: .zero) }
        stale.stop()
        reading?()
        #expect(try parts.count("stale") == 1)
        let next = StaleHours(parts.store, parts.keys, [minutes, days])
        while try !next.work(within: .seconds(10)) {}
        #expect(try minutes.recount(of: demo).differing == 0 && days.recount(of: demo).differing == 0)
    }

    @Test("keep nobody else's hours from being computed")
    mutating func others() throws {
        try begin()
        while elsewhere.isIdle { _ = try stale.work(within: .zero) }
        let ada = try ID("ada")
        try parts.store.markStale(ada, 0...10)
        #expect(try parts.count("stale") == 2)
        while try !stale.work(within: .seconds(10)) {}
        #expect(try parts.count("stale") == 1)
        elsewhere.run()
        #expect(try parts.count("stale") == 0)
        #expect(try minutes.recount(of: demo).differing == 0 && days.recount(of: demo).differing == 0)
    }
}
