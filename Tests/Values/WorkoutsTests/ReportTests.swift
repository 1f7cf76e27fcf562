import Fitness
import Testing

@testable import Workouts

/// What reports are about, and what workouts come to together.
@Suite(.timeLimit(.minutes(60))) struct ReportTests {
    private func day(_ text: String) throws -> CalendarDay { try #require(CalendarDay(text)) }

    @Test("one period is shown by its parts, several are compared with each other")
    func spans() throws {
        let saturday = try day("2026-11-21")
        let expected: [(ReportSpan.Period, Int, ReportSpan.Part, Int, String, String)] = [
            (.day, 1, .workout, 1, "2026-11-21", "2026-11-21"), (.week, 1, .day, 7, "2026-11-16", "2026-11-22"),
            (.month, 1, .day, 30, "2026-11-01", "2026-11-30"), (.year, 1, .month, 12, "2026-01-01", "2026-12-31"),
            (.day, 3, .day, 3, "2026-11-19", "2026-11-21"), (.week, 2, .week, 2, "2026-11-09", "2026-11-22"),
            (.month, 10, .month, 10, "2026-02-01", "2026-11-30"), (.year, 2, .year, 2, "2025-01-01", "2026-12-31"),
        ]
        for (period, count, by, parts, first, last) in expected {
            let span = ReportSpan(period, around: saturday, count: count)
            #expect(span.by == by && span.parts.count == parts, "\(period) \(count)")
            #expect(try span.days == day(first)...day(last), "\(period) \(count)")
        }
        #expect(ReportSpan(.year, around: saturday, count: .max).parts.count == ReportSpan.most)
        #expect(ReportSpan(.day, around: saturday, count: -1).parts.count == 1)
    }

    @Test("each day of a span is in one part, whatever the calendar does", arguments: ReportSpan.Period.allCases)
    func parts(period: ReportSpan.Period) throws {
        for count in [1, 14] {
            for text in ["2024-02-29", "2021-01-01", "1970-01-01", "9998-12-31", "2026-12-31"] {
                let span = try ReportSpan(period, around: day(text), count: count)
                for (index, part) in span.parts.enumerated() {
                    #expect(span.part(of: part.lowerBound) == index && span.part(of: part.upperBound) == index)
                    guard index > 0 else { continue }
                    #expect(span.parts[index - 1].upperBound.advanced(by: 1) == part.lowerBound)
                }
                #expect(try span.part(of: day(text)) != nil)
                #expect(span.part(of: span.days.lowerBound.advanced(by: -1)) == nil)
                #expect(span.part(of: span.days.upperBound.advanced(by: 1)) == nil)
            }
        }
    }

    @Test("sums are of what is known, and in the mean heart rate a long workout counts more")
    func totals() {
        func workout(_ values: [WorkoutSummary.Attribute: Double], highest: Double? = nil) -> WorkoutSummary {
            var summary = WorkoutSummary(.running, started: 0, values: values)
            summary.highestHeartRate = highest
            summary.lowestHeartRate = highest.map { $0 - 100 }
            return summary
        }
        let workouts = [
            workout([.duration: 3000, .distance: 5000, .heartRate: 150, .speed: 3], highest: 171),
            workout([.duration: 1000, .heartRate: 110, .steps: 900], highest: 120), workout([.duration: 60]),
        ]
        let totals = WorkoutTotals(workouts)
        #expect(totals.workouts == 3 && totals[.duration] == 4060 && totals[.distance] == 5000 && totals[.steps] == 900)
        #expect(totals.heartRate == 140 && totals.highestHeartRate == 171)
        #expect(totals.lowestHeartRate == 20)
        #expect(totals[.energy] == nil && totals[.speed] == nil && totals[.heartRate] == nil)
        #expect(WorkoutTotals(workouts.reversed()) == totals)
        let nothing = WorkoutTotals([WorkoutSummary]())
        #expect(nothing.workouts == 0 && nothing.heartRate == nil && nothing[.duration] == nil)
        // A workout without a duration has a heart rate even so.
        #expect(WorkoutTotals([workout([.heartRate: 90])]).heartRate == 90)
        // Of an hour, only ten minutes are recorded: they count as much as the ten minutes of another workout.
        var parted = workout([.duration: 3600, .heartRate: 120])
        parted.recordedSeconds = 600
        #expect(WorkoutTotals([parted, workout([.duration: 600, .heartRate: 150])]).heartRate == 135)
    }
}
