import DaysSupport
import Files
import Fitness
import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Days

@Suite("Goals of weeks, as days are kept", .timeLimit(.minutes(60)))
struct GoalWeeksTests {
    private let hour: Int64 = 3_600_000
    private let day: Int64 = 86_400_000

    private func want(_ targets: GoalTargets, from day: String, _ diary: Diary, now: Int64) throws {
        let day = try calendarDay(day)
        try diary.parts.store.change(diary.user) { () throws(VaultError) in
            try diary.days.histories.setTargets(targets, of: diary.user, from: day, now: now)
            try diary.days.reconsider(diary.user, now: now)
        }
        diary.days.committed()
    }

    private func take(_ workout: DayWorkout, _ diary: Diary, silently: Bool = false, now: Int64) throws {
        try diary.parts.store.change(diary.user) { () throws(VaultError) in
            try diary.days.take(workout, of: diary.user, silently: silently, wasCounted: false, now: now)
        }
        diary.days.committed()
    }

    /// A run entirely in zone 4: each minute counts as two minutes of activity.
    private func run(_ id: String, _ start: Int64, minutes: Int64) -> DayWorkout {
        let effort = Effort(
            active: Int(minutes) * 60, recorded: Int(minutes) * 60, zones: [0, 0, 0, Int(minutes) * 60, 0])
        return DayWorkout(
            id: id, "running", start..<start + minutes * 60_000, metres: 1000, kilocalories: nil, rank: 100,
            effort: effort)
    }

    private func value(_ goal: WeekGoal, _ day: String, _ diary: Diary) throws -> GoalDay? {
        try diary.days.goals(of: diary.user, inWeekOf: calendarDay(day))[goal]
    }

