import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import vitals_consumer

/// Hours that are not read within a portion, and are read on another thread.
@Suite("Large hours", .timeLimit(.minutes(20)))
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
        stale = StaleHours(parts.store, parts.keys, [minutes, days])
        stale.now = { start + Self.hour }
        stale.firstLimit = .seconds(600)
        // A stream that is opened has marks of its own.
        while try !stale.work(within: .seconds(10)) {}
        sessions = (try parts.session(household), try parts.session(household))
        another = try parts.session(household, "watch")
        let settings = parts.settings
        stale.beside = StaleHours.Beside(
            perform: { $0() }, back: { [elsewhere] in elsewhere.add($0) },
            read: { read in try ReadSource.opened(settings) { try read($0.store, $0.keys) } })
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
            try store.database.transaction { () throws(VaultError) in
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

    @Test("are not kept when the service stops while they are read: the mark stays, and the next start reads them")
    mutating func stopped() throws {
        try begin()
        var reading: (@Sendable () -> Void)?
        stale.beside = StaleHours.Beside(
            perform: { reading = $0 }, back: { $0() },
            read: { [settings = parts.settings] read in try ReadSource.opened(settings) { try read($0.store, $0.keys) }
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
