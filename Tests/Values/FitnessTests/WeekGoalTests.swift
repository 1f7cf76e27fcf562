import Testing

@testable import Fitness

@Suite("Goals of a week")
struct WeekGoalTests {
    private let hour = DayTests.hour
    private let ada = Person(sex: .male, heightCentimetres: 175, weightKilograms: 75)

    @Test(
        "are told of at once, or as those of the time before, or not at all",
        arguments: try FigureVector.all("goals", ["announce"]))
    func news(_ vector: FigureVector) throws {
        let days = numbers([vector.arguments[0], vector.arguments[1]]).map { Int($0) }
        let isImport = try #require(vector.arguments[2] as? Bool)
        let names: [GoalNews: String] = [.now: "now", .before: "yesterday", .silent: "silent"]
        #expect(names[GoalNews(age: days[1] - days[0], isKnown: isImport)] == vector.expected as? String)
    }

    @Test("and of days make a streak, which today does not break", arguments: try FigureVector.all("goals", ["streak"]))
    func streak(_ vector: FigureVector) throws {
        let reached = try #require(vector.arguments[0] as? [Bool])
        #expect(Double(Streak(reached).length) == numbers([vector.expected]).first)
    }

    @Test("A streak of nothing is none, and what came before a gap does not count")
    func gaps() {
        #expect(Streak([]).length == 0 && Streak([false]).length == 0 && Streak([true, false, true]).length == 1)
        #expect(!Streak([true, true]).isOver && Streak([false, true]).isOver)
    }

    @Test("Percents are rounded down", arguments: try FigureVector.all("goals", ["percent"]))
    func percents(_ vector: FigureVector) {
        let given = numbers(vector.arguments)
        #expect(GoalDay(target: given[1], value: given[0]).percent?.rounded(.down) == numbers([vector.expected]).first)
    }

    @Test("count days on which everything was reached that was to be")
    func fullDays() {
        let days = [
            GoalWeek.Day(wanted: [.steps], reached: [.steps], minutes: 30.5),
            .init(wanted: [.steps, .energy], reached: [.steps], minutes: 0.4),
            .init(wanted: [.steps], reached: [.steps, .distance], minutes: 0),
            .init(wanted: [], reached: [.steps], minutes: 1), .init(wanted: [.steps], reached: [], minutes: 0),
        ]
        let week = GoalWeek(days)
        #expect(week.fullDays == 2 && week[.days] == 2 && week[.minutes] == 31)
        #expect(GoalWeek([GoalWeek.Day]()).fullDays == 0)
    }

    private func workout(
        _ activity: String, minutes: Int64 = 60, metres: Double? = nil, kilocalories: Double? = nil, rank: Int = 0,
        _ effort: Effort? = nil
    ) -> DayWorkout {
        DayWorkout(
            id: "\(activity) \(rank)", activity, 0..<minutes * 60_000, metres: metres, kilocalories: kilocalories,
            rank: rank,
            effort: effort)
    }

    @Test("count minutes in zones 2 and 3 once, in 4 and 5 twice, and those below not at all")
    func zones() {
        let effort = Effort(active: 3600, recorded: 3600, zones: [600, 300, 300, 120, 60])
        #expect(effort.moderate == 600 && effort.vigorous == 180)
        #expect(DayWorkout.activityMinutes([workout("rowing", effort)], of: ada) == 16)
        // The rest of the time was below zone 1, however fast it was.
        #expect(DayWorkout.activityMinutes([workout("running", metres: 12_000, effort)], of: ada) == 16)
    }

    @Test(
        "count by the metabolic equivalent where there is no heart rate: from 3 once, from 6 twice",
        arguments: [
            // 3.1 miles an hour: 3.8.
            ("walking", 5000, nil, 60), ("hiking", 5000, nil, 60), ("walking", 3000, nil, 0),
            ("walking", 8000, nil, 120),
            ("trail running", 10_000, nil, 120), ("cycling", 15_000, nil, 60), ("cycling", 20_000, nil, 120),
            // 75 kg: 1 + 300 / 75.
            ("swimming", nil, 300, 60), ("swimming", nil, 375, 120), ("yoga", nil, 149, 0), ("yoga", nil, 150, 60),
            ("yoga", nil, nil, 0), ("walking", nil, 300, 60),
        ] as [(String, Double?, Double?, Double)])
    func equivalents(activity: String, metres: Double?, kilocalories: Double?, minutes: Double) {
        let workout = workout(activity, metres: metres, kilocalories: kilocalories)
        #expect(DayWorkout.activityMinutes([workout], of: ada) == minutes)
    }

    @Test("count the active time without a heart rate by the equivalent, and pauses not at all")
    func partly() {
        let effort = Effort(active: 2400, recorded: 1200, zones: [0, 600, 0, 0, 0])
        // 10 km in 40 minutes are twice as much.
        #expect(DayWorkout.activityMinutes([workout("running", metres: 10_000, effort)], of: ada) == 10 + 40)
        let nobody = Effort(active: 2400, recorded: 1200, zones: nil)
        #expect(
            nobody.recorded == 0
                && DayWorkout.activityMinutes([workout("running", metres: 10_000, nobody)], of: ada) == 80)
        #expect(
            DayWorkout.activityMinutes(
                [workout("running", metres: 9000, Effort(active: 0, recorded: 0, zones: nil))], of: ada) == 0)
    }

    @Test("count a workout of two devices once, with the heart rates of the one that has any")
    func twice() {
        let phone = workout("running", metres: 10_000, rank: 100, Effort(active: 3600, recorded: 0, zones: nil))
        let watch = workout(
            "running", metres: 10_000, rank: 2, Effort(active: 3600, recorded: 3600, zones: [0, 0, 3600, 0, 0]))
        #expect(DayWorkout.activityMinutes([phone, watch], of: ada) == 60)
        #expect(DayWorkout.activityMinutes([phone], of: ada) == 120)
        // Of one that the day before has, only the rest is the day's.
        #expect(DayWorkout.activityMinutes([watch], others: [phone], of: ada) == 0)
    }

    @Test("A distance that is wanted on foot is that on foot")
    func onFoot() throws {
        let day = DayTotals(
            try #require(CalendarDay("2026-11-21")),
            figures: DayFigures(metres: [.foot: 3000, .bicycle: 20_000], kilocalories: nil))
        #expect(day[.distance, GoalTargets()] == 23_000)
        #expect(
            day[.distance, GoalTargets(isDistanceOnFoot: true)] == 3000
                && day[.steps, GoalTargets(isDistanceOnFoot: true)] == nil)
    }
}