    @Test("count the days on which every goal was reached, once, in the transaction of the last one")
    func days() throws {
        let goals = WeekHerald()
        let diary = try Diary(zone: "UTC", goals: goals)
        // A Monday.
        let noon = try utc("2026-11-16T12:00:00Z")
        try want(GoalTargets([.steps: 1000], weeks: [.days: 2]), from: "2026-11-16", diary, now: noon)
        try diary.take([count(noon, 0), count(noon + 1000, 1500)], now: noon + hour)
        #expect(try value(.days, "2026-11-16", diary) == GoalDay(target: 2, value: 1) && goals.told.isEmpty)
        let session = try diary.parts.session(diary.household)
        let second = noon + day
        let blocks = [session.keyBlock, try session.block(count(second, 1500), count(second + 1000, 2500))]
        goals.fails = true
        #expect(throws: VaultError.self) { try diary.take(blocks, now: second + hour) }
        #expect(try diary.totals("2026-11-17").goals[.steps]?.reached == nil)
        goals.fails = false
        try diary.take(blocks, now: second + hour)
        #expect(goals.told == ["days 2026-W47 2026-11-17 aloud"])
        let reached = GoalDay.Reached(target: 2, time: second + hour)
        #expect(try value(.days, "2026-11-17", diary) == GoalDay(target: 2, value: 2, reached: reached))
        // The same blocks again, a third day and another target do not change it.
        try diary.take(blocks, now: second + 2 * hour)
        try diary.take([count(second + day, 2500), count(second + day + 1000, 3600)], now: second + day + hour)
        try want(GoalTargets([.steps: 1000], weeks: [.days: 3]), from: "2026-11-18", diary, now: second + day + hour)
        #expect(goals.told.count == 1)
        #expect(
            try value(.days, "2026-11-18", diary) == GoalDay(target: 3, value: 3, reached: reached) && diary.isExact())
        let streaks = try diary.days.streaks(of: diary.user, today: calendarDay("2026-11-18"))
        #expect(streaks.days[.steps] == 3 && streaks.weeks[.days] == 1 && streaks.weeks[.minutes] == 0)
        // Tomorrow is not over, and the day after it breaks the days, but not the week.
        #expect(try diary.days.streaks(of: diary.user, today: calendarDay("2026-11-19")).days[.steps] == 3)
        let later = try diary.days.streaks(of: diary.user, today: calendarDay("2026-11-29"))
        #expect(later.days[.steps] == 0 && later.weeks[.days] == 1)
        #expect(try diary.days.streaks(of: diary.user, today: calendarDay("2026-11-30")).weeks[.days] == 0)
    }

    @Test("count minutes of workouts, which stay reached when a workout is deleted")
    func minutes() throws {
        let goals = WeekHerald()
        let diary = try Diary(zone: "UTC", goals: goals)
        let sunday = try utc("2026-11-22T12:00:00Z")
        try want(GoalTargets(weeks: [.minutes: 150]), from: "2026-11-16", diary, now: sunday - 5 * day)
        try take(run("one", sunday - 2 * day, minutes: 40), diary, now: sunday - 2 * day + hour)
        #expect(try value(.minutes, "2026-11-22", diary)?.value == 80 && goals.told.isEmpty)
        // It began on Sunday, and counts there as a whole; the same by another device counts nowhere.
        let night = sunday + 11 * hour
        try take(run("two", night, minutes: 120), diary, now: sunday + 14 * hour)
        #expect(goals.told == ["minutes 2026-W47 2026-11-23 aloud"])
        try take(run("watch", night, minutes: 120), diary, now: sunday + 14 * hour)
        #expect(try value(.minutes, "2026-11-22", diary)?.value == 320)
        #expect(try value(.minutes, "2026-11-23", diary)?.value == 0)
        let id = try ID("two")
        for workout in [id, try ID("watch")] {
            try diary.parts.store.change(diary.user) { () throws(VaultError) in
                _ = try diary.days.remove(workout: workout, from: night, of: diary.user, now: sunday + 15 * hour)
            }
        }
        let left = try value(.minutes, "2026-11-22", diary)
        #expect(try left?.value == 80 && left?.isReached == true && diary.isExact())
        try take(run("two", night, minutes: 120), diary, now: sunday + 16 * hour)
        #expect(goals.told.count == 1)
    }

    @Test("are as they were in that week, and what an import or another profile brings is known")
    func before() throws {
        let goals = WeekHerald()
        let diary = try Diary(zone: "UTC", goals: goals)
        let monday = try utc("2026-11-23T12:00:00Z")
        try want(GoalTargets(weeks: [.minutes: 60]), from: "2026-11-22", diary, now: monday - day)
        try want(GoalTargets(weeks: [.minutes: 500]), from: "2026-11-23", diary, now: monday)
        try take(run("one", monday - day, minutes: 40), diary, silently: true, now: monday)
        #expect(goals.told == ["minutes 2026-W47 2026-11-23 silently"])
        // A week that had no such goal has none, and what a wrong clock brings for tomorrow does not count before.
        try take(run("two", monday - 10 * day, minutes: 400), diary, now: monday)
        try take(run("three", monday + day, minutes: 400), diary, now: monday)
        #expect(goals.told.count == 1)
        #expect(try value(.minutes, "2026-11-23", diary) == GoalDay(target: 500, value: 0))
        #expect(try value(.minutes, "2026-11-24", diary) == GoalDay(target: 500, value: 800))
    }

    @Test("keep the latest weeks, and read what they have written")
    func kept() throws {
        var weeks = ReachedWeeks()
        let monday = try calendarDay("2026-11-16")
        for number in (0..<ReachedWeeks.most + 5).reversed() {
            weeks[monday.advanced(by: -7 * number).week] = [
                .days: .init(target: 5, time: 1), .minutes: .init(target: 150, time: 2),
            ]
        }
        #expect(weeks.weeks.count == ReachedWeeks.most && weeks.streak(.days, today: monday) == ReachedWeeks.most)
        let bytes = weeks.kept.bytes
        #expect(bytes.count <= JSON.maximumLength)
        #expect(try ReachedWeeks(kept: JSON(payload: bytes)) == weeks)
        #expect(
            ReachedWeeks(kept: nil) == ReachedWeeks()
                && ReachedWeeks(kept: ["reached": [["from": 1]]]) == ReachedWeeks())
    }
}

/// Notes each goal of a week as it is reached, or fails to.
private final class WeekHerald: GoalEvaluation {
    var fails = false
    private(set) var told: [String] = []

    func evaluate(
        _ goals: inout [Goal: GoalDay], on day: CalendarDay, today: CalendarDay, of user: ID, silently: Bool, now: Int64
    ) {
        for goal in goals.keys where goals[goal]?.isEnough == true && goals[goal]?.reached == nil {
            let target = goals[goal]?.target ?? 0
            goals[goal]?.reached = GoalDay.Reached(target: target, time: now)
        }
    }

    func evaluate(
        _ goals: inout [WeekGoal: GoalDay], of week: CalendarWeek, today: CalendarDay, of user: ID, silently: Bool,
        now: Int64
    ) throws(VaultError) {
        for goal in WeekGoal.allCases where goals[goal]?.isEnough == true && goals[goal]?.reached == nil {
            if fails { throw VaultError("tell", .inputOutput, said: "no") }
            told.append("\(goal) \(week) \(today) \(silently ? "silently" : "aloud")")
            let target = goals[goal]?.target ?? 0
            goals[goal]?.reached = GoalDay.Reached(target: target, time: now)
        }
    }
}
