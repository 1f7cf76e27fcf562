import Features
import Fitness
import Pictures
import Testing
import Workouts

@testable import Sharing

@Suite("What is shared in words")
struct SharedFiguresTests {
    private let day = CalendarDay(daysSince1970: 20_778)
    private let english = SharedFigures(language: .english, units: .metric)

    private func poster(_ swiftness: WorkoutPoster.Swiftness = .pace) -> WorkoutPoster {
        var poster = WorkoutPoster(title: "Run", swiftness)
        (poster.metres, poster.seconds, poster.metresPerSecond, poster.kilocalories) = (8974.4, 3120, 2.8764, 640.4)
        return poster
    }

    @Test("tells a workout in the person's language and units, no more precisely than its picture")
    func workout() {
        #expect(
            english.workout(.running, poster(), day)
                == "Run on 21 November 2026: 9.0 km, 52 min, 5:47 min/km, 640 kcal.")
        let german = SharedFigures(language: .german, units: .imperial)
        #expect(
            german.workout(.cycling, poster(.speed), day)
                == "Radtour am 21. November 2026: 5,6 mi, 52 min, 6,5 mph, 640 kcal.")
    }

    @Test("names what follows a training plan in the person's language")
    func planned() throws {
        let german = SharedFigures(language: .german, units: .metric)
        let weights = try #require(Activity(named: "weight training"))
        #expect(
            german.workout(weights, WorkoutPoster(title: "", .pace), day) == "Krafttraining am 21. November 2026.")
    }

    @Test("tells of ways with the same hidden ends the same, whatever they were to the metre")
    func hidden() {
        var (one, other) = (poster(), poster())
        (one.metres, other.metres) = (8960, 9040)
        (one.metresPerSecond, other.metresPerSecond) = (2.5, 2.9)
        #expect(english.workout(.running, one, day) == english.workout(.running, other, day))
    }

    @Test("leaves out what is not known")
    func little() throws {
        let name = try #require(Activity(named: "Rope skipping"))
        #expect(
            english.workout(name, WorkoutPoster(title: "", .pace), day) == "Rope skipping on 21 November 2026.")
        var long = WorkoutPoster(title: "", .pace)
        long.seconds = 7200
        #expect(english.workout(.walking, long, day) == "Walk on 21 November 2026: 2 h.")
        long.seconds = 4350
        #expect(english.workout(.walking, long, day).hasSuffix(": 1 h 13 min."))
    }

    private func summary(_ metres: Double, _ seconds: Double) -> WorkoutSummary {
        WorkoutSummary(.running, started: 0, values: [.distance: metres, .duration: seconds, .energy: 100])
    }

    @Test("tells all workouts together, and one alone no more precisely than its picture does")
    func statistics() {
        #expect(
            english.statistics([summary(10_049, 3600), summary(5_052, 1800)])
                == "All my workouts: 2 workouts, 15.1 km, 1 h 30 min, 200 kcal, farthest 10.0 km, longest 1 h.")
        #expect(
            SharedFigures(language: .german, units: .metric).statistics([summary(5_049, 1805)])
                == "Alle meine Trainings: 1 Training, 5,0 km, 30 min, 100 kcal, am weitesten 5,0 km, am längsten 30 min."
        )
    }

    @Test("tells a post with what the week had come to, or a picture alone")
    func post() {
        #expect(
            english.post("Sun!", workouts: 3, seconds: 4350, day) == "Sun!\nIn that week: 3 workouts (1 h 13 min).")
        #expect(english.post("", workouts: 1, seconds: 0, day) == "In that week: 1 workout.")
        #expect(english.post("", workouts: 0, seconds: 0, day) == "A picture on 21 November 2026.")
    }

    @Test("tells what a day, a week and a month came to")
    func report() {
        let totals = PeriodTotals([
            DayTotals(day, goals: [.steps: GoalDay(target: 1000, value: 12_000, reached: .init(target: 1000, time: 0))])
        ])
        let done = WorkoutTotals([summary(5_049, 1805)])
        #expect(
            english.report(.week, day.week.days, totals, done)
                == "My week from 16 November 2026 to 22 November 2026: step goal reached on 1 of 7 days, 1 workout (30 min)."
        )
        #expect(english.report(.day, day...day, totals, WorkoutTotals([])).hasSuffix("2026: step goal reached."))
        let month = english.report(.month, day.calendarMonth.days, PeriodTotals([]), done)
        #expect(month == "My November 2026: 1 workout (30 min).")
    }

    @Test("tells a person what their week came to, and leaves out what is not known")
    func week() {
        let figures = DayFigures(metres: [.foot: 5049, .bicycle: 20_000], kilocalories: 640.4)
        let totals = PeriodTotals([DayTotals(day, steps: Steps(walking: 8000, running: 42), figures: figures)])
        let goals: [WeekGoal: GoalDay] = [
            .days: GoalDay(target: 5, value: 3),
            .minutes: GoalDay(target: 60, value: 70, reached: .init(target: 60, time: 0)),
        ]
        #expect(
            english.week(day.week.days, totals, WorkoutTotals([summary(5_049, 1805)]), goals)
                == "Your week from 16 November 2026 to 22 November 2026: 8,042 steps, 25.0 km (20.0 km by bicycle), 640 kcal, "
                + "1 workout (30 min), all goals of the day on 3 of 7 days, goal of the week reached.")
        let none: [WeekGoal: GoalDay] = [.days: GoalDay(target: nil, value: 0)]
        #expect(english.week(day.week.days, PeriodTotals([]), WorkoutTotals([]), none).hasSuffix("22 November 2026."))
    }
}
