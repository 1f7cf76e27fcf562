import Testing

@testable import Fitness

@Suite("Steps of several sources")
struct StepSourceTests {
    private static let hour: Int64 = 3_600_000
    private let day = [Int64(0)..<24 * hour]

    /// Steps from one hour of the day to another.
    private func span(_ from: Double, _ to: Double, _ steps: Double) -> StepCounter.Span {
        StepCounter.Span(from: Int64(from * 3_600_000), to: Int64(to * 3_600_000), steps: UInt32(steps))
    }

    private func made(_ spans: [StepCounter.Span]) throws -> StepCounter.Made {
        try #require(StepCounter.made(spans, during: day))
    }

    /// How many were made in each hour.
    private func hours(_ made: StepCounter.Made?, _ count: Int = 24) -> [Double] {
        (0..<Int64(count)).map { made?.inside(TimeRanges([$0 * Self.hour..<($0 + 1) * Self.hour])) ?? -1 }
    }

    @Test(
        "are spread evenly over their hours", arguments: try FigureVector.all("steps", ["hourly"])
    )
    func hourly(_ vector: FigureVector) throws {
        let spans = rows(vector.arguments[0]).map { span($0[0] / 3600, $0[1] / 3600, $0[2]) }
        let count = try #require(vector.arguments[1] as? Int)
        let found = try zip(hours(made(spans), count), numbers(vector.expected)).map { isNear($0, $1) }
        #expect(found == [Bool](repeating: true, count: count))
    }

    @Test(
        "are those of the one with most, and of the others where it made none",
        arguments: try FigureVector.all("steps", ["day_steps"]))
    func sources(_ vector: FigureVector) throws {
        let sources = try rows(vector.arguments[0]).map { counts in
            try made(
                counts.enumerated().filter { $0.element > 0 }.map {
                    span(Double($0.offset), Double($0.offset + 1), $0.element)
                })
        }
        let expected = numbers(vector.expected)
        for order in [sources, sources.reversed()] {
            let together = StepCounter.together(order, in: day)
            #expect(zip(hours(together), expected).allSatisfy { isNear($0, $1) }, "\(hours(together))")
            #expect(together?.steps == Steps(walking: Int(expected.reduce(0, +))))
        }
    }

