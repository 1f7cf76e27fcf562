import Daemon
import Storage
import Telemetry
import TestSupport
import Testing

@testable import vitals_gateway

@Suite("The clock of a boot", .timeLimit(.minutes(60)))
struct ClockTests {
    private let bench: Bench

    init() throws { bench = try Bench() }

    private func granted() throws -> Outbox {
        let outbox = try bench.outbox()
        outbox.receive(grant: try bench.signed(.grant(bench.grant())), for: bench.strap)
        outbox.settle()
        return outbox
    }

    private func clocks() throws -> [ClockBody] {
        try bench.opened(bench.waiting()).filter { $0.kind == .clock }.map { try ClockBody(bytes: $0.body) }
    }

    @Test("says by how much older readings were wrong, before anything that has the new time")
    func step() throws {
        let outbox = try granted()
        #expect(try outbox.keep([reading(1), reading(2)], from: bench.strap))
        let after = reading(3, clockStep: 3_600_000)
        #expect(try outbox.keep([after], from: bench.strap))
        let clock = try #require(try clocks().first)
        #expect(abs(clock.correction - 3_600_000) < 100)
        #expect(clock.until == after.moment.monotonic)
        #expect(clock.boot.bytes == bootID())
        outbox.stop(within: .zero)
        #expect(try bench.opened(bench.waiting()).map(\.kind) == [.clock, .readings, .readings])
        #expect(try clocks().count == 1)
    }

    @Test("corrects a reading that was not written yet, the first of its stream")
    func stepBeforeTheFirst() throws {
        let outbox = try granted()
        outbox.append(reading(1), from: bench.strap)
        #expect(try outbox.keep([reading(2, clockStep: 3_600_000)], from: bench.strap))
        outbox.stop(within: .zero)
        #expect(try bench.opened(bench.waiting()).map(\.kind) == [.clock, .readings, .readings])
    }

    @Test("keeps nothing with the new time while that cannot be told")
    func stepInTrouble() throws {
        let outbox = try granted()
        #expect(try outbox.keep([reading(1)], from: bench.strap))
        let fault = try bench.database()
        try fault.execute(
            """
            CREATE TRIGGER fault BEFORE INSERT ON blocks WHEN substr(new.bytes, 3, 1) = x'04'
            BEGIN SELECT raise(abort, 'full'); END
            """)
        #expect(try !outbox.keep([reading(2, clockStep: -7_200_000)], from: bench.strap))
        #expect(try bench.store().journalCount() == 1)
        try fault.execute("DROP TRIGGER fault")
        #expect(try outbox.keep([reading(3, clockStep: -7_200_000)], from: bench.strap))
        #expect(try clocks().count == 1)
        outbox.stop(within: .zero)
        #expect(try bench.opened(bench.waiting()).flatMap(\.steps) == [1, 2, 3])
    }

    @Test("finds at a restart that the clock was set in the meantime")
    func restart() throws {
        let first = try granted()
        #expect(try first.keep([reading(1)], from: bench.strap))
        first.kill()
        // The first run had a clock that was an hour behind.
        try bench.database().execute("UPDATE clock SET offset = offset - 3600000")
        try bench.outbox().kill()
        #expect(try clocks().map { ($0.correction + 50) / 100 } == [36_000])
        try bench.outbox().kill()
        #expect(try clocks().count == 1, "it is told once")
    }

    @Test("says nothing of another boot, whose clock nobody knows any more")
    func otherBoot() throws {
        let first = try granted()
        #expect(try first.keep([reading(1)], from: bench.strap))
        first.kill()
        try bench.database().execute("UPDATE clock SET offset = offset - 3600000, boot = randomblob(16)")
        try bench.outbox().kill()
        #expect(try clocks().isEmpty)
    }

    @Test("a person whose sensor has gone to somebody else hears of it, too")
    func everyStream() throws {
        let outbox = try granted()
        #expect(try outbox.keep([reading(1)], from: bench.strap))
        let other = StreamID(high: 3, low: 4)
        outbox.receive(grant: try bench.signed(.grant(bench.grant(serial: 2, stream: other))), for: bench.strap)
        outbox.settle()
        #expect(try outbox.keep([reading(2)], from: bench.strap))
        outbox.loop.sync { [outbox] in
            var now = Moment.now()
            now.wall += 60_000
            outbox.checkClock(now)
        }
        outbox.kill()
        let streams = try bench.opened(bench.waiting()).filter { $0.kind == .clock }.map(\.identity.stream)
        #expect(Set(streams) == [bench.stream, other])
        #expect(streams.count == 2)
    }

    @Test("ignores small differences, and a reading from before the step that comes after it, too")
    func thresholds() {
        var clock = BootClock(offset: 1_000_000)
        func observe(_ wall: Int64, _ monotonic: UInt64) -> Bool {
            clock.observe(Moment(wall: wall, monotonic: monotonic))
        }
        #expect(!observe(1_001_500, 1_000))
        #expect(!observe(1_000_500, 1_000))
        #expect(observe(1_011_000, 1_000))
        #expect(!observe(1_000_990, 990), "measured before, by another thread")
        #expect(!observe(1_012_000, 2_000))
        #expect(observe(1_003_000, 3_000))
        #expect(clock.steps == [.init(correction: 10_000, until: 1_000), .init(correction: -10_000, until: 3_000)])
        #expect(!observe(.max, 4_000) && !observe(0, .max), "no time at all")
    }
}
