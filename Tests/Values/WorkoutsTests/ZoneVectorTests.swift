import Fitness
import TestSupport
import Testing

@testable import Workouts

/// Zones and loads of workouts, compared with vectors that were made independently.
@Suite(.timeLimit(.minutes(60))) struct ZoneVectorTests {
    private func numbers(_ value: Any) throws -> [Double] { try #require(value as? [Double]) }

    private func figures(_ rates: [Int], of person: Person) throws -> WorkoutFigures.HeartRate {
        var fold = try begun(.cycling, person)
        for (second, rate) in rates.enumerated() {
            fold.add(.heartRate(HeartRateReading(time: at(Double(second)), beatsPerMinute: rate)))
        }
        return try #require(fold.figures(at: at(Double(rates.count))).heartRate)
    }

    @Test("a heart rate of now is in a zone from 0 to 5")
    func zone() throws {
        for vector in try Vector.of("zone", in: "zones") {
            let person = Person(ageYears: 30)
            for (bound, expected) in zip(try #require(person.zones()).bounds, try numbers(vector.arguments[1])) {
                #expect(near(bound, expected, 1e-9))
            }
            let rate = try #require(vector.arguments[0] as? Int)
            #expect(try figures([rate], of: person).zone == vector.expected as? Int, Comment(rawValue: vector.name))
        }
    }

    @Test("Edwards' load is minutes by the number of the zone, and zone 0 is no load")
    func edwards() throws {
        for vector in try Vector.of("edwards", in: "zones") {
            let seconds = try numbers(vector.arguments[0])
            let rates = zip(seconds, [80, 100, 120, 140, 155, 175]).flatMap { seconds, rate in
                Array(repeating: rate, count: Int(seconds))
            }
            let heart = try figures(rates, of: person)
            #expect(heart.zoneMilliseconds == seconds.dropFirst().map { Int64($0) * 1000 })
            #expect(near(heart.edwards, try #require(vector.expected as? Double), 0.001))
        }
    }

    @Test("Banister's load")
    func banister() throws {
        for vector in try Vector.of("banister", in: "zones") {
            let numbers = try numbers(Array(vector.arguments.prefix(4)))
            let sex: Person.Sex = vector.arguments[4] as? String == "male" ? .male : .female
            let person = Person(sex: sex, ageYears: (208 - numbers[3]) / 0.7, restingHeartRate: numbers[2])
            let expected = try #require(vector.expected as? Double)
            let heart = try figures(Array(repeating: Int(numbers[1]), count: Int(numbers[0]) * 60), of: person)
            #expect(near(heart.banister, expected, 0.001), Comment(rawValue: vector.name))
        }
    }

    @Test("fitness, fatigue and form")
    func curve() throws {
        for vector in try Vector.of("curve", in: "zones") {
            let days = TrainingDay.curve(try numbers(vector.arguments[0]))
            let expected = try #require(vector.expected as? [[Double]])
            #expect(days.count == expected.count)
            for (day, expected) in zip(days, expected) {
                for (value, expected) in zip([day.fitness, day.fatigue, day.form], expected) {
                    #expect(near(value, expected, 0.001))
                }
            }
        }
    }

    @Test("race times, and none that are too far away")
    func predict() throws {
        for vector in try Vector.of("predict", in: "zones") {
            let numbers = try numbers(vector.arguments)
            let best = BestTime(metres: numbers[0], seconds: numbers[1], start: 0)
            let (found, expected) = (RaceForecast.seconds(over: numbers[2], from: best), vector.expected as? Double)
            #expect(expected.map { near(found ?? 0, $0, 0.001) } ?? (found == nil), Comment(rawValue: vector.name))
        }
        let mile = BestTime(metres: 1609.344, seconds: 360, start: 0)
        #expect(RaceForecast.seconds(over: 5000, from: mile) != nil && RaceForecast.seconds(over: 10_000, from: mile) == nil)
        #expect(RaceForecast.seconds(over: 5000, from: BestTime(metres: 1000, seconds: 200, start: 0)) == nil)
    }

    @Test("oxygen uptake, and none of a run that says nothing")
    func uptake() throws {
        for vector in try Vector.of("vo2max", in: "zones") {
            let numbers = try numbers(vector.arguments)
            let found = OxygenUptake.of(speed: numbers[0], heartRate: numbers[1], rest: numbers[2], maximum: numbers[3])
            let expected = vector.expected as? Double
            #expect(expected.map { near(found ?? 0, $0, 0.001) } ?? (found == nil), Comment(rawValue: vector.name))
        }
        #expect(OxygenUptake.of(speed: 200, heartRate: 150, rest: 60, maximum: 60) == nil)
        #expect(OxygenUptake.median([50, 40, 60, 55]) == 52.5 && OxygenUptake.median([]) == nil)
    }
}
