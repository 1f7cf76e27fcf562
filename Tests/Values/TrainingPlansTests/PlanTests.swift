import Fitness
import TestSupport
import Testing

@testable import TrainingPlans

/// Somebody made up, and what they ask for.
struct MadeUp {
    let person: Person
    let asked: PlanOffers.Asked

    init(_ random: inout SeededGenerator) {
        func maybe(_ value: Double) -> Double? { Int.random(in: 0..<8, using: &random) == 0 ? nil : value }
        person = Person(
            sex: Bool.random(using: &random) ? .female : .male,
            ageYears: maybe(Double(Int.random(in: 12...95, using: &random))),
            heightCentimetres: maybe(Double.random(in: 145...205, using: &random)),
            weightKilograms: maybe(Double.random(in: 40...140, using: &random)))
        var asked = PlanOffers.Asked(seed: UInt32.random(in: 0...UInt32.max, using: &random))
        asked.kind = [nil, .weights, .intervals].randomElement(using: &random) ?? nil
        asked.minutes = Int.random(in: PlanRequest.minutes, using: &random)
        asked.isRandom = Int.random(in: 0..<5, using: &random) == 0
        asked.level = Bool.random(using: &random) ? .beginner : .intermediate
        asked.equipment = Set(Equipment.allCases.filter { _ in Bool.random(using: &random) })
        if Int.random(in: 0..<4, using: &random) == 0 {
            asked.muscles = Array(
                Muscle.allCases.shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random)))
        }
        for muscle in Muscle.allCases where Bool.random(using: &random) {
            asked.week[muscle] = Int.random(in: 0...20, using: &random)
        }
        self.asked = asked
    }
}

