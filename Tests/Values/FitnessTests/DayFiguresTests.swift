import Testing

@testable import Fitness

@Suite("What a day comes to")
struct DayFiguresTests {
    private func person(_ value: Any) -> Person {
        let fields = value as? [String: Any] ?? [:]
        func number(_ name: String) -> Double? { (fields[name] as? Int).map(Double.init) ?? fields[name] as? Double }
        let sexes: [String: Person.Sex] = ["male": .male, "female": .female]
        return Person(
            sex: (fields["sex"] as? String).flatMap { sexes[$0] }, ageYears: number("age"), heightCentimetres: number("cm"),
            weightKilograms: number("kg"))
    }

    private func workouts(_ value: Any) -> [DayWorkout] {
        (value as? [[String: Any]] ?? []).enumerated().map { index, fields in
            func number(_ name: String) -> Double? { (fields[name] as? Int).map(Double.init) ?? fields[name] as? Double }
            let (from, to) = (Int64(number("from") ?? 0) * 1000, Int64(number("to") ?? 0) * 1000)
            return DayWorkout(
                id: "\(index)", fields["activity"] as? String ?? "", from..<to, metres: number("metres"),
                kilocalories: number("net_kcal"), rank: 100 - index)
        }
    }

    private func steps(_ value: Any) -> StepCounter.Made? {
        let spans = rows(value).map {
            StepCounter.Span(from: Int64($0[0]) * 1000, to: Int64($0[1]) * 1000, steps: UInt32($0[2]))
        }
        return StepCounter.made(spans, during: DayTests.day)
    }

    @Test("is what workouts measured, and the steps outside of them", arguments: try FigureVector.all("day", ["day"]))
    func vectors(_ vector: FigureVector) throws {
        let figures = DayFigures(
            steps(vector.arguments[1]), workouts(vector.arguments[2]).shuffled(), of: person(vector.arguments[0]))
        #expect(isNear(figures?.allMetres ?? 0, vector["total_metres"]), "\(String(describing: figures))")
        #expect(isNear(figures?.kilocalories ?? 0, vector["active_kcal"]), "\(String(describing: figures))")
        let metres = (vector.expected as? [String: Any])?["metres"] as? [String: Any] ?? [:]
        let names: [DistanceKind: String] = [.foot: "foot", .bicycle: "bicycle", .swimming: "swim", .other: "other"]
        for (kind, name) in names { #expect(isNear(figures?.metres[kind] ?? 0, numbers([metres[name] as Any]).first)) }
    }

    private let ada = Person(sex: .male, heightCentimetres: 200, weightKilograms: 70)

    private func workout(
        _ id: String, _ activity: String, _ hours: Range<Int64>, _ metres: Double? = nil, rank: Int = 0
    ) -> DayWorkout {
        DayWorkout(
            id: id, activity, hours.lowerBound * DayTests.hour..<hours.upperBound * DayTests.hour, metres: metres,
            kilocalories: nil, rank: rank)
    }

    @Test("leaves the steps of a workout of the day before to that day")
    func acrossMidnight() {
        let made = StepCounter.made([StepCounter.Span(from: 0, to: 2 * DayTests.hour, steps: 2000)], during: DayTests.day)
        let run = workout("a", "running", -1..<1, 9000)
        #expect(DayFigures(made, others: [run], of: ada)?.metres == [.foot: 830])
        #expect(DayFigures(made, of: ada)?.metres == [.foot: 1660])
        #expect(DayFigures(nil, [run], of: Person())?.metres == [.foot: 9000])
        #expect(DayFigures(nil, [], of: ada) == nil)
    }

    @Test("counts the same workout once: the one that was started here, then the one of which more was measured, then the longer one")
    func preferences() {
        let (own, watch) = (workout("b", "running", 8..<10, 7000, rank: 100), workout("a", "running", 8..<10, 8000, rank: 3))
        #expect(DayFigures(nil, [watch, own], of: ada)?.allMetres == 7000)
        let poor = workout("c", "workout", 8..<10, 6000)
        #expect(DayFigures(nil, [poor, watch], of: ada)?.metres == [.foot: 8000])
        // A ride at the same time is no run: it counts where it is alone.
        #expect(DayFigures(nil, [own, workout("d", "cycling", 8..<12, 20_000)], of: ada)?.metres == [.foot: 7000, .bicycle: 10_000])
    }

    @Test("takes from the second recording what the first one lacks, and counts what began the day before there")
    func doubles() {
        let made = StepCounter.made(
            [StepCounter.Span(from: 8 * DayTests.hour, to: 10 * DayTests.hour, steps: 7600)], during: DayTests.day)
        let (own, watch) = (workout("a", "running", 8..<10, rank: 100), workout("b", "running", 8..<10, 8970, rank: 3))
        #expect(DayFigures(made, [own, watch], of: ada)?.metres == [.foot: 8970])
        let late = workout("c", "running", 0..<3, 9000)
        #expect(DayFigures(nil, [late], others: [workout("d", "running", -1..<3, 9100)], of: ada) == nil)
        #expect(DayFigures(nil, [late], others: [workout("d", "cycling", -1..<1, 9100)], of: ada)?.metres == [.foot: 6000])
    }

    @Test("takes the part of a span that no other one covers from when it was")
    func openParts() {
        let hour = DayTests.hour
        let spans = [
            StepCounter.Span(from: 10 * hour, to: 10 * hour + hour / 6, steps: 500),
            StepCounter.Span(from: 10 * hour, to: 11 * hour, steps: 3000),
        ]
        let run = DayWorkout(
            id: "a", "running", 10 * hour..<10 * hour + hour / 6, metres: 2000, kilocalories: nil, rank: 0)
        let figures = DayFigures(StepCounter.made(spans, during: DayTests.day), [run], of: ada)
        #expect(isNear(figures?.allMetres, 2000 + 2500 * 0.83))
    }

    @Test("knows what kind of movement a name is")
    func kinds() {
        let kinds: [(String, DistanceKind?)] = [
            ("running", .foot), ("Treadmill run", .foot), ("hiking", .foot), ("cycling", .bicycle), ("Morning ride", .bicycle),
            ("mountain biking", .bicycle), ("e biking", nil), ("E-Bike", nil), ("exercise bike", .bicycle), ("bus ride", nil), ("horse ride", .other), ("interval training", .other), ("motorcycling", nil), ("driving", nil),
            ("transition", nil), ("alpine skiing", nil), ("open water swimming", .swimming), ("rowing", .other),
            ("weightlifting", .other), ("crunches", .other), ("wheelchair push run", .other), ("handcycling", .other), ("bikram yoga", .other), ("workout", .other), ("horseback riding", .other),
        ]
        for (name, kind) in kinds { #expect(WorkoutKind(named: name).distance == kind, "\(name)") }
    }
}
