import Files
import HouseholdSupport
import Records
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Readings

/// Where readings are looked for after a gateway's clock was wrong.
@Suite("Moved readings")
struct MovesTests {
    private let hour: Int64 = 3_600_000
    private let household: Household

    init() throws { household = try Household() }

    @Test("are looked for in the hours that some correction moves, and not in all hours between")
    func separate() {
        let moves = Moves([-1000 * hour, -1000 * hour, 10 * hour])
        #expect(moves.slack == -1000...11)
        let spans = moves.hours(of: [5 * hour..<6 * hour])
        #expect(spans == [HourSpan(hours: -5 ... -5), HourSpan(hours: 5...5), HourSpan(hours: 1005...1005)])
        #expect(moves.hours(of: [5 * hour..<5 * hour]) == [])
        #expect(Moves([]).hours(of: [5 * hour..<8 * hour + 1]) == [HourSpan(hours: 5...8)])
        // Ranges that are apart have their hours in one order.
        let both = moves.hours(of: [0..<hour, 1000 * hour..<1001 * hour])
        #expect(both.map(\.first) == [-10, 0, 990, 1000, 2000])
    }

    @Test(
        "are found in these hours, however many corrections there are, up to the limits of all times", arguments: 0..<16
    )
    func found(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let scale = [1000, 40 * 24 * hour, Moment.limit, 1 << 62][Int(seed % 4)]
        let sums = (0..<[1, 3, 40, 1000][Int(seed / 4)]).map { _ in Int64.random(in: -scale...scale, using: &generator)
        }
        let moves = Moves(sums)
        for _ in 0..<500 {
            let near = min(scale, Moment.limit / 2) * 2
            let wall = Bool.random(using: &generator) ? Int64.random(in: -near...near, using: &generator) : near
            let moved = min(max(wall + (sums.randomElement(using: &generator) ?? 0), -Moment.limit), Moment.limit)
            for corrected in [wall, moved] {
                let first = corrected - Int64.random(in: 0..<3 * hour, using: &generator)
                let spans = moves.hours(of: [first..<corrected + 1])
                #expect(spans.contains { ($0.first...$0.last).contains(HourSpan.hour(wall)) })
                #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.last < $1.first } && spans.count <= Moves.most)
                #expect(spans.allSatisfy { HourSpan.earliest <= $0.first && $0.last <= HourSpan.latest })
            }
        }
    }

    /// A block a day for a hundred days. On the fiftieth, the clock is set ahead by forty days, and set back the day
    /// after.
    private func hundredDays() throws -> (parts: Parts, session: GatewaySession) {
        var parts = try household.open()
        let session = try parts.session(household)
        _ = try parts.take(session.keyBlock)
        for day in 0..<100 as Range<Int64> {
            let monotonic = UInt64(1_000_000 + day * 24 * hour)
            let wrong = day == 50 ? 40 * 24 * hour : 0
            let rate = HeartRateMeasurement(beatsPerMinute: 60 + UInt16(day))
            _ = try parts.take(
                session.block(
                    Reading(at: Moment(wall: start + day * 24 * hour + wrong, monotonic: monotonic), .heartRate(rate))))
            guard day == 50 || day == 51 else { continue }
            let clock = try ClockBody(
                boot: BootID(high: 0, low: 1), correction: (day == 50 ? 40 : -40) * 24 * hour, until: monotonic)
            _ = try parts.take(session.seal(.clock, clock.bytes))
        }
        return (parts, session)
    }

    /// Counts the blocks that are opened.
    private final class Opened: Sendable {
        private let count = Atomic(0)

        /// How many there were since the last question.
        func taken() -> Int { count.exchange(0, ordering: .relaxed) }

        func add(_ more: Int) { count.wrappingAdd(more, ordering: .relaxed) }
    }

    private func stored(_ parts: Parts, _ opened: Opened) -> StoredReadings {
        var stored = StoredReadings(store: parts.store, keys: parts.keys)
        stored.goesOn = { more in
            opened.add(more)
            return true
        }
        return stored
    }

    private func rates(_ stored: StoredReadings, on day: Int64) throws -> [UInt16] {
        var rates: [UInt16] = []
        let times = start + day * 24 * hour..<start + (day * 24 + 1) * hour
        let damaged = try stored.forEach(of: ID("demo"), .heartRate, from: times.lowerBound, to: times.upperBound) {
            if case .heartRate(let measurement) = $0.value { rates.append(measurement.beatsPerMinute) }
        }
        #expect(damaged == 0)
        return rates
    }

    @Test("of a boot whose clock was set to a wrong day, and back, are found without opening the months between")
    func months() throws {
        let (parts, _) = try hundredDays()
        let opened = Opened()
        let stored = stored(parts, opened)
        for day in 0..<100 as Range<Int64> {
            #expect(try rates(stored, on: day) == [60 + UInt16(day)])
            // Two clock blocks, that of the day, and that of the day with whose time the clock was confused.
            #expect(opened.taken() <= 5)
        }
        // All of them, in the order of their true times, though one block lies far from its place.
        var all: [Int64] = []
        _ = try stored.forEach(of: ID("demo"), .heartRate, from: start, to: start + 100 * 24 * hour) {
            all.append($0.moment.wall)
        }
        #expect(all == (0..<100).map { start + $0 * 24 * hour })
    }

    @Test("are found with each clock block opened once, where several questions are one")
    func clocks() throws {
        let (parts, _) = try hundredDays()
        let opened = Opened()
        var stored = stored(parts, opened)
        stored.clocks = KnownClocks()
        _ = try rates(stored, on: 7)
        let first = opened.taken()
        #expect(try rates(stored, on: 8) == [68])
        #expect(opened.taken() == first - 2)
        // They are read again for another question.
        stored.clocks = KnownClocks()
        _ = try rates(stored, on: 7)
        #expect(opened.taken() == first)
    }

    @Test(
        "are each counted once where they are deleted, though their block reaches from where they are to where others were"
    )
    func deleted() throws {
        let (made, session) = try hundredDays()
        var parts = made
        let day = 24 * hour
        _ = try parts.take(session.block(beat(10 * day + 60_000, 99), beat(52 * day, 98)))
        let range = start + 10 * day..<start + 10 * day + hour
        var count = try HiddenCount(ID("demo"), range, before: DeletedRanges(), parts.store, parts.keys) { _ in }
        while try count.goOn(until: .max) {}
        #expect(count.number == 2)
    }

    @Test("are removed where they were deleted, though their block lies months from there")
    func removed() throws {
        let (parts, _) = try hundredDays()
        let (demo, deletions) = (try ID("demo"), parts.ingest.totals.deletions)
        let time = start + 50 * 24 * hour
        #expect(try deletions.hide(time..<time + hour, of: demo) != nil)
        var removal = try RangeRemoval(demo, parts.store, parts.keys, deletions)
        while try removal.goOn(until: .max) == .goesOn {}
        // Without the list, they are not there at all.
        try deletions.write(Deletions.Document(), of: demo)
        let stored = StoredReadings(store: parts.store, keys: parts.keys)
        for day in 49...51 as ClosedRange<Int64> {
            #expect(try rates(stored, on: day) == (day == 50 ? [] : [60 + UInt16(day)]))
        }
    }
}
