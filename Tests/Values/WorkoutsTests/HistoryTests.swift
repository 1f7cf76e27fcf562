import Fitness
import Testing

@testable import Workouts

/// Workouts beside each other.
@Suite(.timeLimit(.minutes(60))) struct HistoryTests {
    private func workout(
        _ started: Int64, _ values: [WorkoutSummary.Attribute: Double], _ best: [Double: Double] = [:]
    ) -> WorkoutSummary {
        let times = best.map { BestTime(metres: $0.key, seconds: $0.value, start: 0) }
        return WorkoutSummary(.running, started: started, values: values, bestTimes: times)
    }

    @Test("statistics are of the workouts of which an attribute is known")
    func statistics() {
        let workouts = [
            workout(1, [.distance: 1000, .heartRate: 120]), workout(2, [.distance: 3000, .energy: .nan]),
            workout(3, [.heartRate: 150, .steps: -1]),
        ]
        let statistics = WorkoutStatistic.of(workouts)
        #expect(Set(statistics.keys) == [.distance, .heartRate])
        let distance = statistics[.distance]
        #expect(distance?.mean == 2000 && distance?.maximum == 3000 && distance?.total == 4000)
        #expect(distance?.count == 2)
        #expect(statistics[.heartRate]?.mean == 135 && statistics[.heartRate]?.total == nil)
        #expect(WorkoutStatistic.of([WorkoutSummary]()).isEmpty)
        for _ in 0..<5 { #expect(WorkoutStatistic.of(workouts.shuffled()) == statistics) }
    }

    @Test("a record is held by the earliest of the best")
    func records() {
        let workouts = [
            workout(30, [.duration: 60, .distance: 3000, .ascent: 0], [1000: 240]),
            workout(10, [.duration: 60, .distance: 2000], [1000: 250, 5000: 1300]),
            workout(20, [.duration: 50, .distance: 3000], [1000: 240, 5000: 1400]),
        ]
        let records = PersonalRecord.of(workouts)
        #expect(
            records == [
                PersonalRecord(kind: .longest, value: 60, index: 1),
                PersonalRecord(kind: .farthest, value: 3000, index: 2),
                PersonalRecord(kind: .fastest(metres: 1000), value: 240, index: 2),
                PersonalRecord(kind: .fastest(metres: 5000), value: 1300, index: 1),
            ])
        #expect(PersonalRecord.of([]).isEmpty)
    }

    @Test("a summary has what the figures and the way say")
    func summary() throws {
        let recording = try Recording("run-9km")
        let fold = try Case.run.fold(recording, recording.samples)
        let course = Course(recording.points, .running, fold.timer)
        let figures = fold.figures(at: at(recording.seconds))
        let summary = try #require(WorkoutSummary(.running, figures, course))
        #expect(summary.started == epoch && summary[.duration] == 2833 && summary[.steps] == 7654)
        #expect(summary[.distance] == figures.metres && summary[.load] == figures.heartRate?.edwards)
        #expect(summary[.energy] == figures.kilocalories && summary[.ascent] == figures.ascentMetres)
        #expect(summary[.heartRate] == figures.heartRate?.mean && summary[.speed] == figures.speed?.mean)
        #expect(summary.bestTimes.map(\.metres) == [400, 1000, Units.metresPerMile, 5000])
        let ready = WorkoutFold(.running, person: person).figures(at: epoch)
        #expect(WorkoutSummary(.running, ready) == nil)
    }

    @Test("a ring is drawn as far as its goal was achieved")
    func rings() throws {
        let day = try #require(CalendarDay("2026-11-21"))
        let totals = DayTotals(
            day,
            goals: [
                .steps: GoalDay(target: 10_000, value: 2500), .distance: GoalDay(target: 5000, value: nil),
                .energy: GoalDay(target: 900, value: 450, reached: GoalDay.Reached(target: 400, time: 1)),
            ])
        let achievements = Achievements(totals)
        #expect(achievements.rings[.steps]?.share == 0.25 && achievements.rings[.steps]?.drawn == 0.25)
        #expect(achievements.rings[.distance]?.share == nil && achievements.rings[.distance]?.drawn == 0)
        #expect(achievements.rings[.energy]?.share == 0.5 && achievements.rings[.energy]?.drawn == 1)
        #expect(!achievements.isComplete && !Achievements(DayTotals(day)).isComplete)
        let odd = DayTotals(day, goals: [.steps: GoalDay(target: 1e-300, value: 1e300)])
        #expect(Achievements(odd).rings[.steps]?.drawn == 0)
    }
}
