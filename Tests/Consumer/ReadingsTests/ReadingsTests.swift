import Daemon
import Files
import Foundation
import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Readings

@Suite("Stored readings")
struct ReadingsTests {
    let home: ID
    let household: Household

    init() throws {
        home = try ID("home")
        household = try Household()
    }

    @Test("come in order of time, whatever the order of arrival")
    func order() throws {
        var parts = try household.open(people: "demo: { sensors: [\"home/strap\", \"home/watch\"] }")
        var blocks: [[UInt8]] = []
        // Two sensors over five hours, blocks that overlap and blocks that span hours.
        for sensor in ["strap", "watch"] {
            let session = try parts.session(household, sensor)
            _ = try parts.take(session.keyBlock)
            for number in 0..<300 {
                let first = Int64(number) * 60_000 + (sensor == "watch" ? 7 : 0)
                blocks.append(try session.block((0..<10).map { beat(first + $0 * 9_000, 60 + UInt16(number % 50)) }))
            }
            blocks.append(try session.block(beat(500, 99), beat(4 * 3_600_000 + 500, 98)))
        }
        blocks.shuffle()
        _ = try parts.take(all: blocks)
        let lines = try parts.printed()
        let times = try lines.map(time)
        #expect(times.count == 6004)
        #expect(times == times.sorted())
        let some = try parts.printed(from: start + 3_600_000, to: start + 7_200_000)
        #expect(some == lines.filter { try! (start + 3_600_000..<start + 7_200_000).contains(time($0)) })
        #expect(!some.isEmpty)
    }

    private func time(_ line: String) throws -> Int64 {
        guard let time = Int64(line.dropFirst(8).prefix { $0.isNumber }) else { throw TestFailure(line) }
        return time
    }

