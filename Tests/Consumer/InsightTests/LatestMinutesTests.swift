import Daemon
import Fitness
import Foundation
import HouseholdSupport
import Records
import Telemetry
import Testing

@testable import Days
@testable import Insight

@Suite("The last minute of heart rate")
struct LatestMinutesTests {
    /// A clock that is set by hand, and what was told.
    private final class Telling {
        struct Told: Equatable {
            let minute: Int64?
            let bpm: Int64?
            let seconds: UInt32
        }

        static let hour = start / 3_600_000
        var now = start
        var told: [Told] = []
        var alarm: Int64?
        private(set) var latest: LatestMinutes!  // Set by `init`, for its closures are of self.
        private var kept = HeartRateCells(capacity: 60)
        let demo: ID

        init() throws {
            demo = try ID("demo")
            latest = LatestMinutes(
                PeopleChanges(),
                now: { [unowned self] in now },
                publish: { [unowned self] payload, _, seconds in
                    let json = try? JSON(payload: payload)
                    func number(_ name: String) -> Int64? {
                        if case .integer(let number)? = json?[name] { number } else { nil }
                    }
                    told.append(
                        Told(minute: number("time").map { ($0 - start) / 60_000 }, bpm: number("bpm"), seconds: seconds)
                    )
                }, callLater: { [unowned self] in alarm = now + $0 })
        }

        /// Samples of some minutes come in a batch.
        func took(_ samples: [(minute: Int, bpm: Int)], isCommitted: Bool = true) {
            var new = HeartRateCells(capacity: 60)
            for (minute, bpm) in samples { new[minute].add(bpm, at: start + Int64(minute) * 60_000) }
            var all = kept
            all.merge(new)
            latest.took(all, new, hour: Self.hour, of: demo, now: now)
            guard isCommitted else { return latest.rolledBack() }
            kept = all
            latest.committed()
        }

        func wake(at time: Int64) {
            now = start + time
            latest.wake()
        }

        func takeTold() -> [Told] {
            defer { told = [] }
            return told
        }
    }

    @Test("is told when it is over and a later one has begun, or when no more comes of it")
    func over() throws {
        let telling = try Telling()
        telling.now = start + 30_000
        telling.took([(0, 60)])
        #expect(telling.told.isEmpty && telling.alarm == start + 75_001)
        telling.now = start + 61_000
        telling.took([(0, 70), (1, 90)])
        #expect(telling.takeTold() == [.init(minute: 0, bpm: 65, seconds: 299)])
        // The strap is taken off.
        telling.wake(at: 134_999)
        #expect(telling.told.isEmpty)
        telling.wake(at: 135_000)
        #expect(telling.takeTold() == [.init(minute: 1, bpm: 90, seconds: 285)])
        telling.wake(at: 500_000)
        #expect(telling.told.isEmpty)
    }

    @Test("is told again when more comes of it, and after a reconnection, until it is long past")
    func again() throws {
        let telling = try Telling()
        telling.now = start + 130_000
        telling.took([(0, 60), (1, 70), (2, 80)])
        #expect(telling.takeTold().map(\.minute) == [0, 1])
        telling.took([(1, 90)])
        #expect(telling.takeTold() == [.init(minute: 1, bpm: 80, seconds: 290)])
        // Of one before that nobody hears any more; of a batch that did not come about neither.
        telling.took([(0, 200)])
        telling.took([(1, 200)], isCommitted: false)
        #expect(telling.told.isEmpty)
        telling.latest.tellAgain()
        #expect(telling.takeTold() == [.init(minute: 1, bpm: 80, seconds: 290)])
        telling.now = start + 420_000
        telling.latest.tellAgain()
        #expect(telling.told.isEmpty)
    }

    @Test("is that of the best sensor, if several measure it")
    func several() throws {
        let telling = try Telling()
        telling.now = start + 70_000
        var cells = HeartRateCells(capacity: 60)
        for (source, bpm) in [(4, 200), (6, 60), (7, 190)] as [(Int64, Int)] {
            for second in 0..<60 { cells[0, HeartRateSource(source)].add(bpm, millisecond: second * 1000) }
        }
        cells[0, HeartRateSource(6)].hasIntervals = true
        cells[1, HeartRateSource(7)].add(80, millisecond: 0)
        telling.latest.took(cells, cells, hour: Telling.hour, of: telling.demo, now: telling.now)
        telling.latest.committed()
        #expect(telling.takeTold().map(\.bpm) == [60])
    }

    @Test("is not told of what is long past, or yet to be")
    func past() throws {
        let telling = try Telling()
        telling.now = start + 10 * 60_000
        telling.took([(0, 60), (4, 61), (5, 62), (6, 63), (12, 99)])
        #expect(telling.takeTold().map(\.minute) == [5, 6])
        // The clock is set back: what is told goes on.
        telling.now = start + 60_000
        telling.took([(0, 64), (1, 65)])
        #expect(telling.takeTold().map(\.minute) == [0])
    }

    @Test("is what a new count says, and goes with the person")
    func recounted() throws {
        let telling = try Telling()
        telling.now = start + 70_000
        telling.took([(0, 60), (1, 70)])
        _ = telling.takeTold()
        var cells = HeartRateCells(capacity: 60)
        cells[0].add(50, at: start)
        telling.latest.replaced(cells, hour: Telling.hour, of: telling.demo)
        telling.latest.committed()
        #expect(telling.takeTold().map(\.bpm) == [50])
        telling.latest.replaced(HeartRateCells(capacity: 60), hour: Telling.hour, of: telling.demo)
        telling.latest.committed()
        #expect(telling.takeTold() == [.init(minute: nil, bpm: nil, seconds: 0)])
        telling.took([(0, 60), (1, 70)])
        _ = telling.takeTold()
        telling.latest.forgotten(telling.demo)
        #expect(telling.takeTold() == [.init(minute: nil, bpm: nil, seconds: 0)])
        telling.latest.tellAgain()
        telling.wake(at: 150_000)
        #expect(telling.told.isEmpty)
    }
}
