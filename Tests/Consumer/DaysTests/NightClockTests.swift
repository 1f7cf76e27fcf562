import Fitness
import Foundation
import Testing

@testable import Days

@Suite("The night of somebody who moves")
struct NightClockTests {
    private static func zone(_ name: String) throws -> ZoneRules {
        try #require(ZoneRules(Array(try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)")))))
    }

    /// A heart rate of 60 in each minute of some hours around a moment, in Unix milliseconds.
    private static func heart(around moment: Int64) -> HeartRateSources {
        let first = moment / 60_000 - 3000
        return HeartRateSources(
            (first..<first + 6000).map { number in
                (number, HeartRateMinute(slots: 1, samples: HeartRateSamples(count: 1, sum: 60, minimum: 60, maximum: 60)))
            }[...])
    }

    @Test("is in pieces, in their order, even if the morning was on the clock before the evening")
    func pieces() throws {
        let day = try #require(CalendarDay("2026-11-21"))
        let evening = day.daysSince1970 * 86_400_000 - 3 * 3_600_000
        // At 21:00 the clock is set to 01:00 of the next day, and back.
        let days = LocalDays(
            try Self.zone("UTC"), moves: [(evening, try Self.zone("Asia/Dubai")), (evening + 660_000, try Self.zone("UTC"))])
        let (night, before) = try #require(NightClock()).times(of: day, in: days)
        #expect(night.first?.lowerBound == evening)
        #expect(night == night.sorted { $0.lowerBound < $1.lowerBound })
        let figures = try #require(NightFigures(Self.heart(around: evening), night: night, day: before, workouts: []))
        #expect(figures.mean == 60 && figures.recordedSeconds >= 10 * 3600)
    }

    @Test("is never out of order, wherever somebody moves, and has figures")
    func moves() throws {
        let zones = try ["UTC", "Asia/Dubai", "Pacific/Apia", "America/St_Johns", "Europe/Berlin"].map { try Self.zone($0) }
        let start: Int64 = 1_795_000_000_000
        for _ in 0..<200 {
            let moves = (0..<3).map { _ in (from: start + Int64.random(in: 0..<259_200_000), zone: zones.randomElement() ?? zones[0]) }
            let days = LocalDays(zones[0], moves: moves)
            for moment in moves.map(\.from) {
                for offset in -1...2 {
                    let day = days.day(of: moment).advanced(by: offset)
                    for (begin, end) in [(22 * 60, 8 * 60), (60, 5 * 60), (0, 16 * 60)] {
                        let (night, before) = try #require(NightClock(begin: begin, end: end)).times(of: day, in: days)
                        for pieces in [night, before] {
                            #expect(zip(pieces, pieces.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
                        }
                        _ = NightFigures(Self.heart(around: moment), night: night.reversed(), day: before, workouts: before)
                    }
                }
            }
        }
    }

    @Test("has a length")
    func length() {
        #expect(NightClock(begin: 60, end: 60) == nil && NightClock(begin: 0, end: 961) == nil && NightClock(begin: 1440, end: 10) == nil)
        #expect(NightClock(begin: 0, end: 960) != nil && NightClock(begin: 23 * 60, end: 15 * 60) != nil)
    }
}
