import DaysSupport
import Fitness
import Telemetry
import TestSupport
import Testing

/// Whatever comes, however late, however often and in whichever order: the days are those of the definitions.
@Suite("Days in any order", .timeLimit(.minutes(60)))
struct DayOrderTests {
    /// What a gateway read, and by how much its clock was wrong then.
    private struct Read {
        let sensor: String
        let time: Int64
        let counter: UInt32
        let temperature: Int64?
    }

    private static let zones = ["Europe/Berlin", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/New_York"]

    /// Reads of some weeks around the end of summer time, of two sensors that restart now and then.
    private func reads(_ random: inout SeededGenerator) throws -> [Read] {
        let first = try utc("2026-10-18T00:00:00Z")
        var reads: [Read] = []
        for sensor in Diary.sensors {
            var (time, counter) = (first, UInt32(0))
            for _ in 0..<24 {
                time += Int64.random(in: 1...(Bool.random(using: &random) ? 500_000 : 50_000_000), using: &random)
                counter =
                    Int.random(in: 0..<8, using: &random) == 0
                    ? 3 : counter + UInt32.random(in: 0...900, using: &random)
                let hot = Int64.random(in: 0..<5, using: &random)
                reads.append(
                    Read(
                        sensor: sensor, time: time, counter: counter, temperature: hot == 0 ? 36_000 + time % 900 : nil)
                )
            }
        }
        return reads
    }

    /// The same by the definitions alone, without any of what is tested.
    private func expected(_ reads: [Read], _ days: LocalDays) -> [CalendarDay: (steps: Int?, temperatures: Set<Int64>)]
    {
        var bySensor: [String: [CalendarDay: CountedSteps]] = [:]
        var temperatures: [CalendarDay: Set<Int64>] = [:]
        for sensor in Diary.sensors {
            var last: Read?
            for read in reads.filter({ $0.sensor == sensor }).sorted(by: {
                ($0.time, $0.counter) < ($1.time, $1.counter)
            }) {
                let day = days.day(of: read.time)
                var counted = bySensor[sensor]?[day] ?? CountedSteps(heard: read.time)
                if let last, read.time - last.time <= 36 * 3_600_000 {
                    let made = Int(read.counter >= last.counter ? read.counter - last.counter : read.counter)
                    counted.differences.append(CountedSteps.Difference(from: last.time, to: read.time, made: made))
                }
                bySensor[sensor, default: [:]][day] = counted
                if let value = read.temperature { temperatures[day, default: []].insert(value) }
                last = read
            }
        }
        var all: [CalendarDay: (steps: Int?, temperatures: Set<Int64>)] = [:]
        for day in Set(bySensor.values.flatMap(\.keys)).union(temperatures.keys) {
            let sources = Diary.sensors.compactMap { bySensor[$0]?[day] }
            let steps = CountedSteps.together(sources, days.intervals(of: day)).map { Steps($0) }
            all[day] = (steps?.total, temperatures[day] ?? [])
        }
        return all
    }

    /// Blocks of several boots and sessions: some readings loose, some loose and in a block, some by clocks that were
    /// wrong.
    private func blocks(_ reads: [Read], _ diary: Diary, _ random: inout SeededGenerator) throws -> [[UInt8]] {
        var blocks: [[UInt8]] = []
        for sensor in Diary.sensors {
            var own: [[Reading]] = []
            for read in reads where read.sensor == sensor {
                var readings = [count(read.time, read.counter)]
                if let value = read.temperature { readings.append(try temperature(read.time, value)) }
                own.append(readings)
            }
            for boot in 1...4 as ClosedRange<UInt64> {
                let part = own.prefix(6).flatMap { $0 }
                own.removeFirst(min(6, own.count))
                let wrong: Int64 = boot == 2 ? 3 * 86_400_000 : boot == 3 ? -5_400_000 : 0
                let mistimed = part.map { reading in
                    var reading = reading
                    reading.moment.wall += wrong
                    return reading
                }
                let crashed = try diary.parts.session(diary.household, sensor, boot: boot)
                let next = try diary.parts.session(diary.household, sensor, boot: boot)
                blocks += [crashed.keyBlock, next.keyBlock]
                var records: [LooseBody.Record] = []
                for (index, reading) in mistimed.enumerated() {
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: records.append(try crashed.record(UInt64(index), reading))
                    case 1:
                        records.append(try crashed.record(UInt64(index), reading))
                        blocks.append(try next.block(reading))
                    default: blocks.append(try next.block(reading))
                    }
                }
                if !records.isEmpty {
                    blocks.append(try next.loose(crashed, records))
                    blocks.append(try next.loose(crashed, Array(records.suffix(3))))
                }
                if wrong != 0 {
                    // Two, for the same one twice counts once.
                    let part = wrong / 3
                    for correction in [-part, part - wrong] {
                        let clock = try ClockBody(
                            boot: BootID(high: 0, low: boot), correction: correction, until: UInt64(Moment.limit))
                        blocks.append(try next.seal(.clock, clock.bytes))
                    }
                }
            }
        }
        return blocks
    }

    @Test("are what the definitions say, and what a recount comes to", arguments: 1...6 as ClosedRange<UInt64>)
    func anyOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let diary = try Diary(zone: Self.zones[Int(seed) % Self.zones.count])
        let reads = try reads(&random)
        // Somebody who moves, before anything comes and while it does.
        var now = try utc("2026-10-25T00:30:00Z")
        try diary.save(profile(zone: Self.zones.randomElement(using: &random)), now: now)
        var waiting = try blocks(reads, diary, &random)
        waiting += waiting.filter { _ in Bool.random(using: &random) }
        waiting.shuffle(using: &random)
        while !waiting.isEmpty {
            let batch = Array(waiting.prefix(Int.random(in: 1...40, using: &random)))
            waiting.removeFirst(batch.count)
            now += 3_600_000
            let (answers, _) = try diary.parts.take(all: batch, wall: now)
            // A session's blocks wait until its key block has come.
            var known: Set<BlockIdentity> = []
            for case .acknowledge(_, let identities) in answers { known.formUnion(identities) }
            for block in batch where !known.contains(try BlockHeader(startOf: block).identity) { waiting.append(block) }
            if Bool.random(using: &random) { _ = try diary.stale.work(within: .zero) }
            if Int.random(in: 0..<6, using: &random) == 0 {
                try diary.save(profile(zone: Self.zones.randomElement(using: &random)), now: now)
            }
        }
        try diary.settle()
        #expect(try diary.days.recount(of: diary.user).differing == 0)
        let history = try diary.days.histories.history(of: diary.user)
        let expected = expected(reads, history.localDays)
        let totals = try diary.days.allTotals(of: diary.user)
        #expect(Set(totals.map(\.day)) == Set(expected.keys))
        for day in totals {
            #expect(day.steps?.total == expected[day.day]?.steps, "\(day.day)")
            let values = expected[day.day]?.temperatures.map { Double($0) / 1000 } ?? []
            #expect(day.temperature?.maximum == values.max() && day.temperature?.minimum == values.min(), "\(day.day)")
        }
    }
}
