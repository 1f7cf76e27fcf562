import Telemetry
import Testing

@testable import vitals_gateway

@Suite("OpenSession")
struct OpenSessionTests {
    private func open() throws -> OpenSession {
        let bench = try Bench()
        return try OpenSession(
            for: bench.grant(), boot: [UInt8](repeating: 7, count: 16), identity: .init(seed: .random()))
    }

    private func pending(_ offsets: [(wall: Int64, monotonic: UInt64)]) -> OpenSession.Pending {
        var pending = OpenSession.Pending()
        for offset in offsets {
            let moment = Moment(wall: 1_700_000_000_000 + offset.wall, monotonic: 5_000 + offset.monotonic)
            pending.readings.append(Reading(at: moment, .steps(0)))
            pending.rows.append(0)
        }
        return pending
    }

    @Test("numbers blocks from 1 and journal records from 0, and never uses a number twice")
    func numbers() throws {
        let open = try open()
        #expect(open.keyBlock.identity.sequence == 0)
        #expect(try (1...3).map { _ in try open.block(.readings, [1]).identity.sequence } == [1, 2, 3])
        let reading = Reading(at: Moment(wall: 0, monotonic: 0), .steps(1))
        #expect(try (1...3).map { _ in try open.journal.seal(reading)?.number } == [0, 1, 2])
    }

    @Test("cannot write down a reading beyond all times, and uses no number for it")
    func beyondTime() throws {
        let open = try open()
        let impossible = Reading(at: Moment(wall: .max, monotonic: 0), .steps(1))
        #expect(try open.journal.seal(impossible) == nil)
        let reading = Reading(at: Moment(wall: 0, monotonic: 0), .steps(1))
        #expect(try open.journal.seal(reading)?.number == 0)
    }

    @Test("draws another session each time")
    func drawn() throws {
        let (one, two) = (try open(), try open())
        #expect(one.id != two.id)
        #expect(one.keyBlock.bytes != two.keyBlock.bytes)
    }

    @Test("takes at most 64 readings into a block")
    func full() {
        let many = pending((0..<70).map { (Int64($0) * 1000, UInt64($0) * 1000) })
        #expect(many.isFull)
        #expect(OpenSession.chunk(of: many) == 64)
        #expect(OpenSession.chunk(of: pending([])) == 0)
    }

    @Test("ends a block where wall and monotonic time part by more than 500 ms")
    func steps() {
        #expect(OpenSession.chunk(of: pending([(0, 0), (1000, 1000), (2501, 2000)])) == 2)
        #expect(OpenSession.chunk(of: pending([(0, 0), (1000, 1000), (2500, 2000)])) == 3)
        #expect(OpenSession.chunk(of: pending([(0, 0), (1000, 1000), (1499, 2000)])) == 2)
        // Slewed little by little, it is still measured from the block's first reading.
        #expect(OpenSession.chunk(of: pending((0..<10).map { (Int64($0) * 1100, UInt64($0) * 1000) })) == 6)
        // Of weeks in which the disk took nothing: a day for each block, and the next one begins where it ended.
        let hour: Int64 = 3_600_000
        #expect(OpenSession.chunk(of: pending((0..<64).map { (Int64($0) * hour, UInt64($0) * UInt64(hour)) })) == 25)
        let apart = (1...9).map { (Int64($0) * 25 * hour, UInt64($0 * 25) * UInt64(hour)) }
        #expect(OpenSession.chunk(of: pending(apart)) == 1)
    }

    @Test("is due when its first reading is as old as the interval")
    func due() {
        let two = pending([(0, 0), (1000, 1000)])
        #expect(!two.isDue(14_999, .seconds(10)))
        #expect(two.isDue(15_000, .seconds(10)))
        // Read by another thread a moment later than the clock was looked at.
        #expect(!two.isDue(4_000, .seconds(10)))
        #expect(!pending([]).isDue(.max, .seconds(10)))
    }
}
