import Foundation
import Testing

@testable import Fitness

@Suite("Zones of heart rates")
struct HeartRateZonesTests {
    /// Somebody with these, 30 years old.
    static func person(
        _ method: HeartRateZones.Method, _ figures: [HeartRateFacts.Figure: Double] = [:], limits: [Double]? = nil,
        age: Double? = 30
    ) -> Person {
        Person(ageYears: age, heart: HeartRateFacts(method, figures, limits: limits))
    }

    @Test("begin where each method says", arguments: try FigureVector.all("zones", ["bounds"]))
    func vectors(_ vector: FigureVector) throws {
        let given = try #require(vector.arguments[1] as? [String: Any])
        func number(_ name: String) -> Double? { (given[name] as? NSNumber)?.doubleValue }
        var figures: [HeartRateFacts.Figure: Double] = [.resting: try #require(number("rest"))]
        figures[.threshold] = number("threshold")
        figures[.maximum] = number("max")
        let method: HeartRateZones.Method =
            switch vector.arguments[0] as? String {
            case "max": figures[.maximum] == nil ? .age : .maximum
            case "reserve": .reserve
            case "threshold": .threshold
            default: .limits
            }
        let kind: WorkoutKind = vector.arguments.count > 2 ? .bicycle : .foot
        let person = Self.person(method, figures, limits: numbers(given["custom"]), age: number("age"))
        let zones = try #require(person.zones(for: kind))
        let expected = numbers(vector.expected)
        #expect(expected.count == 5 && zones.bounds.count == 5)
        for (bound, expected) in zip(zones.bounds, expected) { #expect(isNear(bound, expected)) }
    }

    @Test("have a heart rate in the zone whose bound it reaches", arguments: try FigureVector.all("zones", ["zone"]))
    func zone(_ vector: FigureVector) throws {
        let rate = try #require((vector.arguments[0] as? NSNumber)?.doubleValue)
        let zones = try #require(Self.person(.limits, limits: numbers(vector.arguments[1])).zones())
        #expect(zones.zone(of: rate) == (vector.expected as? NSNumber)?.intValue)
        #expect(zones.zone(of: zones.bounds[1]) == 2)
    }

    @Test("say what they were computed from, and are shown rounded up")
    func origins() throws {
        let age = try #require(Self.person(.age, [.maximum: 191, .resting: 60]).zones())
        #expect(
            age.method == .age && age.maximum == 187 && age.resting == nil && age.shown == [94, 113, 131, 150, 169])
        let own = try #require(Self.person(.maximum, [.maximum: 190]).zones())
        #expect(own.maximum == 190 && own.shown == [95, 114, 133, 152, 171])
        let reserve = try #require(Self.person(.reserve, [.maximum: 190, .resting: 50]).zones())
        #expect(reserve.maximum == 190 && reserve.resting == 50 && reserve.bounds[0] == 120)
        let electric = try #require(Self.person(.threshold, [.threshold: 170]).zones(for: .assistedBicycle))
        #expect(electric.threshold == 170 && electric.maximum == nil && isNear(electric.bounds[1], 137.7))
        #expect(Self.person(.threshold, [.threshold: 170]).zones(for: .swimming)?.bounds[1] == 144.5)
        #expect(own.range(of: 2)?.from == own.bounds[1] && own.range(of: 2)?.to == own.bounds[2])
        #expect(own.range(of: 5)?.to == nil && own.range(of: 0) == nil && own.range(of: 6) == nil)
    }

    @Test("are not known without what they are computed from")
    func unknown() {
        for method in HeartRateZones.Method.allCases { #expect(Self.person(method, age: nil).zones() == nil) }
        #expect(Self.person(.reserve, [.maximum: 190]).zones() == nil)
        #expect(Self.person(.reserve, [.resting: 190]).zones() == nil)
        #expect(Self.person(.maximum, [.maximum: 190], age: nil).zones() != nil)
    }

    @Test(
        "take only what a heart can be",
        arguments: [
            (.age, [:], nil, nil), (.age, [.maximum: 240, .resting: 25], nil, nil),
            (.age, [.maximum: 240.5], nil, .impossible(.maximum)),
            (.age, [.resting: 24], nil, .impossible(.resting)),
            (.age, [.threshold: .nan], nil, .impossible(.threshold)),
            (.age, [.maximum: 60, .resting: 60], nil, .notAbove(.maximum, .resting)),
            (.age, [.maximum: 170, .threshold: 171], nil, .notAbove(.maximum, .threshold)),
            (.age, [.threshold: 60, .resting: 61], nil, .notAbove(.threshold, .resting)),
            (.maximum, [:], nil, .missing(.maximum)),
            (.threshold, [:], nil, .missing(.threshold)), (.reserve, [.maximum: 190], nil, .missing(.resting)),
            (.reserve, [.resting: 187], nil, .noReserve), (.reserve, [.resting: 186], nil, nil),
            (.limits, [:], nil, .missingLimits),
            (.limits, [:], [95, 120, 140, 155, 170], nil), (.age, [:], [95, 120, 140, 155], .notFiveLimits),
            (.limits, [:], [95, 120, 140, 155, 170, 180], .notFiveLimits),
            (.limits, [:], [95, 120, 120, 155, 170], .limitsDoNotRise),
            (.limits, [:], [24, 120, 140, 155, 170], .impossibleLimit),
            (.limits, [:], [95, 120, 140, 155, 241], .impossibleLimit),
        ] as [(HeartRateZones.Method, [HeartRateFacts.Figure: Double], [Double]?, HeartRateFacts.Problem?)])
    func problems(
        method: HeartRateZones.Method, figures: [HeartRateFacts.Figure: Double], limits: [Double]?,
        problem: HeartRateFacts.Problem?
    ) {
        let person = Self.person(method, figures, limits: limits)
        #expect(person.heart.problem(of: Person(ageYears: 30)) == problem)
    }

    @Test("by reserve need no heart rate at rest of somebody of whom it is measured")
    func measured() {
        let facts = HeartRateFacts(.reserve)
        #expect(facts.problem(of: Person(ageYears: 30, restingHeartRate: 55)) == nil)
        #expect(facts.problem(of: Person(ageYears: 30, restingHeartRate: 188)) == .noReserve)
    }

    @Test("have a maximum that energy and load take, too")
    func maximum() {
        #expect(Self.person(.age, [.maximum: 200]).maximumHeartRate == 200 && Self.person(.age).maximumHeartRate == 187)
        let woman = Person(
            sex: .female, ageYears: 30, weightKilograms: 60, heart: HeartRateFacts(.maximum, [.maximum: 200]))
        #expect(woman.heartRatesOfEnergy?.upperBound == 180)
    }

    @Test(
        "at rest, a baseline is the median of seven days", arguments: try FigureVector.all("heart-rate", ["baseline"]))
    func baseline(_ vector: FigureVector) throws {
        let days = try #require(vector.arguments[0] as? [Any]).map { ($0 as? NSNumber)?.doubleValue }
        #expect(isNear(RestingBaseline.median(days), (vector.expected as? NSNumber)?.doubleValue))
    }

    @Test("at rest, a difference of less than 3 is as usual")
    func difference() throws {
        func difference(_ resting: Double, _ baseline: Double) throws -> Int? {
            let minute = HeartRateMinute(slots: 1, samples: HeartRateSamples(count: 1, sum: 60, minimum: 60, maximum: 60))
            let time = HeartRateDay.Time([0..<86_400_000]) { _ in 0 }
            var day = try #require(HeartRateDay(HeartRateSources([(0, minute)][...]), time, of: Person()))
            #expect(day.restingDifference == nil)
            (day.resting, day.restingBaseline) = (resting, baseline)
            return day.restingDifference
        }
        #expect(try difference(52, 54.9) == 0 && difference(52, 55) == -3)
        #expect(try difference(60.4, 57) == 3 && difference(59.9, 57) == 0)
        #expect(RestingBaseline.median([50, nil, 60, nil, 52]) == 52 && RestingBaseline.median([50, 60]) == nil)
    }
}
