import Fitness
import Testing

@testable import Workouts

/// Activities, plans and goals.
@Suite(.timeLimit(.minutes(60))) struct PlanTests {
    @Test("what follows from an activity")
    func activities() throws {
        let rowing = try #require(Activity(named: "Rowing"))
        #expect(Activity(named: "running") == .running && Activity(named: "cycling") == .cycling)
        #expect(rowing.name == "Rowing" && rowing.gait == nil && rowing.equivalents == nil)
        #expect(Activity.known.map(\.fastestMetresPerSecond) == [12, 12, 30] && rowing.fastestMetresPerSecond == 30)
        #expect(Activity.known.map(\.countsSteps) == [true, true, false] && !rowing.countsSteps)
        #expect(Activity.known.map(\.equivalents) == [.running, .walking, .cycling])
        let own = try #require(WorkoutPlan("Rowing", rowing))
        #expect(WorkoutPlan.predefined.allSatisfy(\.isPredefined) && !own.isPredefined)
        // What is known is not looked for in the name, and must be what would be found there.
        for activity in Activity.known { #expect(activity.kind == WorkoutKind(named: activity.name)) }
    }

    @Test(
        "a name has 64 bytes at most, and no control characters",
        arguments: [
            ("Rowing", true), ("", false), ("  ", false), ("a\nb", false), ("a\u{7F}b", false), ("a\u{2028}b", false),
            (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
            (String(repeating: "é", count: 33), false), ("running", false), ("Ski 🎿", true),
        ])
    func names(text: String, isName: Bool) {
        #expect((Activity.Name(text) != nil) == isName)
    }

    @Test("what nobody can see is no name for anything new, and stays one of what is kept")
    func unseen() throws {
        let text = "\u{200B}"
        #expect(!WorkoutNames.isName(text))
        let kept = try #require(Activity(named: text))
        #expect(kept.name == text && WorkoutPlan(text, kept) != nil)
    }

    @Test(
        "plans are found by their names in upper or lower case; everybody's cannot be taken, nor more than a hundred made"
    )
    func plans() throws {
        var plans = WorkoutPlans()
        // All that are meant are there: a name or a target that is wrong would leave one out.
        #expect(plans.all.count == 8 && plans.all.allSatisfy { $0.goal != nil && !$0.endsAtGoal })
        #expect(
            plans["5 KM run"]?.goal == WorkoutGoal(.distance, target: 5000) && plans["20 km ride"]?.activity == .cycling
        )
        let theirs = try #require(WorkoutPlan("5 Km Run", .walking))
        #expect(throws: WorkoutPlans.Problem.predefined) { try plans.save(theirs) }
        for number in 0..<WorkoutPlans.most { try plans.save(#require(WorkoutPlan("Plan \(number)", .running))) }
        let more = try #require(WorkoutPlan("One more", .running))
        #expect(throws: WorkoutPlans.Problem.tooMany) { try plans.save(more) }
        // One that is there can be changed even so.
        let goal = WorkoutGoal(.steps, target: 100)
        try plans.save(#require(WorkoutPlan("PLAN 7", .walking, goal: goal, endsAtGoal: true)))
        #expect(plans["plan 7"]?.endsAtGoal == true && plans.own.count == 100)
        #expect(plans.remove(named: "plan 7") && !plans.remove(named: "plan 7") && !plans.remove(named: "5 km run"))
        #expect(plans["plan 7"] == nil && plans.own.count == 99)
        #expect(WorkoutPlan(" ", .running) == nil && WorkoutPlan(String(repeating: "é", count: 33), .running) == nil)
        #expect(WorkoutPlan("No goal", .running, endsAtGoal: true)?.endsAtGoal == false)
    }

    @Test("a target is finite, within its kind's range, and whole steps")
    func targets() {
        for kind in WorkoutGoal.Kind.allCases {
            #expect(WorkoutGoal(kind, target: kind.targets.lowerBound) != nil)
            #expect(WorkoutGoal(kind, target: kind.targets.upperBound) != nil)
            let wrong = [0, -1, .nan, .infinity, -.infinity, kind.targets.upperBound.nextUp]
            #expect(wrong.allSatisfy { WorkoutGoal(kind, target: $0) == nil })
        }
        #expect(WorkoutGoal(.steps, target: 1.5) == nil && WorkoutGoal(.distance, target: 1.5) != nil)
        let goal = WorkoutGoal(.distance, target: 5000)
        #expect(goal?.percent(1250) == 25 && goal?.percent(10_000) == 200)
        #expect(goal?.percent(nil) == nil && goal?.percent(.nan) == nil && goal?.percent(-1) == 0)
    }

    private func problem(_ change: () throws -> WorkoutGoals.Change) -> String? {
        do {
            _ = try change()
            return nil
        } catch {
            return (error as? WorkoutGoals.Problem)?.message
        }
    }

    @Test("a goal is saved, chosen, enabled and disabled in the words that people get")
    func words() throws {
        var goals = WorkoutGoals()
        #expect(goals.ending == nil && !goals.isEnabled)
        #expect(problem { try goals.enable(true, duringWorkout: false) } == "Select Goal Type")
        #expect(problem { try goals.save(nil, target: nil, duringWorkout: false) } == "Empty Fields")
        #expect(problem { try goals.save(.distance, target: nil, duringWorkout: false) } == "Empty Fields")
        #expect(problem { try goals.save(nil, target: 1, duringWorkout: false) } == "Select Goal Type")
        #expect(problem { try goals.save(.distance, target: 0, duringWorkout: false) } == "Enter Proper Distance")
        #expect(problem { try goals.save(.duration, target: -1, duringWorkout: false) } == "Enter Proper Duration")
        #expect(problem { try goals.save(.energy, target: .nan, duringWorkout: false) } == "Enter Proper Calories")
        #expect(problem { try goals.save(.steps, target: 0.5, duringWorkout: false) } == "Enter Proper Steps")
        #expect(problem { try goals.choose(.steps, duringWorkout: false) } == "Empty Fields")
        #expect(goals == WorkoutGoals())
        #expect(try goals.save(.steps, target: 100, duringWorkout: false).rawValue == "Goal Saved Successfully")
        #expect(goals.chosen?.kind == .steps && goals.ending == nil)
        #expect(try goals.save(.distance, target: 5000, duringWorkout: false) == .saved)
        #expect(goals.chosen?.kind == .distance)
        #expect(try goals.choose(.steps, duringWorkout: false).rawValue == "Goal Selected")
        #expect(problem { try goals.choose(nil, duringWorkout: false) } == "Select Goal Type")
        #expect(try goals.enable(true, duringWorkout: false).rawValue == "Workout goal enabled")
        #expect(goals.ending?.target == 100)
        #expect(try goals.enable(false, duringWorkout: false).rawValue == "Workout goal disabled")
        #expect(goals.ending == nil && goals.chosen?.target == 100)
    }

    @Test("a goal does not change during a workout")
    func duringWorkout() throws {
        var goals = WorkoutGoals()
        _ = try goals.save(.steps, target: 100, duringWorkout: false)
        let before = goals
        let changes: [(inout WorkoutGoals) throws -> WorkoutGoals.Change] = [
            { try $0.save(.steps, target: 5, duringWorkout: true) }, { try $0.choose(.steps, duringWorkout: true) },
            { try $0.enable(true, duringWorkout: true) }, { try $0.enable(false, duringWorkout: true) },
        ]
        for change in changes {
            let message = problem { try change(&goals) }
            #expect(message?.contains("stop or cancel") == true)
            #expect(goals == before)
        }
    }

    @Test("goals that were kept are as they were, and nothing is enabled that is not chosen")
    func kept() throws {
        let steps = try #require(WorkoutGoal(.steps, target: 5))
        #expect(WorkoutGoals([steps], chosen: .steps, isEnabled: true).ending == steps)
        #expect(WorkoutGoals([steps], chosen: .energy, isEnabled: true).ending == nil)
        #expect(WorkoutGoals([], chosen: nil, isEnabled: true) == WorkoutGoals())
    }
}
