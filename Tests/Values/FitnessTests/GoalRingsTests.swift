import Testing

@testable import Fitness

@Suite("The rings of a month")
struct GoalRingsTests {
    @Test("a ring closes with the goal, and is full only if it was reached")
    func shares() {
        func ring(_ value: Double?, _ target: Double?, _ isReached: Bool = false) -> GoalRings.Ring {
            GoalRings.Ring(value: value, target: target, isReached: isReached)
        }
        #expect(ring(0, 10_000).share == 0 && ring(2500, 10_000).share == 0.25 && ring(-5, 10).share == 0)
        #expect(ring(9999.9, 10_000).quarters == 3 && ring(10_000, 10_000).quarters == 3)
        // It stays reached when the target becomes higher, or goes.
        #expect(ring(5000, 10_000, true).quarters == 4 && ring(nil, nil, true).share == 1)
        #expect(ring(nil, 10_000).share == nil && ring(5, nil).share == nil && ring(5, 0).share == nil)
        #expect(ring(.nan, 10).share == nil && ring(5, .infinity).share == nil && ring(1e300, 1e-300).quarters == 3)
        #expect(ring(2499, 10_000).quarters == 0 && ring(5000, 10_000).quarters == 2)
    }

    @Test("a month has its own days alone, in weeks from Monday to Sunday")
    func months() throws {
        let month = try #require(CalendarMonth("2026-11"))
        func day(_ text: String) throws -> CalendarDay { try #require(CalendarDay(text)) }
        let reached = GoalDay(target: 10_000, value: 12_000, reached: GoalDay.Reached(target: 10_000, time: 0))
        let totals = try [
            DayTotals(day("2026-10-31"), goals: [.energy: reached]),
            DayTotals(day("2026-11-01"), goals: [.steps: reached, .distance: GoalDay(target: 8000, value: 2000)]),
            DayTotals(day("2026-11-02"), goals: [.steps: reached]), DayTotals(day("2026-11-03")),
        ]
        let rings = GoalRings(month, totals)
        #expect(rings.goals == [.steps, .distance] && rings.days.count == 2)
        #expect(rings.reachedDays(.steps) == 2 && rings.reachedDays(.distance) == 0)
        #expect(try rings.days[day("2026-11-01")]?[.distance]?.quarters == 1)
        // 1 November 2026 was a Sunday, and the last day a Monday.
        try #require(rings.weeks.count == 6 && rings.weeks.allSatisfy { $0.count == 7 })
        #expect(try rings.weeks[0] == Array(repeating: nil, count: 6) + [day("2026-11-01")])
        #expect(try rings.weeks[5].first == day("2026-11-30") && rings.weeks[5].dropFirst().allSatisfy { $0 == nil })
        #expect(rings.weeks.flatMap { $0 }.compactMap { $0 } == Array(month.days))
    }
}