/// The rules of `deploy/training.md`, kept by plans for made-up people. What is checked is counted: a rule that never
/// applied would prove nothing.
@Suite("Training plans", .timeLimit(.minutes(60))) struct PlanTests {
    private let catalogue: ExerciseCatalogue

    init() throws { catalogue = try TrainingPlansTests.catalogue() }

    /// A plan, whom it was offered to, and what it was made of.
    private struct Made {
        let plan: TrainingPlan
        let someone: MadeUp
        let request: PlanRequest
    }

    /// Some 1,000 plans for made-up people.
    private static let made = Result {
        var random = SeededGenerator(seed: 20)
        var made: [Made] = []
        while made.count < 1000 {
            let someone = MadeUp(&random)
            for plan in try PlanOffers(someone.asked, for: someone.person, TrainingPlansTests.catalogue()).plans {
                made.append(Made(plan: plan, someone: someone, request: try #require(PlanToken(plan.token)).request))
            }
        }
        return made
    }

    private func plans(_ check: (TrainingPlan, MadeUp, PlanRequest) throws -> Void) throws {
        for made in try Self.made.get() { try check(made.plan, made.someone, made.request) }
    }

    private func main(_ plan: TrainingPlan) -> [PlannedExercise] { plan.exercises.filter { $0.part == .main } }

    @Test("a thousand plans have only exercises that exist, that are at hand, and are not too hard")
    func allowed() throws {
        var (levels, equipment) = (Set<TrainingLevel>(), Set<Equipment>())
        try plans { plan, someone, request in
            #expect(Set(plan.exercises.map(\.id)).count == plan.exercises.count)
            #expect(request.limits == PlanLimits(someone.person) && request.minutes == someone.asked.minutes)
            for planned in plan.exercises {
                let exercise = try #require(catalogue[planned.id])
                #expect(exercise.name == planned.name && exercise.primary == planned.primary)
                #expect(exercise.level <= someone.asked.level)
                #expect(exercise.equipment == .bodyOnly || someone.asked.equipment.contains(exercise.equipment))
                levels.insert(exercise.level)
                equipment.insert(exercise.equipment)
            }
        }
        #expect(levels.count == 2 && equipment.count == Equipment.allCases.count)
    }

    @Test("a thousand plans take as long as they should, within a tenth, from warm-up to cool-down")
    func duration() throws {
        var shorter = 0
        try plans { plan, someone, request in
            let limit = PlanLimits(someone.person).isModerate ? 30 : 60
            let minutes = plan.kind == .intervals ? min(someone.asked.minutes, limit) : someone.asked.minutes
            #expect(request.plannedMinutes == minutes)
            #expect(abs(plan.seconds - minutes * 60) <= minutes * 6, "\(plan.token): \(plan.seconds)")
            if minutes < someone.asked.minutes { shorter += 1 }
            let parts = plan.exercises.map(\.part)
            let rank: [PlannedExercise.Part] = [.warmUp, .balance, .main, .coolDown]
            let places = parts.compactMap(rank.firstIndex)
            #expect(places == places.sorted() && Set(parts).isSuperset(of: [.warmUp, .main, .coolDown]))
            for part in [PlannedExercise.Part.warmUp, .coolDown] {
                let seconds = plan.exercises.filter { $0.part == part }.reduce(0) { $0 + $1.seconds }
                #expect((60...300).contains(seconds) && seconds >= minutes * 60 / 8 - 30 || seconds == 300)
            }
            for exercise in plan.exercises where exercise.part == .warmUp {
                let isMeant = catalogue[exercise.id]?.uses.contains(.warmUp)
                #expect(isMeant == true && exercise.zone == 2 && exercise.sets == 1)
            }
        }
        #expect(shorter > 50)
    }

    @Test("weights: repetitions, sets and rests are those of the level and the age")
    func weights() throws {
        var held = 0
        try plans { plan, _, request in
            guard plan.kind == .weights else { return }
            let isOlder = request.limits.isOlder
            let rests = isOlder ? 120...180 : request.level == .beginner ? 60...120 : 90...150
            let mostSets = isOlder || request.level == .beginner ? 3 : 4
            let main = main(plan)
            #expect(main.count <= 12 && Set(main.map(\.restSeconds)).count == 1)
            for exercise in main {
                #expect((1...mostSets).contains(exercise.sets) && rests.contains(exercise.restSeconds))
                #expect(exercise.zone == nil && catalogue[exercise.id]?.category == .strength)
                switch exercise.effort {
                case .repetitions(let count): #expect((isOlder ? 10...15 : 8...12).contains(count))
                case .seconds(let seconds):
                    #expect(seconds == 30 && catalogue[exercise.id]?.force == .hold)
                    held += 1
                }
            }
        }
        #expect(held > 50)
    }

    @Test("weights: several joints before one, large muscles before small ones, and no muscle twice in succession")
    func order() throws {
        var both = 0
        try plans { plan, _, _ in
            let main = main(plan)
            if plan.kind == .weights {
                let blocks = main.map { exercise in
                    (catalogue[exercise.id]?.mechanic == .compound ? 0 : 2) + (exercise.primary[0].isLarge ? 0 : 1)
                }
                #expect(blocks == blocks.sorted(), "\(plan.token)")
                if Set(blocks.map { $0 / 2 }).count == 2 { both += 1 }
                for block in Set(blocks) {
                    let muscles = zip(main, blocks).filter { $0.1 == block }.map { $0.0.primary[0] }
                    expectApart(muscles, plan.token)
                }
            } else {
                expectApart(main.map { $0.primary[0] }, plan.token)
            }
        }
        #expect(both > 300)
    }

    /// Where no muscle has more than half of the places, none comes twice in succession.
    private func expectApart(_ muscles: [Muscle], _ token: String) {
        let most = Set(muscles).map { muscle in muscles.count { $0 == muscle } }.max() ?? 0
        guard most <= (muscles.count + 1) / 2 else { return }
        #expect(zip(muscles, muscles.dropFirst()).allSatisfy { $0 != $1 }, "\(token): \(muscles)")
    }

    @Test("the muscles that had least this week come first, and then all major groups, as far as there is time")
    func muscles() throws {
        var (favoured, whole) = (0, 0)
        try plans { plan, someone, request in
            let main = main(plan)
            let worked = main.map { $0.primary[0] }
            if someone.asked.muscles == nil {
                let missed = Muscle.allCases.filter(\.isMissed)
                let sets = request.favoured.map { someone.asked.week[$0] ?? 0 }
                let others = missed.filter { !request.favoured.contains($0) }.map { someone.asked.week[$0] ?? 0 }
                #expect(sets == sets.sorted() && sets.last ?? 0 <= others.min() ?? 0)
                let most = (sets + others).max() ?? 0
                #expect(request.favoured.count == min(6, (sets + others).count { $0 < most }))
            }
            guard plan.kind == .weights else { return }
            let possible = catalogue.exercises.filter {
                $0.category == .strength && $0.level <= request.level && request.equipment.contains($0.equipment)
                    && !(request.limits.hasNoJumps && $0.hasJumps)
            }
            let first = request.favoured.filter { muscle in possible.contains { $0.primary[0] == muscle } }
            for muscle in first.prefix(main.count) {
                #expect(worked.contains(muscle), "\(plan.token): \(muscle)")
                favoured += 1
            }
            let groups = Set(possible.compactMap { $0.primary[0].group })
            guard main.count >= request.favoured.count + groups.count else { return }
            #expect(Set(worked.compactMap(\.group)) == groups, "\(plan.token)")
            whole += 1
        }
        #expect(favoured > 1000 && whole > 20)
    }

    @Test("intervals: work and rest by the clock, in the zone that the person may reach")
    func intervals() throws {
        var moderate = 0
        try plans { plan, _, request in
            guard plan.kind == .intervals else { return }
            let isEasy = request.limits.isModerate || request.level == .beginner
            if request.limits.isModerate { moderate += 1 }
            for exercise in main(plan) {
                guard case .seconds(let work) = exercise.effort else {
                    Issue.record("\(plan.token): repetitions")
                    continue
                }
                #expect((isEasy ? 20...30 : 30...45).contains(work) && (1...6).contains(exercise.sets))
                #expect((isEasy ? 2 * work...3 * work : work...work * 3 / 2).contains(exercise.restSeconds))
                #expect(exercise.zone == (request.limits.isModerate ? 3 : 4))
                let known = try #require(catalogue[exercise.id])
                #expect(known.force != .hold && known.category != .stretching)
                #expect(known.category == .cardio || ![.barbell, .machine, .cable].contains(known.equipment))
            }
        }
        #expect(moderate > 50)
    }

    @Test("from 65 on, from a body mass index of 30 on, and without a profile, there are no jumps")
    func jumps() throws {
        var (checked, jumping, balanced) = (0, 0, 0)
        try plans { plan, someone, _ in
            let isOlder = (someone.person.ageYears ?? 0) >= 65
            let index = BodyMassIndex(someone.person)?.value
            let hasJumps = plan.exercises.contains { catalogue[$0.id]?.hasJumps == true }
            if isOlder || (index ?? 30) >= 30 || someone.person.ageYears == nil {
                #expect(!hasJumps, "\(plan.token)")
                checked += 1
            } else if hasJumps {
                jumping += 1
            }
            let balance = plan.exercises.filter { $0.part == .balance }
            #expect(balance.count == (isOlder ? 1 : 0))
            #expect(balance.allSatisfy { catalogue[$0.id]?.uses.contains(.balance) == true && $0.sets == 2 })
            balanced += balance.count
        }
        #expect(checked > 300 && jumping > 50 && balanced > 100)
    }

    @Test("high intensity is not offered first from a body mass index of 30 on, nor below 17, nor without a profile")
    func first() throws {
        var random = SeededGenerator(seed: 21)
        var (careful, first) = (0, 0)
        for _ in 0..<400 {
            let someone = MadeUp(&random)
            let offers = try PlanOffers(someone.asked, for: someone.person, catalogue)
            #expect(offers.plans.count == (someone.asked.isRandom ? 1 : 3) && offers.notes.first == .noAdvice)
            #expect(Set(offers.plans.map(\.exercises)).count == offers.plans.count)
            if let kind = someone.asked.kind {
                #expect(offers.plans.allSatisfy { $0.kind == kind })
                continue
            }
            if !someone.asked.isRandom { #expect(Set(offers.plans.map(\.kind)).count == 2) }
            let index = BodyMassIndex(someone.person)?.value
            if !(17..<30).contains(index ?? 0) || (someone.person.ageYears ?? 0) < 18 {
                #expect(offers.plans[0].kind == .weights)
                #expect(!offers.notes.filter { [.unknown, .young, .index].contains($0) }.isEmpty)
                careful += 1
            } else if offers.plans[0].kind == .intervals {
                first += 1
            }
        }
        #expect(careful > 50 && first > 10)
    }

    @Test("the same seed and the same inputs lead to the same plan, and another one to another")
    func same() throws {
        try plans { plan, someone, request in
            let again = try TrainingPlan(request, catalogue)
            let named = try TrainingPlan(token: plan.token, catalogue)
            let offers = try PlanOffers(someone.asked, for: someone.person, catalogue)
            #expect(again == plan && named == plan && offers.plans.contains(plan))
        }
        let plans = try (0..<100).map { try TrainingPlan(try request(seed: $0), catalogue).exercises }
        #expect(Set(plans).count > 95)
        let numbers = try PlanRequest.numbers.map { try TrainingPlan(try request(number: $0), catalogue).exercises }
        #expect(Set(numbers).count == numbers.count)
    }

    @Test("a plan is what it was when it was first made: what is drawn is the same on every machine")
    func pinned() throws {
        let plan = try TrainingPlan(
            try request(minutes: 25, seed: 7, equipment: [.dumbbell], favoured: [.chest, .lats]), catalogue)
        #expect(plan.token == "1-w-25-7-0-b-e-fj-0-90df2401")
        let due = [
            "Decline_Dumbbell_Bench_Press", "Flutter_Kicks", "Bent_Over_Two-Dumbbell_Row",
            "Stiff-Legged_Dumbbell_Deadlift",
            "Front_Two-Dumbbell_Raise", "Seated_One-Arm_Dumbbell_Palms-Up_Wrist_Curl",
        ]
        #expect(main(plan).map(\.id) == due)
    }

    @Test("every minute of every kind of person can be filled")
    func everyMinute() throws {
        for minutes in PlanRequest.minutes {
            for kind in TrainingKind.allCases {
                for level in TrainingLevel.allCases {
                    for limits in [PlanLimits(), PlanLimits(isOlder: true), PlanLimits(isCareful: true)] {
                        let request = try request(
                            kind, minutes: minutes, seed: UInt32(minutes), level: level, limits: limits)
                        let plan = try TrainingPlan(request, catalogue)
                        let due = request.plannedMinutes * 60
                        #expect(abs(plan.seconds - due) <= due / 10, "\(plan.token): \(plan.seconds)")
                    }
                }
            }
        }
    }

    @Test("an estimate of the energy follows from weight, time and the table's equivalents")
    func energy() throws {
        let weights = try TrainingPlan(try request(.weights, minutes: 60, level: .intermediate), catalogue)
        let intervals = try TrainingPlan(try request(.intervals, minutes: 60, level: .intermediate), catalogue)
        let moderate = try TrainingPlan(
            try request(.intervals, minutes: 30, limits: PlanLimits(isCareful: true)), catalogue)
        let person = Person(weightKilograms: 70)
        // 300 s each of warm-up and cool-down with 2.3, and the main part with its own.
        for (plan, equivalent) in [(weights, 3.5), (intervals, 7.0), (moderate, 5.0)] {
            let main = main(plan).reduce(0) { $0 + $1.seconds }
            let others = plan.exercises.filter { $0.part != .main }.reduce(0) { $0 + $1.seconds }
            let due = 70 * (equivalent * Double(main) + 2.3 * Double(others)) / 3600
            #expect(abs((plan.kilocalories(person) ?? 0) - due) < 1e-6)
        }
        #expect(weights.kilocalories(Person()) == nil)
    }
}
