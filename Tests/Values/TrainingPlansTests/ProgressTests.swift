import Fitness
import Telemetry
import TestSupport
import Testing

@testable import TrainingPlans

/// Following a plan.
@Suite("Progress with plans", .timeLimit(.minutes(60))) struct ProgressTests {
    /// A warm-up of 20 s and 10 s of rest, two sets of ten push-ups with 60 s, one plank of 30 s without a rest, and a
    /// stretch of 20 s.
    private func plan() throws -> TrainingPlan {
        let catalogue = try catalogue()
        func planned(
            _ id: String, _ part: PlannedExercise.Part, sets: Int, _ effort: PlannedExercise.Effort, rest: Int,
            zone: Int? = nil
        ) throws -> PlannedExercise {
            PlannedExercise(try #require(catalogue[id]), part, sets: sets, effort, restSeconds: rest, zone: zone)
        }
        let exercises = [
            try planned("Knee_Circles", .warmUp, sets: 1, .seconds(20), rest: 10, zone: 2),
            try planned("Pushups", .main, sets: 2, .repetitions(10), rest: 60),
            try planned("Plank", .main, sets: 1, .seconds(30), rest: 0, zone: 4),
            try planned("Runners_Stretch", .coolDown, sets: 1, .seconds(20), rest: 10),
        ]
        let token = PlanToken(try request(), checksum: 1).text
        return try TrainingPlan(
            kept: [
                "plan": .string(token), "kind": "weights", "level": "beginner",
                "exercises": .array(exercises.map(\.json)),
            ])
    }

    private func at(_ seconds: Double) -> Int64 { epoch + Int64(seconds * 1000) }

    /// Exercise, set and phase, as people would say them; the state is written and read at each look, as if the service
    /// had been restarted.
    private func place(_ progress: inout PlanProgress) throws -> String {
        let kept = try #require(PlanProgress(kept: try JSON(payload: progress.json.bytes)))
        #expect(kept == progress)
        progress = kept
        return "\(progress.index + 1).\(progress.set + 1) \(progress.phase.rawValue)"
    }

    @Test("from the first set to the last: timed sets and rests end by themselves, repetitions wait")
    func whole() throws {
        var progress = PlanProgress(try plan(), at: at(0))
        #expect(try place(&progress) == "1.1 work")
        #expect(progress.ends == at(20) && progress.following?.id == "Pushups")
        progress.pass(to: at(19.999))
        #expect(try place(&progress) == "1.1 work")
        progress.pass(to: at(20))
        #expect(try place(&progress) == "1.1 rest")
        #expect(progress.ends == at(30))
        // Late by 15 s: the set began when it was due.
        progress.pass(to: at(45))
        #expect(try place(&progress) == "2.1 work")
        #expect(progress.ends == nil && progress.following == nil)
        progress.pass(to: at(100))
        #expect(try place(&progress) == "2.1 work")
        try progress.take(.next, at: at(100))
        #expect(try place(&progress) == "2.1 rest")
        #expect(progress.ends == at(160))
        // Rested enough.
        try progress.take(.next, at: at(140))
        #expect(try place(&progress) == "2.2 work")
        #expect(progress.following?.id == "Plank")
        try progress.take(.next, at: at(180))
        progress.pass(to: at(240))
        #expect(try place(&progress) == "3.1 work")
        #expect(progress.isReached(byZone: 3) == false && progress.isReached(byZone: 4) == true)
        #expect(progress.isReached(byZone: 5) == true)
        // Without a rest, the next one begins at once; and the last rest is none.
        progress.pass(to: at(290))
        #expect(try place(&progress) == "4.1 over")
        #expect(progress.ends == nil && progress.following == nil && progress.isReached(byZone: 4) == nil)
        let work = progress.work
        #expect(work.sets == [.chest: 2, .abdominals: 1] && work.exercises == 2)
        // Sets of 70 and 40 s, rests of 40 and 60 s; and 30 s.
        #expect(work.seconds == [.chest: 210, .abdominals: 30])
    }

    /// The state in each phase: its name, and how it is reached.
    private func phases() throws -> [(String, PlanProgress)] {
        var work = PlanProgress(try plan(), at: at(0))
        work.pass(to: at(30))
        var rest = work
        try rest.take(.next, at: at(40))
        var over = work
        for _ in 0..<3 { try over.take(.skip, at: at(50)) }
        return [("work", work), ("rest", rest), ("over", over)]
    }

    @Test("each event in each phase")
    func events() throws {
        let expected: [String: [PlanEvent: String]] = [
            "work": [.next: "2.1 rest", .previous: "1.1 work", .skip: "3.1 work"],
            "rest": [.next: "2.2 work", .previous: "2.1 work", .skip: "3.1 work"],
            "over": [.next: "over", .previous: "over", .skip: "over"],
        ]
        for (name, state) in try phases() {
            for event in PlanEvent.allCases {
                var (progress, before) = (state, state)
                before.pass(to: at(60))
                let problem = thrown(PlanEventProblem.self) { try progress.take(event, at: at(60)) }
                var outcome = try place(&progress)
                if let problem {
                    #expect(progress == before, "\(name): \(event)")
                    outcome = problem == .over ? "over" : "another problem"
                }
                #expect(outcome == expected[name]?[event], "\(name): \(event)")
            }
            // Time alone changes only what ends by itself.
            var passed = state
            passed.pass(to: at(10_000))
            let due = ["work": "2.1 work", "rest": "2.2 work", "over": "4.1 over"][name]
            var kept = state
            let unchanged = try place(&kept)
            #expect(try place(&passed) == due ?? unchanged, "\(name)")
        }
    }

    @Test("a set that is done again is still one")
    func again() throws {
        var progress = PlanProgress(try plan(), at: at(0))
        try progress.take(.previous, at: at(15))
        // The first one begins again.
        #expect(try place(&progress) == "1.1 work")
        #expect(progress.ends == at(35))
        try progress.take(.skip, at: at(20))
        for second in stride(from: 30.0, to: 70, by: 20) {
            try progress.take(.next, at: at(second))
            try progress.take(.previous, at: at(second + 10))
        }
        #expect(try place(&progress) == "2.1 work")
        #expect(progress.work.sets == [.chest: 1] && progress.work.seconds == [.chest: 40])
        // From the second set to the first, and from an exercise to the last set of the one before.
        try progress.take(.next, at: at(70))
        try progress.take(.next, at: at(80))
        try progress.take(.previous, at: at(90))
        #expect(try place(&progress) == "2.1 work")
        try progress.take(.skip, at: at(100))
        try progress.take(.previous, at: at(110))
        #expect(try place(&progress) == "2.2 work")
    }

    @Test("a set that is skipped is not done, and after the last exercise the plan is over")
    func skipped() throws {
        var progress = PlanProgress(try plan(), at: at(0))
        try progress.take(.skip, at: at(5))
        try progress.take(.skip, at: at(15))
        #expect(try place(&progress) == "3.1 work")
        #expect(progress.work.sets == [.chest: 0] && progress.work.seconds == [.chest: 10])
        #expect(progress.work.exercises == 0)
        try progress.take(.skip, at: at(20))
        try progress.take(.skip, at: at(25))
        #expect(try place(&progress) == "4.1 over")
    }

    @Test("what was done takes energy by the plan's estimate, rests included, if the person's weight is known")
    func energy() throws {
        var progress = PlanProgress(try plan(), at: at(0))
        let person = Person(ageYears: 40, heightCentimetres: 170, weightKilograms: 60)
        #expect(progress.kilocalories(person) == 0 && progress.kilocalories(Person()) == nil)
        // A warm-up of 30 s and 270 s of push-ups; the rest that goes on is not done.
        try progress.take(.next, at: at(300))
        #expect(progress.phase == .rest)
        let energy = try #require(progress.kilocalories(person))
        #expect(abs(energy - 60 * (2.3 * 30 + 3.5 * 270) / 3600) < 1e-9, "\(energy)")
        progress.pass(to: at(1000))
        let rested = try #require(progress.kilocalories(person))
        #expect(abs(rested - energy - 60 * 3.5 * 60 / 3600) < 1e-9, "\(rested)")
        #expect(PlanProgress(kept: progress.json)?.kilocalories(person) == rested)
    }

    @Test("what was forgotten counts for five minutes")
    func forgotten() throws {
        var progress = PlanProgress(try plan(), at: at(0))
        try progress.take(.skip, at: at(0))
        try progress.take(.next, at: at(86_400))
        #expect(progress.work.seconds == [.chest: 300] && progress.work.sets == [.chest: 1])
    }

    @Test("a clock that is set back, or has no sense, does no harm")
    func clocks() throws {
        var progress = PlanProgress(try plan(), at: at(100))
        progress.pass(to: at(110))
        try progress.take(.next, at: at(50))
        #expect(progress.ends == at(120))
        progress.pass(to: at(0))
        #expect(try place(&progress) == "1.1 rest")
        let before = progress
        for time in [Int64.min, -1, KeptState.times.upperBound + 1, .max] {
            progress.pass(to: time)
            #expect(thrown(PlanEventProblem.self) { try progress.take(.next, at: time) } == .impossibleTime)
        }
        #expect(progress == before)
        progress.pass(to: KeptState.times.upperBound)
        #expect(try place(&progress) == "2.1 work")
    }

    @Test("real plans are followed to their end in the time that they say, whatever is done in between")
    func real() throws {
        let catalogue = try catalogue()
        var random = SeededGenerator(seed: 23)
        for seed in 0..<30 {
            let kind: TrainingKind = seed % 2 == 0 ? .weights : .intervals
            let limits = PlanLimits(isOlder: seed % 3 == 0, isCareful: seed % 5 == 0)
            let plan = try TrainingPlan(
                try request(kind, minutes: 10 + seed % 81, seed: UInt32(seed), limits: limits), catalogue)
            // As it is meant.
            var progress = PlanProgress(plan, at: at(0))
            var second = 0.0
            while progress.phase != .over {
                if progress.ends == nil {
                    second += Double(progress.exercise.workSeconds)
                    try progress.take(.next, at: at(second))
                } else {
                    second += 1
                    progress.pass(to: at(second))
                }
            }
            #expect(second == Double(plan.seconds), "\(plan.token)")
            let due = plan.exercises.filter { $0.part == .main }
            #expect(progress.work.exercises == due.count)
            #expect(progress.work.sets.values.reduce(0, +) == due.reduce(0) { $0 + $1.sets * $1.primary.count })
            // As anybody may do it: it never breaks, and can always be kept.
            progress = PlanProgress(plan, at: at(0))
            var time = at(0)
            for _ in 0..<100 {
                time += Int64.random(in: -1000...90_000, using: &random)
                try? progress.take(try #require(PlanEvent.allCases.randomElement(using: &random)), at: time)
                _ = try place(&progress)
                #expect(progress.json.bytes.count < 32 * 1024)
            }
        }
    }

    @Test(
        "what is no state is none",
        arguments: [
            "exercise", "set", "since", "latest", "done", "plan", "rest", "over",
        ])
    func malformed(_ name: String) throws {
        var progress = PlanProgress(try plan(), at: at(0))
        progress.pass(to: at(5))
        let json = progress.json
        guard case .object(let members) = json else { throw TestFailure("no object") }
        #expect(PlanProgress(kept: json) != nil)
        let wrong: [JSON?] = [nil, .null, "1", -1, 99, .integer(.max), .array([]), .array([[1, 1]]), .object([])]
        for value in wrong {
            // Flags may be absent.
            if value == nil, ["rest", "over"].contains(name) { continue }
            // A time may be long ago.
            if value == 99, name == "since" { continue }
            let others = members.filter { $0.name != name }
            #expect(PlanProgress(kept: .object(others + (value.map { [JSON.Member(name, $0)] } ?? []))) == nil)
        }
        for nonsense in [JSON.null, [], "x", .object([])] { #expect(PlanProgress(kept: nonsense) == nil) }
    }

    @Test("a kept plan with anything out of range is none")
    func malformedPlan() throws {
        let progress = PlanProgress(try plan(), at: at(0))
        func kept(_ change: (inout String) -> Void) throws -> PlanProgress? {
            var text = String(decoding: progress.json.bytes, as: UTF8.self)
            let before = text
            change(&text)
            #expect(text != before)
            return PlanProgress(kept: try JSON(payload: Array(text.utf8)))
        }
        for (old, new) in [
            ("\"sets\":2", "\"sets\":0"), ("\"sets\":2", "\"sets\":7"), ("\"rest_s\":60", "\"rest_s\":-1"),
            ("\"repetitions\":10", "\"repetitions\":0"), ("\"repetitions\":10,", ""), ("\"work_s\":30", "\"work_s\":0"),
            ("\"zone\":4", "\"zone\":6"), ("\"primary\":[\"chest\"]", "\"primary\":[]"),
            ("\"chest\"", "\"belly\""), ("\"exercise\":\"Plank\"", "\"exercise\":\"a b\""),
            ("\"kind\":\"weights\"", "\"kind\":\"rest\""), ("\"plan\":\"1-", "\"plan\":\"9-"),
            ("\"part\":\"main\"", "\"part\":\"end\""), ("[0,0]", "[2,0]"), ("[0,0]", "[0,-1]"), ("[0,0]", "[0]"),
        ] {
            #expect(try kept { $0 = $0.replacing(old, with: new, maxReplacements: 1) } == nil, "\(new)")
        }
    }
}
