import Foundation
import Testing

@testable import Fitness

extension StepCounter {
    static func day(_ counts: [Count], during day: [Range<Int64>]) -> Steps? { made(counts, during: day)?.steps }

    static func day(_ spans: [Span], during day: [Range<Int64>]) -> Steps? { made(spans, during: day)?.steps }
}

@Suite("The totals of a day")
struct DayTests {
    static let minute: Int64 = 60_000
    static let hour: Int64 = 3_600_000

    func near(_ value: Double?, _ expected: Double, _ tolerance: Double = 1e-9) -> Bool {
        value.map { abs($0 - expected) <= tolerance } ?? false
    }

    static func counts(_ counts: [(hours: Double, count: UInt32)]) -> [StepCounter.Count] {
        counts.map { StepCounter.Count(time: Int64($0.hours * Double(hour)), steps: $0.count) }
    }

    /// A day that begins at 0.
    static let day = [0..<24 * hour]

    @Test("steps belong to the day of the later count")
    func steps() {
        let counts = Self.counts([(-20, 100), (-1, 150), (1, 250), (23, 900), (25, 2000)])
        #expect(StepCounter.day(counts, during: Self.day) == Steps(walking: 750))
        #expect(StepCounter.day(counts.shuffled() + counts, during: Self.day) == Steps(walking: 750))
        #expect(StepCounter.day(counts, during: [24 * Self.hour..<48 * Self.hour]) == Steps(walking: 1100))
        #expect(StepCounter.day(counts, during: [48 * Self.hour..<72 * Self.hour]) == nil)
        #expect(StepCounter.day(counts, during: []) == nil)
    }