    @Test(
        "grow by what workouts on foot counted beyond them",
        arguments: try FigureVector.all("steps", ["steps_with_workouts"]))
    func workouts(_ vector: FigureVector) throws {
        let total = try #require((vector.arguments[0] as? Int).map(Double.init))
        let list = try #require(vector.arguments[1] as? [[Any]])
        for row in list {
            let (onFoot, counted, own) = (row[0] as? Bool, row[1] as? Int, row[2] as? Int)
            let inWorkout = Double(try #require(counted))
            let source = try made([span(8, 9, total - inWorkout)] + (inWorkout > 0 ? [span(10, 11, inWorkout)] : []))
            let workout = DayWorkout(
                id: "a", onFoot == true ? "running" : "cycling", 10 * Self.hour..<11 * Self.hour, metres: nil,
                kilocalories: nil,
                steps: Double(try #require(own)), rank: 0)
            let made = source.with([workout], after: [])
            #expect(made.steps.total == vector.expected as? Int, "\(made.steps)")
            // Not once more on the day after, nor by a second recording.
            #expect(source.with([], after: [workout]) == source)
            let again = DayWorkout(
                id: "b", workout.activity, workout.times, metres: nil, kilocalories: nil, steps: workout.steps, rank: 1)
            #expect(source.with([workout, again], after: []).steps == made.steps)
        }
    }

    @Test("of hours that a longer difference touches are nobody else's")
    func long() throws {
        // A counter that was read at 9:40 and at 12:10.
        let band = try made([span(9 + 40 / 60.0, 12 + 10 / 60.0, 5000), span(14, 15, 100)])
        let phone = try made([
            span(8, 9, 700), span(9, 10, 800), span(11, 12, 900), span(13, 14, 1000), span(14, 15, 1100),
        ])
        let together = try #require(StepCounter.together([phone, band], in: day))
        #expect(together.steps.total == 5100 + 700 + 1000)
        // Read each hour, half a minute late, each difference has its hours; without steps it has none.
        let late = try made([
            span(7.99, 9, 600), span(9, 10.01, 0), span(10.01, 11, 900), span(11, 13, 0), span(15, 16, 5000),
        ])
        #expect(StepCounter.together([late, phone], in: day)?.steps.total == 6500 + 800 + 900 + 1000 + 1100)
    }

    @Test("of three are, in an hour without any of the first, those of the one that has most of that hour")
    func three() throws {
        let sources = try [
            [span(8, 9, 900)], [span(9, 10, 100), span(11, 12, 500)], [span(9, 10, 300), span(11, 12, 20)],
        ].map(made)
        for order in [sources, sources.reversed()] {
            #expect(StepCounter.together(order, in: day)?.steps.total == 900 + 300 + 500)
        }
    }

    @Test("of two with as many are those of the one that was heard first")
    func ties() throws {
        let early = try made([span(8, 9, 500), span(10, 10.1, 500)])
        let late = try made([span(8.5, 9.5, 500), span(10, 11, 500)])
        for order in [[early, late], [late, early]] {
            let together = StepCounter.together(order, in: day)
            // Only 9:00 to 9:30 are the other one's.
            #expect(together?.steps.total == 1250 && hours(together)[8] == 500)
        }
    }

    @Test("without times are those of one of them, and a day with no hours has as many")
    func untimed() throws {
        let sources = [Steps(walking: 10), Steps(walking: 30), Steps(walking: 20)].map { StepCounter.Made($0) }
        #expect(StepCounter.together(sources, in: day) == sources[1])
        let timed = try made([span(8, 9, 20)])
        #expect(StepCounter.together([timed, sources[1]], in: day)?.steps.total == 30)
        #expect(StepCounter.together([try made([span(8, 9, 10)])], in: [])?.steps.total == 10)
    }

    @Test("of an hour by the clock are taken on days of 23 and 25 hours, and on parts of days")
    func oddDays() throws {
        for end in [23, 25] as [Int64] {
            let day = [Int64(0)..<end * Self.hour]
            let main = try #require(StepCounter.made([span(Double(end) - 1, Double(end), 900)], during: day))
            let other = try #require(StepCounter.made([span(22, 23, 300)], during: day))
            #expect(StepCounter.together([main, other], in: day)?.steps.total == (end == 25 ? 1200 : 900))
        }
        let parts = [10 * Self.hour..<10 * Self.hour + 60_000, Int64(0)..<Self.hour / 2]
        let main = try #require(StepCounter.made([span(0, 0.25, 900)], during: parts))
        let other = try #require(StepCounter.made([span(0.25, 0.5, 300), span(10, 10 + 1 / 60.0, 60)], during: parts))
        #expect(StepCounter.together([main, other], in: parts)?.steps.total == 960)
    }

    @Test("are a distance where no workout was, whichever of the sources counted them")
    func distance() throws {
        let ada = Person(sex: .male, ageYears: 40, heightCentimetres: 175, weightKilograms: 75)
        let length = try #require(ada.stepLengthMetres)
        let phone = try made([span(8, 9, 3000), span(9, 10, 600)])
        let band = try made([span(12, 13, 4000)])
        let run = DayWorkout(
            id: "r", "running", 8 * Self.hour..<17 * Self.hour / 2, metres: 4000, kilocalories: 300, steps: 4100,
            rank: 0)
        let together = try #require(StepCounter.together([phone, band], in: day)).with([run], after: [])
        // Half of the phone's first hour was in the run, which has counted 2600 more.
        #expect(together.steps.total == 7600 + 2600)
        let figures = try #require(DayFigures(together, [run], of: ada))
        #expect(isNear(figures.metres[.foot], 4000 + (1500 + 600 + 4000) * length))
        #expect(isNear(figures.kilocalories, 300 + 75 * (1500 + 600 + 4000) * length / 1000 * 0.5))
    }
}
