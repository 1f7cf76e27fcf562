import HouseholdSupport
import Telemetry
import TestSupport
import Testing
import Workouts

@Suite("Plans of workouts, at a running service", .timeLimit(.minutes(60)))
struct PlanServiceTests {
    @Test("a workout is started from everybody's plan or an own one, which says what is done and what the goal is")
    func start() throws {
        try WorkoutHouse.with { house in
            func started(_ fields: JSON) throws -> JSON {
                let workout = try house.done("workouts/start", fields)["workout"] ?? .null
                try house.done("workouts/cancel")
                return workout
            }
            let plain = try started(["plan": "5 KM run"])
            #expect(plain["activity"] == "running")
            #expect(plain["goal"] == ["distance_m": 5000, "enabled": false, "kind": "distance"])
            #expect(try started(["plan": "5 km run", "goal": ["enabled": true]])["goal"]?["enabled"] == true)
            #expect(try started(["plan": "5 km run", "goal": ["steps": 9]])["goal"]?["steps"] == 9)
            #expect(try started(["plan": "5 km run", "activity": "running"])["activity"] == "running")
            #expect(try house.refused("workouts/start", ["plan": "5 km run", "activity": "walking"]).field == "plan")
            let unknown = try house.refused("workouts/start", ["plan": "A marathon"])
            #expect(unknown.code == .notFound && unknown.field == "plan")

            // Without a goal of its own, the chosen one counts.
            try house.done("workouts/goal", ["energy_kcal": 300])
            try house.done("plans/save", ["name": "Lunch", "activity": "Rowing"])
            #expect(try started(["plan": "lunch"])["goal"]?["energy_kcal"] == 300)
            let saved = try house.done(
                "plans/save", ["name": "LUNCH", "activity": "walking", "goal": ["duration_s": 60, "enabled": true]])
            #expect(saved["plan"]?["predefined"] == false)
            try house.restart()
            house.set(10)
            try house.done("workouts/start", ["plan": "Lunch"])
            house.set(71)
            #expect(try house.notified("workout-goal").text("text").contains("1 min"))
            #expect(try house.done("workouts/list").list("workouts")[0]["ended_by"] == "goal")
        }
    }

    @Test("own plans are listed after everybody's, and deleted; what cannot be says which field is wrong")
    func lists() throws {
        try WorkoutHouse.with { house in
            func names() throws -> [String] {
                try house.done("plans/list").list("plans").filter { $0["predefined"] == false }.map {
                    try $0.text("name")
                }
            }
            #expect(try house.done("plans/list").list("plans").count == WorkoutPlan.predefined.count)
            for (fields, field) in [
                (["activity": "running"], "name"), (["name": "A"], "activity"),
                (["name": "", "activity": "running"], "name"),
                (["name": "A", "activity": "\u{7}"], "activity"),
                (["name": "1 H RIDE", "activity": "cycling"], "name"),
                (["name": "A", "activity": "running", "goal": ["distance_m": 0]], "distance_m"),
                (["name": "A", "activity": "running", "goal": [:]], "kind"),
                (["name": .string(String(repeating: "a", count: 65)), "activity": "running"], "name"),
            ] as [(JSON, String)] {
                let error = try house.refused("plans/save", fields)
                #expect(error.field == field, "\(fields): \(error)")
            }
            #expect(try names().isEmpty)
            try house.done("plans/save", ["name": "B", "activity": "running"])
            try house.done("plans/save", ["name": "A", "activity": "running"])
            #expect(try names() == ["B", "A"])
            #expect(try house.refused("plans/delete", ["name": "1 h ride"]).code == .notAllowed)
            #expect(try house.refused("plans/delete", ["name": "C"]).code == .notFound)
            try house.done("plans/delete", ["name": "b"])
            #expect(try names() == ["A"])
        }
    }
}