    @Test("steps begin again after a restart, and if the count before is older than 36 hours")
    func beginnings() {
        let restarted = Self.counts([(-1, 5000), (1, 20), (2, 25), (3, 0), (4, 7)])
        #expect(StepCounter.day(restarted, during: Self.day) == Steps(walking: 32))
        #expect(StepCounter.day(Self.counts([(-12, 100), (24 - 0.001, 300)]), during: Self.day) == Steps(walking: 200))
        #expect(StepCounter.day(Self.counts([(-35, 100), (1, 300)]), during: Self.day) == Steps(walking: 200))
        #expect(
            StepCounter.day(Self.counts([(-35.001, 100), (1, 300), (2, 310)]), during: Self.day) == Steps(walking: 10))
        #expect(StepCounter.day(Self.counts([(5, 300)]), during: Self.day) == Steps())
    }

    @Test("a count that nobody walks is left out, and what follows from it counts")
    func implausible() {
        func day(_ counts: [(hours: Double, count: UInt32)]) -> Steps? {
            StepCounter.day(Self.counts(counts), during: Self.day)
        }
        #expect(
            day([(1, 100), (2, .max), (3, 150), (4, 180)]) == Steps(walking: 80, countsLeftOut: 1), "a faulty count")
        #expect(
            day([(1, 100), (2, 3_000_000), (3, 3_000_050), (4, 3_000_070)])
                == Steps(walking: 70, countsLeftOut: 1), "a counter that jumped")
        #expect(day([(1, 100), (2, .max), (3, 4_285_967_295), (4, 120)]) == Steps(walking: 20, countsLeftOut: 2))
        // Five a second and 20,000 at once, once.
        #expect(day([(1, 0), (2, 38_000)]) == Steps(walking: 38_000))
        #expect(day([(1, 0), (2, 38_001)]) == Steps(countsLeftOut: 1))
        #expect(day([(1, 0), (1, 20_000), (1.5, 29_000), (2, 38_000)])?.total == 38_000)
        #expect(day([(1, 0), (1, 20_000), (1.5, 29_001), (2, 38_000)])?.total == 38_000)
        #expect(day([(1, 0), (1, 20_000), (1.5, 29_001), (2, 38_000)])?.countsLeftOut == 1)
        let most = (0..<20_000).map { StepCounter.Count(time: Int64($0) * 4320, steps: UInt32($0) * 20_000) }
        #expect((StepCounter.day(most, during: Self.day)?.total ?? 0) <= 452_000)
        // Restarts, and what came the day before.
        #expect(day([(1, 500_000), (2, 100_000), (3, 100_010)]) == Steps(walking: 10, countsLeftOut: 1))
        #expect(day([(-3, 100), (-2, .max), (1, 150)]) == Steps(walking: 50))
        let counts = Self.counts([(1, 100), (2, .max), (2.5, .max), (3, 150), (4, 7_000_000), (5, 160)])
        #expect(
            StepCounter.day(counts.shuffled() + counts, during: Self.day)
                == day([
                    (1, 100), (2, .max), (2.5, .max), (3, 150), (4, 7_000_000), (5, 160),
                ]))
    }

    @Test("steps of a day in two parts are all of it, and not of what was between")
    func parts() {
        let day = [0..<10 * Self.hour, 15 * Self.hour..<20 * Self.hour]
        let counts = Self.counts([(1, 100), (9, 200), (11, 1000), (14, 2000), (16, 2100), (21, 9000)])
        #expect(StepCounter.day(counts, during: day) == Steps(walking: 200))
    }

    @Test("steps are run from 140 a minute on, if that can be known")
    func gait() {
        func steps(_ made: UInt32, in interval: Int64) -> Steps? {
            StepCounter.day(
                [StepCounter.Count(time: 0, steps: 0), StepCounter.Count(time: interval, steps: made)], during: Self.day
            )
        }
        #expect(steps(1400, in: 10 * Self.minute) == Steps(running: 1400))
        #expect(steps(1399, in: 10 * Self.minute) == Steps(walking: 1399))
        #expect(steps(14_000, in: 10 * Self.minute + 1) == Steps(walking: 14_000))
        #expect(steps(140, in: Self.minute) == Steps(running: 140) && steps(0, in: Self.minute) == Steps())
        #expect(steps(50, in: 0) == Steps(walking: 50))
        let person = Person(sex: .male, heightCentimetres: 175, weightKilograms: 70)
        func figures(_ steps: Steps, _ person: Person) -> DayFigures? { DayFigures(StepCounter.Made(steps), of: person) }
        #expect(near(figures(Steps(walking: 6000, running: 4000), person)?.allMetres, 7262.5))
        #expect(near(figures(Steps(walking: 10_000), person)?.kilocalories, 254.19, 0.005))
        #expect(near(figures(Steps(running: 10_000), person)?.kilocalories, 508.375, 0.005))
        #expect(near(figures(Steps(walking: 5000, running: 5000), person)?.kilocalories, 381.28, 0.005))
        let light = figures(Steps(walking: 1), Person(heightCentimetres: 175))
        #expect(light?.allMetres != nil && light?.kilocalories == nil)
    }

    @Test("of several sensors on one body the one that counted most counts")
    func sensors() {
        let sensors = [Steps(walking: 10), Steps(walking: 10, running: 5), Steps(walking: 15), Steps()].map { StepCounter.Made($0) }
        for order in [sensors, sensors.reversed()] { #expect(StepCounter.together(order, in: Self.day) == sensors[1]) }
        #expect(StepCounter.together([], in: Self.day) == nil)
    }

    @Test("temperatures: each reading once, in any order")
    func temperatures() throws {
        let readings = [(3, 36.9), (1, 36.6), (2, 38.1), (2, 36.1)].map {
            TemperatureReading(sensor: "home/ear", time: Int64($0.0), celsius: $0.1)
        }
        let day = try #require(
            TemperatureDay(readings + [TemperatureReading(sensor: "home/brow", time: 3, celsius: 36.5)]))
        #expect(near(day.mean, 36.84) && day.minimum == 36.1 && day.maximum == 38.1 && day.last == 36.9)
        for _ in 0..<20 {
            let again =
                (readings + readings).shuffled() + [TemperatureReading(sensor: "home/brow", time: 3, celsius: 36.5)]
            #expect(TemperatureDay(again) == day)
        }
        #expect(TemperatureDay([]) == nil)
    }

    @Test("goals: percent of a target, and reached for good")
    func goals() {
        #expect(GoalTargets.first.targets == [.steps: 10_000])
        var targets = GoalTargets([.steps: 0, .distance: 8000, .energy: .infinity])
        #expect(targets.targets == [.distance: 8000])
        targets[.energy] = 300
        targets[.distance] = nil
        targets[.steps] = -1
        #expect(targets.targets == [.energy: 300])
        let goal = GoalDay(target: 10_000, value: 12_345)
        #expect(near(goal.percent, 123.45) && goal.isEnough)
        #expect(!GoalDay(target: 10_000, value: 9999.9).isEnough && GoalDay(target: 8000, value: 8000).isEnough)
        #expect(GoalDay(target: nil, value: 1).percent == nil && GoalDay(target: 1, value: nil).percent == nil)
        #expect(!GoalDay(target: 1, value: nil).isEnough)
        // It stays reached, whatever the target and the value become.
        let reached = GoalDay.Reached(target: 8000, time: 5)
        #expect(!goal.isReached && GoalDay(target: 20_000, value: 9000, reached: reached).isReached)
        #expect(GoalDay(target: nil, value: nil, reached: reached).isReached)
        #expect(Goal.allCases.map(\.field) == ["steps", "distance_m", "energy_kcal"])
        #expect(Goal.allCases.allSatisfy { Goal(field: $0.field) == $0 } && Goal(field: "distance") == nil)
    }

    @Test("is written and read again")
    func coding() throws {
        var day = DayTotals(try #require(CalendarDay("2026-11-21")), steps: Steps(walking: 1, running: 2))
        day.figures = DayFigures(metres: [.foot: 1.5, .bicycle: 7], kilocalories: nil)
        day.temperature = TemperatureDay([TemperatureReading(sensor: "a", time: 1, celsius: 36.6)])
        day.heartRate = HeartRateDayTests.day(HeartRateDayTests.minutes([(240, 60)]), of: Person(ageYears: 30))
        day.goals = [
            .steps: GoalDay(target: 10, value: 3, reached: .init(target: 2, time: 5)),
            .energy: GoalDay(target: 1, value: nil),
        ]
        let bytes = try JSONEncoder().encode(day)
        #expect(try JSONDecoder().decode(DayTotals.self, from: bytes) == day)
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""goals":{"#))
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CalendarDay.self, from: Data(#""2026-02-30""#.utf8))
        }
    }
}