    @Test("are of the kind asked for, as gateways spell them")
    func kinds() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        let moment = Moment(wall: start, monotonic: 5)
        let full = HeartRateMeasurement(
            beatsPerMinute: 72, contact: .detected, energyKilojoules: 128, rrIntervals: [831, 825])
        _ = try parts.take(
            session.keyBlock, session.block(Reading(at: moment, .heartRate(full))),
            session.block(Reading(at: moment, .steps(8042))),
            session.block(Reading(at: moment, .temperature(Temperature(thousandths: 36_970, site: .armpit)))))
        #expect(
            try parts.printed() == [
                "{\"time\":\(start),\"bpm\":72,\"contact\":true,\"rr_ms\":[812,806],\"energy_kj\":128}"
            ])
        #expect(try parts.printed(.steps) == ["{\"time\":\(start),\"steps\":8042}"])
        #expect(try parts.printed(.temperature) == ["{\"time\":\(start),\"celsius\":36.97,\"site\":\"armpit\"}"])
    }

    @Test("of steps tell which were derived from cadence, in readings blocks and in loose ones")
    func derivedSteps() throws {
        var parts = try household.open()
        let (old, session) = (try parts.session(household), try parts.session(household))
        func steps(_ elapsed: Int64, _ counter: UInt32, isDerived: Bool = true) -> Reading {
            Reading(at: beat(elapsed, 0).moment, .steps(StepCount(counter, isDerived: isDerived)))
        }
        _ = try parts.take(
            old.keyBlock, session.keyBlock,
            session.block([steps(0, 8042, isDerived: false), steps(1000, 12), steps(2000, 15)]),
            session.loose(old, [old.record(0, steps(3000, 20)), old.record(1, steps(4000, 9000, isDerived: false))]))
        #expect(
            try parts.printed(.steps) == [
                "{\"time\":\(start),\"steps\":8042}", "{\"time\":\(start + 1000),\"steps\":12,\"derived\":true}",
                "{\"time\":\(start + 2000),\"steps\":15,\"derived\":true}",
                "{\"time\":\(start + 3000),\"steps\":20,\"derived\":true}",
                "{\"time\":\(start + 4000),\"steps\":9000}",
            ])
    }

    @Test("begin with `from` and end before `to`")
    func range() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock, session.block((0..<10).map { beat($0 * 1000, 70) }))
        let some = try parts.printed(from: start + 3000, to: start + 5000)
        #expect(some == [line(3000, 70), line(4000, 70)])
        #expect(try parts.printed(from: start + 5000, to: start + 3000) == [])
    }

    @Test("of a long block are found by any hour that it spans")
    func longBlock() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        let hour: Int64 = 3_600_000
        _ = try parts.take(session.keyBlock, session.block((0..<8).map { beat($0 * hour, 60 + UInt16($0)) }))
        #expect(try parts.printed(from: start + 6 * hour, to: start + 7 * hour) == [line(6 * hour, 66)])
    }

    @Test("include loose records, each once, whichever blocks they came in")
    func loose() throws {
        var parts = try household.open()
        let old = try parts.session(household)
        let new = try parts.session(household)
        let records = try (0..<6).map { try old.record(UInt64($0), beat(Int64($0) * 1000, 70 + UInt16($0))) }
        let first = try new.loose(old, Array(records[0...3]))
        // The old session's key is what these records need.
        _ = try parts.take(new.keyBlock)
        #expect(try parts.take(first) == [.requestKey(home, old.stream, old.id)])
        #expect(try parts.take(old.keyBlock, first) == [.acknowledge(home, [old.identity(0), new.identity(1)])])
        let overlapping = try new.loose(old, Array(records[2...5]))
        let nothingNew = try new.loose(old, Array(records[1...4]))
        let answers = try parts.take(overlapping, nothingNew, new.block(beat(500, 60)))
        #expect(answers == [.acknowledge(home, [2, 3, 4].map { new.identity($0) })])
        #expect(
            try parts.printed() == [
                line(0, 70), line(500, 60), line(1000, 71), line(2000, 72), line(3000, 73), line(4000, 74),
                line(5000, 75),
            ])
        #expect(try parts.count("blocks") == 4, "which has no new record depends on the order, so all are kept")
    }

    @Test("in a loose block that has one bad record are refused with it")
    func looseAltered() throws {
        var parts = try household.open()
        let old = try parts.session(household)
        let new = try parts.session(household)
        var bad = try old.record(1, beat(0, 70))
        bad.sealed[3] ^= 1
        _ = try parts.take(old.keyBlock, new.keyBlock)
        let block = try new.loose(old, [old.record(0, beat(0, 70)), bad])
        let refusal = Answer.refuse(home, new.identity(1), digest: try digest(of: block), .unreadable)
        #expect(try parts.take(block) == [refusal])
        #expect(try parts.count("records") == 0)
    }

    @Test("are handed on once where a loose record repeats a block's: the gateway's card was copied back")
    func repeated() throws {
        var parts = try household.open()
        let (old, new) = (try parts.session(household), try parts.session(household))
        _ = try parts.take(old.keyBlock, new.keyBlock, old.block(beat(0, 70), beat(1, 71)))
        _ = try parts.take(new.loose(old, [old.record(0, beat(0, 70)), old.record(7, beat(2, 72))]))
        #expect(try parts.printed() == [line(0, 70), line(1, 71), line(2, 72)])
    }

    @Test("are two where two heartbeats came in one millisecond, in one block or at the border of two")
    func sameInstant() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        let (first, second) = (try session.block(beat(0, 70), beat(9, 80)), try session.block(beat(9, 80), beat(9, 81)))
        // In the order of their numbers, whichever came first.
        _ = try parts.take(session.keyBlock, second, first)
        #expect(try parts.printed() == [line(0, 70), line(9, 80), line(9, 80), line(9, 81)])
    }

    @Test("are moved by the clock blocks of their boot, and stay in order")
    func clock() throws {
        var parts = try household.open()
        let wrong = try parts.session(household, boot: 1)
        let right = try parts.session(household, boot: 2)
        let year: Int64 = 365 * 86_400_000
        let early = beat(-year, 70)
        let alsoEarly = beat(-year + 1000, 71)
        var corrected = beat(3_600_000, 72)
        corrected.moment.monotonic = 9_000_000
        _ = try parts.take(
            wrong.keyBlock, right.keyBlock,
            wrong.block(Reading(at: Moment(wall: early.moment.wall, monotonic: 10), early.value)),
            wrong.block(Reading(at: Moment(wall: alsoEarly.moment.wall, monotonic: 1010), alsoEarly.value)),
            wrong.block(corrected), right.block(beat(500, 60)))
        #expect(try parts.printed().first == line(-year, 70))
        let clock = try ClockBody(boot: BootID(high: 0, low: 1), correction: year, until: 8_000_000)
        _ = try parts.take(wrong.seal(.clock, clock.bytes), wrong.seal(.clock, clock.bytes))
        #expect(try parts.printed() == [line(0, 70), line(500, 60), line(1000, 71), line(3_600_000, 72)])
        #expect(try parts.printed(from: start, to: start + 1) == [line(0, 70)])
    }

    @Test("stay within all times there are, whatever corrections a gateway in foreign hands sends", arguments: [1, -1])
    func corrections(sign: Int64) throws {
        var parts = try household.open()
        let session = try parts.session(household, boot: 1)
        var blocks = [session.keyBlock, try session.block(beat(0, 70))]
        // The sum of these would be far beyond 64 bits.
        for number in 0..<2100 as Range<UInt64> {
            let clock = try ClockBody(
                boot: BootID(high: 0, low: 1), correction: sign * Moment.limit, until: 9_000_000 + number)
            blocks.append(try session.seal(.clock, clock.bytes))
        }
        _ = try parts.take(all: blocks)
        let expected = ["{\"time\":\(sign * Moment.limit),\"bpm\":70}"]
        #expect(try parts.printed(to: Moment.limit) == (sign > 0 ? [] : expected))
        var opposite = Corrections()
        for correction in [Moment.limit, -Moment.limit, 5] {
            opposite.add(try ClockBody(boot: BootID(high: 0, low: 1), correction: correction, until: 9))
        }
        let moment = Moment(wall: 7, monotonic: 1)
        #expect(opposite.corrected(moment, of: BootID(high: 0, low: 1)) == 12)
        #expect(opposite.corrected(moment, of: BootID(high: 0, low: 2)) == 7)
    }

    @Test("keep gap blocks beside them")
    func gap() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        let gap = try GapBody(count: 5, first: start, last: start + 9000, reason: .outboxFull)
        let answers = try parts.take(session.keyBlock, session.seal(.gap, gap.bytes))
        #expect(answers == [.acknowledge(home, [session.identity(0), session.identity(1)])])
        #expect(try parts.count("blocks") == 1)
        #expect(try parts.printed() == [])
    }

    @Test("are looked for no further back than blocks of readings reach: gap blocks may begin in 1970")
    func longGap() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        let gap = try GapBody(count: 5, first: 0, last: start, reason: .outboxFull)
        _ = try parts.take(session.keyBlock, session.seal(.gap, gap.bytes), session.block(beat(0, 70)))
        #expect(try parts.store.longestBlock(of: 1) == 0)
        _ = try parts.take(session.block(beat(0, 71), beat(2 * 3_600_000, 72)))
        #expect(try parts.store.longestBlock(of: 1) == 2)
    }

    @Test("are read while a batch is being written")
    func concurrent() throws {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock, session.block(beat(0, 72)))
        try parts.store.change(try ID("demo")) { () throws(VaultError) in
            try parts.store.enter(1, 7, digest: Array(repeating: 0, count: 32))
            let lines = Result { try parts.printed() }
            #expect(throws: Never.self) { try #expect(lines.get() == [line(0, 72)]) }
        }
    }
}
