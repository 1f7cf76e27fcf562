import Fitness
import Telemetry
import TestSupport
import Testing

@testable import TrainingPlans

/// Tokens, and what may not be one.
@Suite("Plan tokens", .timeLimit(.minutes(60))) struct TokenTests {
    @Test("a token leads back to what the plan was made of, in one spelling of at most 64 bytes")
    func roundTrip() throws {
        var random = SeededGenerator(seed: 22)
        for _ in 0..<2000 {
            let request = try request(
                Bool.random(using: &random) ? .weights : .intervals,
                minutes: Int.random(in: PlanRequest.minutes, using: &random),
                seed: UInt32.random(in: 0...UInt32.max, using: &random),
                number: Int.random(in: PlanRequest.numbers, using: &random),
                level: Bool.random(using: &random) ? .beginner : .intermediate,
                equipment: Set(Equipment.allCases.filter { _ in Bool.random(using: &random) }),
                favoured: Array(
                    Muscle.allCases.shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random))),
                limits: PlanLimits(isOlder: Bool.random(using: &random), isCareful: Bool.random(using: &random)))
            let token = PlanToken(request, checksum: UInt32.random(in: 0...UInt32.max, using: &random))
            #expect(PlanToken(token.text) == token && token.text.utf8.count <= PlanToken.longest)
            #expect(token.text.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) })
        }
        let full = try request(
            .intervals, minutes: 90, seed: .max, level: .intermediate, equipment: Set(Equipment.allCases),
            favoured: Array(Muscle.allCases.suffix(6)), limits: PlanLimits(isOlder: true, isCareful: true))
        #expect(PlanToken(full, checksum: 0xAB).text == "1-i-90-ffffffff-0-m-bcdefghijkl-lmnopq-oc-000000ab")
    }

    @Test(
        "whatever else is no token",
        arguments: [
            "", "-", "1", "1-w-30-1-0-b-0-0-0", "1-w-30-1-0-b-0-0-0-00000000-", "2-w-30-1-0-b-0-0-0-00000000",
            "1-x-30-1-0-b-0-0-0-00000000", "1-W-30-1-0-b-0-0-0-00000000", "1-w-030-1-0-b-0-0-0-00000000",
            "1-w-+30-1-0-b-0-0-0-00000000", "1-w-9-1-0-b-0-0-0-00000000", "1-w-91-1-0-b-0-0-0-00000000",
            "1-w-30-01-0-b-0-0-0-00000000", "1-w-30-A-0-b-0-0-0-00000000", "1-w-30-100000000-0-b-0-0-0-00000000",
            "1-w-30-1-10-b-0-0-0-00000000", "1-w-30-1-0-e-0-0-0-00000000", "1-w-30-1-0-b-a-0-0-00000000",
            "1-w-30-1-0-b-cb-0-0-00000000", "1-w-30-1-0-b-bb-0-0-00000000", "1-w-30-1-0-b-m-0-0-00000000",
            "1-w-30-1-0-b-é-0-0-00000000", "1-w-30-1-0-b--0-0-00000000", "1-w-30-1-0-b-0-aa-0-00000000",
            "1-w-30-1-0-b-0-abcdefg-0-00000000", "1-w-30-1-0-b-0-r-0-00000000", "1-w-30-1-0-b-0-0-co-00000000",
            "1-w-30-1-0-b-0-0-x-00000000", "1-w-30-1-0-b-0-0--00000000", "1-w-30-1-0-b-0-0-0-0",
            "1-w-30-1-0-b-0-0-0-0000000G",
            "1-w-30-1-0-b-0-0-0-100000000", " 1-w-30-1-0-b-0-0-0-00000000", "1-w-30-1-0-b-0-0-0-00000000\n",
            "1-w-99999999999999999999-1-0-b-0-0-0-00000000", "１-w-30-1-0-b-0-0-0-00000000",
        ])
    func hostile(_ text: String) throws {
        #expect(PlanToken(text) == nil)
        let catalogue = try catalogue()
        #expect(thrown(PlanProblem.self) { try TrainingPlan(token: text, catalogue) } == .malformedToken)
    }

    @Test("its neighbours in this list are tokens, and very long texts are none")
    func neighbours() {
        #expect(PlanToken("1-w-30-1-0-b-0-0-0-00000000") != nil && PlanToken("1-i-90-0-9-m-bl-aq-oc-ffffffff") != nil)
        #expect(PlanToken(String(repeating: "-", count: 1_000_000)) == nil)
    }

    @Test("a plan is refused once the catalogue leads to another one, or to none")
    func replaced() throws {
        let whole = try catalogue()
        let asked = try request()
        let plan = try TrainingPlan(asked, whole)
        #expect(try TrainingPlan(token: plan.token, whole) == plan)
        // Each of its exercises, gone on its own.
        let lines = String(decoding: catalogueBytes, as: UTF8.self).split(separator: "\n").dropFirst().dropLast()
            .map { $0.hasSuffix(",") ? $0.dropLast() : $0 }
        for exercise in plan.exercises {
            let rest = lines.filter { !$0.hasPrefix("{\"id\": \"\(exercise.id)\"") }
            #expect(rest.count == lines.count - 1)
            let without = try ExerciseCatalogue(Array("[\n\(rest.joined(separator: ",\n"))\n]".utf8))
            #expect(thrown(PlanProblem.self) { try TrainingPlan(token: plan.token, without) } == .otherCatalogue)
        }
        let one = try ExerciseCatalogue(Array("[\(lines[0])]".utf8))
        #expect(thrown(PlanProblem.self) { try TrainingPlan(token: plan.token, one) } == .otherCatalogue)
        #expect(thrown(PlanProblem.self) { try TrainingPlan(asked, one) } == .tooFewExercises)
        #expect(
            thrown(PlanProblem.self) { try PlanOffers(PlanOffers.Asked(seed: 1), for: Person(), one) }
                == .tooFewExercises)
        // The checksum alone.
        let other = String(plan.token.dropLast()) + (plan.token.hasSuffix("0") ? "1" : "0")
        #expect(thrown(PlanProblem.self) { try TrainingPlan(token: other, whole) } == .otherCatalogue)
    }

    @Test("a plan is refused for a person who has a limit without which it was made, and the reason is said")
    func limits() throws {
        func person(_ age: Double?, _ weight: Double = 65) -> Person {
            Person(ageYears: age, heightCentimetres: 170, weightKilograms: weight)
        }
        func problem(_ limits: PlanLimits, _ person: Person) throws -> PlanProblem? {
            let plan = try TrainingPlan(try request(limits: limits), try catalogue())
            return thrown(PlanProblem.self) { try plan.check(for: person) }
        }
        let (none, older) = (PlanLimits(), PlanLimits(isOlder: true))
        let (careful, both) = (PlanLimits(isCareful: true), PlanLimits(isOlder: true, isCareful: true))
        for limits in [none, older, careful, both] {
            #expect(try problem(limits, person(40)) == nil)
            #expect(try problem(limits, person(65)) == (limits.isOlder ? nil : .ignoresAge))
            for (someone, caution) in [
                (person(nil), Caution.unknown), (person(17), .young), (person(40, 100), .heavy), (person(40, 45), .thin),
            ] {
                #expect(try problem(limits, someone) == (limits.isCareful ? nil : .ignores(caution)))
                let words = "\(PlanProblem.ignores(caution))"
                #expect(words.contains("does not take into account") && words.contains("another offer"), "\(words)")
            }
        }
        #expect("\(PlanProblem.ignoresAge)".contains("you are 65 or older"))
    }

    @Test("which muscles come first follows from the week, and from the seed where they had the same")
    func favoured() {
        #expect(PlanRequest.favoured(week: [:], seed: 1).isEmpty)
        let all = Dictionary(uniqueKeysWithValues: Muscle.allCases.map { ($0, 4) })
        #expect(PlanRequest.favoured(week: all, seed: 1).isEmpty)
        let some = all.merging([.chest: 1, .lats: 0, .calves: 3, .neck: 0]) { $1 }
        for seed in 0..<20 {
            #expect(PlanRequest.favoured(week: some, seed: UInt32(seed)) == [.lats, .chest, .calves])
        }
        let first = Set((0..<50).map { PlanRequest.favoured(week: [.chest: 1], seed: $0) })
        #expect(first.count > 40 && first.allSatisfy { $0.count == 6 && !$0.contains(.chest) })
    }

    @Test("requests out of range are none")
    func outOfRange() throws {
        let limits = PlanLimits()
        func isRequest(minutes: Int = 30, number: Int = 0, favoured: [Muscle] = []) -> Bool {
            PlanRequest(
                .weights, minutes: minutes, seed: 0, number: number, level: .beginner, favoured: favoured,
                limits: limits) != nil
        }
        #expect(isRequest() && isRequest(minutes: 10) && isRequest(minutes: 90, number: 9))
        #expect(!isRequest(minutes: 9) && !isRequest(minutes: 91) && !isRequest(number: 10) && !isRequest(number: -1))
        #expect(!isRequest(favoured: [.chest, .chest]) && !isRequest(favoured: Array(Muscle.allCases.prefix(7))))
        #expect(isRequest(favoured: Array(Muscle.allCases.prefix(6))))
    }

    @Test("a plan as JSON has what people are shown")
    func shown() throws {
        let plan = try TrainingPlan(try request(.intervals, level: .intermediate), try catalogue())
        let json = plan.json(title: plan.title.german, kilocalories: 123.4)
        #expect(json["plan"] == .string(plan.token) && json["kind"] == "intervals" && json["energy_kcal"] == 123)
        #expect(json["duration_s"] == .integer(Int64(plan.seconds)) && json["level"] == "intermediate")
        guard case .array(let exercises)? = json["exercises"] else { throw TestFailure("no exercises") }
        #expect(exercises.count == plan.exercises.count && json.bytes.count < 16 * 1024)
        let main = try #require(exercises.first { $0["part"] == "main" })
        #expect(main["zone"] == 4 && main["work_s"] != nil && main["repetitions"] == nil && main["rest_s"] != nil)
        #expect(plan.title.english.hasPrefix("Intervals: ") && plan.title.german.hasPrefix("Intervalle: "))
        #expect(plan.title.english.contains(" and ") && plan.title.german.contains(" und "))
    }

    @Test("the activity of a workout leads to the kind of its plan, and no other does")
    func activities() {
        for kind in TrainingKind.allCases { #expect(TrainingKind(activity: kind.activity) == kind) }
        for name in ["", "running", "weights", "Krafttraining"] { #expect(TrainingKind(activity: name) == nil) }
    }

    @Test("every word that people read is there in both languages")
    func words() {
        let words =
            Muscle.allCases.map(\.words) + TrainingKind.allCases.map(\.words) + PlanNote.allCases.map(\.words)
        #expect(words.allSatisfy { !$0.english.isEmpty && !$0.german.isEmpty })
        #expect(Set(words.map(\.english)).count == words.count && Set(words.map(\.german)).count == words.count)
    }
}