@Suite("What days come to")
struct PeriodTests {
    func near(_ value: Double?, _ expected: Double) -> Bool { value.map { abs($0 - expected) < 1e-9 } ?? false }

    @Test("has totals, means of days, and the most")
    func totals() throws {
        let first = try #require(CalendarDay("2026-11-16"))
        var days = (0..<7).map { DayTotals(first.advanced(by: $0)) }
        days[0].steps = Steps(walking: 1000)
        days[2].steps = Steps(walking: 2000, running: 4000)
        days[2].figures = DayFigures(metres: [.foot: 3000, .bicycle: 500], kilocalories: nil)
        days[3].figures = DayFigures(metres: [.bicycle: 1500], kilocalories: nil)
        days[0].temperature = TemperatureDay([TemperatureReading(sensor: "a", time: 1, celsius: 36)])
        days[1].temperature = TemperatureDay([
            TemperatureReading(sensor: "a", time: 1, celsius: 37),
            TemperatureReading(sensor: "a", time: 2, celsius: 39),
        ])
        days[2].heartRate = HeartRateDayTests.day(HeartRateDayTests.minutes([(240, 60), (60, 120)]), of: Person(ageYears: 30))
        days[3].heartRate = HeartRateDayTests.day(HeartRateDayTests.minutes([(300, 70)]), begins: 10 * 60)
        days[4].heartRate = HeartRateDayTests.day(HeartRateDayTests.minutes([(10, 100)]), of: Person(ageYears: 30))
        for index in days.indices { days[index].goals[.steps] = GoalDay(target: index < 5 ? 5000 : 6000, value: nil) }
        days[2].goals[.steps]?.reached = .init(target: 5000, time: 0)
        days[3].goals[.energy] = GoalDay(target: nil, value: 1, reached: .init(target: 1, time: 0))
        let period = PeriodTotals(days.shuffled())
        #expect(period.recordedDays == 5 && period.kilocalories == nil)
        #expect(period.steps?.total == 7000 && period.steps?.mean == 3500 && period.steps?.maximum == 6000)
        #expect(period.metres?.total == 5000 && period.metres?.mean == 2500)
        #expect(period.metresByKind == [.foot: 3000, .bicycle: 2000])
        #expect(
            period.temperature?.mean == 37 && period.temperature?.minimum == 36 && period.temperature?.maximum == 39)
        let heart = try #require(period.heartRate)
        #expect(
            near(heart.mean, (240 * 60 + 60 * 120 + 300 * 70 + 10 * 100) / 610.0) && heart.minimum == 60 && heart.maximum == 120)
        // By night people are quieter than by day: only the nights are compared.
        #expect(heart.resting == 60 && heart.restingOf == .night)
        #expect(heart.zoneSeconds == [600, 3600, 0, 0, 0] && heart.recordedSeconds == 36_600)
        #expect(period.goals[.steps] == .init(reached: 1, target: 6000))
        #expect(period.goals[.energy] == .init(reached: 1, target: nil) && period.goals[.distance] == nil)
        let none = PeriodTotals([])
        #expect(none.recordedDays == 0 && none.steps == nil && none.heartRate == nil && none.goals.isEmpty)
    }
}

