import DaysSupport
import HouseholdSupport
import Telemetry
import Testing

@testable import Days
@testable import Insight

@Suite("The edges of all calendars and times", .timeLimit(.minutes(60)))
struct EdgeTests {
    @Test("are counted at the edges of all calendars and times, and can be asked for there")
    func edges() throws {
        let diary = try Diary(zone: "America/New_York")
        try diary.take([count(start, 0), count(start + 1000, 700)], now: start)
        for time in [-Moment.limit, Moment.limit, DayBook.calendar.lowerBound, DayBook.calendar.upperBound - 1] {
            try diary.take(
                [Reading(at: Moment(wall: time, monotonic: 1), .steps(StepCount(5))), beatAt(time)], now: start)
        }
        let statistics = try Statistics(
            of: diary.user, diary.parts.store, diary.parts.keys, zone: "America/New_York", now: start)
        for day in ["0001-01-01", "9999-12-31", "2026-11-01"] {
            for question in [StatisticsQuestion.day(try calendarDay(day)), .week(try calendarDay(day))] {
                let answer = try statistics.answer(question)
                #expect(answer.bytes.count > 2, "\(day)")
            }
        }
        for year in [1, 2026, 9999] {
            let answer = try statistics.answer(.year(year))
            #expect(answer.bytes.count > 2, "\(year)")
        }
        let years = try statistics.answer(.years)
        #expect(String(decoding: years.bytes, as: UTF8.self).contains("2026"))
        for (from, to) in [
            (-Moment.limit, Moment.limit), (Moment.limit - 1, Moment.limit), (-Moment.limit, -Moment.limit + 1),
        ] {
            for points in [1, 2, 1999, 2000] as [Int64] {
                var graph = HeartRateGraph(from..<to, points: points)
                try graph.fill(of: diary.user, diary.parts.store, diary.parts.keys)
                let isInOrder = graph.buckets.allSatisfy { $0.isEmpty || $0.minimum == 70 && $0.maximum == 70 }
                #expect(isInOrder && !graph.buckets.isEmpty && graph.json.bytes.count < 65_536)
            }
        }
        #expect(try diary.isExact())
    }

    private func beatAt(_ time: Int64) -> Reading {
        Reading(at: Moment(wall: time, monotonic: 1), .heartRate(HeartRateMeasurement(beatsPerMinute: 70)))
    }
}
