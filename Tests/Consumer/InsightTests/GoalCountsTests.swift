import DaysSupport
import Fitness
import Telemetry
import TestSupport
import Testing

@testable import Insight

@Suite("How often goals were reached")
struct GoalCountsTests {
    /// Steps on each day, and a distance from December on; each was reached on two days, on one of them both.
    private func counts(_ from: String, _ to: String, _ period: GoalCounts.Period, since first: String?) throws -> [JSON] {
        let december = try calendarDay("2026-12-01")
        let reached: [CalendarDay: Set<Goal>] = [
            try calendarDay("2026-11-29"): [.steps], try calendarDay("2026-12-01"): [.distance],
            try calendarDay("2026-12-02"): [.steps, .distance],
        ]
        let counts = try GoalCounts(
            in: calendarDay(from)...calendarDay(to), by: period, reached, since: first.map { try calendarDay($0) },
            upTo: calendarDay("2026-12-03")
        ) { $0 < december ? GoalTargets([.steps: 1]) : GoalTargets([.steps: 1, .distance: 1]) }
        #expect(counts.json["from"] == .string(from) && counts.json["by"] == .string(period.rawValue))
        guard case .array(let rows)? = counts.json["rows"] else { throw TestFailure("no rows") }
        return rows
    }

    @Test("by month: of the days that had the goal, since the first reading and up to today")
    func months() throws {
        let rows = try counts("2026-10-01", "2026-12-31", .month, since: "2026-11-28")
        #expect(
            rows == [
                ["month": "2026-10", "goals": [:]],
                ["month": "2026-11", "goals": ["steps": ["reached": 1, "days": 3]]],
                [
                    "month": "2026-12",
                    "goals": ["steps": ["reached": 1, "days": 3], "distance_m": ["reached": 2, "days": 3]],
                ],
            ], "\(rows)")
        #expect(try counts("2026-10-01", "2026-12-31", .month, since: nil).allSatisfy { $0["goals"] == [:] })
    }

    @Test("by day: a row for each, and nothing of days to come")
    func days() throws {
        let rows = try counts("2026-11-30", "2026-12-04", .day, since: "2026-11-28")
        #expect(rows.count == 5 && rows[0] == ["day": "2026-11-30", "goals": ["steps": ["reached": 0, "days": 1]]])
        #expect(rows[2]["goals"]?["distance_m"] == ["reached": 1, "days": 1] && rows[4]["goals"] == [:])
    }
}