@Suite("Heart rate variability")
struct VariabilityTests {
    typealias Reading = (time: Int64, intervals: [Double])

    @Test("takes beats for neighbours that are valid and without a pause between")
    func series() {
        func series(_ readings: [Reading]) -> [Double?] { HeartRateVariability.series(readings) }
        #expect(series([(0, [800, 810]), (1000, []), (2000, [790]), (5000, [805])]) == [800, 810, 790, 805])
        #expect(series([(0, [800]), (3001, [500])]) == [800, nil, 500])
        // Readings without intervals do not bridge a pause.
        #expect(series([(0, [800]), (2000, []), (4000, [800])]) == [800, nil, 800])
        // An extra beat: neither it nor the one after it, which differs from it as much.
        #expect(series([(0, [800, 400, 800, 810])]) == [800, nil, nil, 810])
        #expect(series([(0, [800, 960, 768, 767.5])]) == [800, 960, 768, 767.5])
        #expect(series([(0, [800, 960.5])]) == [800, nil] && series([(0, [800, 640, 511])]) == [800, 640, nil])
        #expect(series([(0, [299, 300, 2000]), (9000, [2000.1, 2000])]) == [nil, 300, nil, nil, nil, 2000])
        #expect(series([]) == [])
    }

    @Test("gives beats, mean, and both measures if they can be known")
    func summary() {
        let summary = HeartRateVariability.Summary([800, 810, 790, 805])
        #expect(summary.beats == 4 && summary.meanMilliseconds == 801.25)
        #expect(abs((summary.rmssd ?? 0) - 15.55) < 0.005 && abs((summary.sdnn ?? 0) - 8.54) < 0.005)
        let none = HeartRateVariability.Summary([nil])
        #expect(none.beats == 0 && none.meanMilliseconds == nil && none.rmssd == nil && none.sdnn == nil)
        let two = HeartRateVariability.Summary([800, nil, 810])
        #expect(two.beats == 2 && two.rmssd == nil && two.sdnn != nil)
    }
}

@Suite("The compendium of activities")
struct MetabolicEquivalentTests {
    @Test(
        "has a value for each of its speeds",
        arguments: [
            (.walking, 2.5, 3.0), (.walking, 3.4, 3.8), (.walking, 3.9, 4.8), (.walking, 4.4, 5.5),
            (.walking, 4.9, 7.0),
            (.walking, 5.5, 8.5), (.walking, 2.4, nil), (.walking, 6, nil), (.running, 4.2, 6.5), (.running, 4.8, 7.8),
            (.running, 5.2, 8.5), (.running, 5.8, 9.0), (.running, 6, 9.3), (.running, 6.3, 9.3), (.running, 6.7, 10.5),
            (.running, 7, 11.0), (.running, 7.5, 11.8), (.running, 8, 12.0), (.running, 8.6, 12.5), (.running, 9, 13.0),
            (.running, 10, 14.8), (.running, 11, 16.8), (.running, 12, 18.5), (.running, 13, 19.8),
            (.running, 14, 23.0),
            (.running, 3.9, nil), (.running, 14.1, nil), (.cycling, 9.9, 4.0), (.cycling, 11.9, 6.8),
            (.cycling, 13.9, 8.0),
            (.cycling, 15.9, 10.0), (.cycling, 19, 12.0), (.cycling, 20, 12.0), (.cycling, 20.1, 16.8),
            (.cycling, 0, nil),
            (.cycling, .infinity, nil), (.running, .nan, nil),
        ] as [(MetabolicEquivalent.Activity, Double, Double?)])
    func table(activity: MetabolicEquivalent.Activity, speed: Double, value: Double?) {
        #expect(MetabolicEquivalent.value(activity, milesPerHour: speed) == value)
    }

    @Test("gives the energy of its example")
    func energy() throws {
        let value = try #require(MetabolicEquivalent.value(.running, milesPerHour: 6))
        let energy = Person(weightKilograms: 70).kilocalories(metabolicEquivalent: value, hours: 0.5)
        #expect(abs((energy ?? 0) - 325.5) < 1e-9 && MetabolicEquivalent.table.contains("2024"))
    }
}
