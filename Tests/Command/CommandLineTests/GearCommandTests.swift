import Telemetry
import TestSupport
import Testing

@Suite("vitals workout gear and plans", .timeLimit(.minutes(60)))
struct GearCommandTests {
    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        return consumer
    }

    private static let shoes: JSON = [
        "id": "g1", "name": "Blue shoes", "kind": "shoes", "before_m": 120_000, "activities": ["running", "walking"],
        "retired": false, "distance_m": .number(1_204_321.5), "duration_s": 372_000, "workouts": 1012,
        "last_used": 1_760_000_000_000,
    ]

    @Test("gear is listed with what was done with it, and what is retired comes last")
    func list() throws {
        let consumer = try signedIn()
        let old: JSON = [
            "id": "g2", "name": "Old\u{1B}[31m", "kind": "bicycle", "activities": ["cycling"], "retired": true,
            "distance_m": 0, "duration_s": 0, "workouts": 0,
        ]
        consumer.answer("gear/list", ["gear": [old, Self.shoes]])
        #expect(
            try consumer.vitals("workout", "gear").output == """
                NAME           KIND     DISTANCE     TIME       WORKOUTS  LAST USED   USED FOR
                Blue shoes     shoes    1,204.32 km  103:20:00  1,012     2025-10-09  running, walking
                Old\\u{1b}[31m  bicycle  0 m          0:00       0         -           retired

                """)
        #expect(try consumer.vitals("workout", "gear", "list", "--json").output.split(separator: "\n").count == 2)
        consumer.answer("gear/list", ["gear": []])
        #expect(try consumer.vitals("workout", "gear").errors.contains("no gear yet: vitals --port"))
    }

    @Test(
        "gear is added, changed, retired and deleted with what the command line names",
        arguments: [
            (
                ["add", "Blue shoes", "--kind", "shoes", "--before", "120 km", "--for", "running", "--for", "walking"],
                "add",
                [
                    "activities": ["running", "walking"], "before_m": 120_000, "kind": "shoes", "name": "Blue shoes",
                ], "added: Blue shoes\n"
            ),
            (["add", "Hat", "--kind", "other"], "add", ["kind": "other", "name": "Hat"], "added: Blue shoes\n"),
            (
                ["change", "Blue shoes", "--name", "Red", "--for", "none", "--in-use"], "change",
                ["activities": [], "gear": "Blue shoes", "name": "Red", "retired": false], "changed: Blue shoes\n"
            ),
            (["retire", "g1"], "change", ["gear": "g1", "retired": true], "changed: Blue shoes\n"),
            (["delete", "g1", "--yes"], "delete", ["gear": "g1"], "deleted: Blue shoes\n"),
        ] as [([String], String, JSON, String)])
    func changes(words: [String], verb: String, fields: JSON, output: String) throws {
        let consumer = try signedIn()
        consumer.answer("gear/\(verb)", ["gear": Self.shoes])
        #expect(try consumer.vitals(["workout", "gear"] + words) == (0, output, ""))
        #expect(try consumer.last().fields == fields && consumer.last().name == "gear/\(verb)")
    }

    @Test("a plan is saved, listed and deleted")
    func plans() throws {
        let consumer = try signedIn()
        let plan: JSON = [
            "name": "Lunch", "activity": "running", "goal": ["duration_s": 1800, "enabled": true], "predefined": false,
        ]
        consumer.answer("plans/list", ["plans": [["name": "Row", "activity": "Rowing", "predefined": true], plan]])
        #expect(
            try consumer.vitals("workout", "plans").output == """
                PLAN   ACTIVITY  GOAL            WHOSE
                Row    Rowing    -               everybody's
                Lunch  running   30:00, ends it  yours

                """)
        consumer.answer("plans/save", ["plan": plan])
        let saved = try consumer.vitals(
            "workout", "plans", "save", "Lunch", "running", "--goal", "30 min", "--end-at-goal")
        #expect(saved == (0, "saved: Lunch\n", ""))
        #expect(
            try consumer.last().fields == [
                "activity": "running", "goal": ["duration_s": 1800, "enabled": true], "name": "Lunch",
            ])
        consumer.answer("plans/delete", ["plan": plan])
        #expect(try consumer.vitals("workout", "plans", "delete", "Lunch") == (0, "deleted: Lunch\n", ""))
        #expect(try consumer.last().fields == ["name": "Lunch"])
    }

    @Test("a workout is started from a plan and with gear, and afterwards given another one")
    func workouts() throws {
        let consumer = try signedIn()
        guard case .object(let members) = WorkoutTests.running else { throw TestFailure("no workout") }
        let workout = JSON.object(members + [JSON.Member("gear", ["id": "g1", "name": "Blue shoes"])])
        consumer.answer("workouts/start", ["workout": workout])
        let started = try consumer.vitals(
            "workout", "start", "--plan", "5 km run", "--gear", "Blue shoes", "--end-at-goal")
        #expect(started == (0, "started: running, goal 5.00 km, which ends it, with Blue shoes\n", ""))
        #expect(
            try consumer.last().fields == ["gear": "Blue shoes", "goal": ["enabled": true], "plan": "5 km run"])
        #expect(try consumer.vitals("workout", "start", "running", "--gear", "none").status == 0)
        #expect(try consumer.last().fields == ["activity": "running", "gear": .null])
        consumer.answer("workouts/current", ["workout": workout])
        #expect(try consumer.vitals("workout").output.contains("\nGear        Blue shoes\n"))

        consumer.answer("workouts/set", ["id": "w1", "gear": ["id": "g1", "name": "Blue shoes"]])
        #expect(try consumer.vitals("workout", "set", "w1", "--gear", "g1").output == "done with Blue shoes\n")
        #expect(try consumer.last().fields == ["gear": "g1", "workout": "w1"])
        consumer.answer("workouts/set", ["id": "w1", "gear": .null])
        #expect(try consumer.vitals("workout", "set", "current", "--gear", "none").output == "done without gear\n")
        #expect(try consumer.last().fields == ["gear": .null])
    }

    @Test(
        "a refusal says what to do on the command line",
        arguments: [
            (
                ["gear", "add", "\u{7}", "--kind", "shoes"], "gear/add",
                ReplyError(.invalid, "\"name\" has to be a name on one line", field: "name"), 64,
                "vitals: NAME: has to be a name on one line\nsee vitals workout gear add --help\n"
            ),
            (
                ["gear", "change", "g", "--name", "b"], "gear/change",
                ReplyError(.invalid, "you have gear of that name already", field: "name"), 64,
                "vitals: --name: you have gear of that name already\n"
            ),
            (
                ["gear", "retire", "g"], "gear/change", ReplyError(.notFound, "there is no such gear", field: "gear"),
                67,
                "vitals: there is no such gear\nvitals PORT workout gear list shows what there is\n"
            ),
            (
                ["plans", "save", "a", "running", "--goal", "0 m"], "plans/save",
                ReplyError(.invalid, "Enter Proper Distance", field: "distance_m"), 64,
                "vitals: --goal: Enter Proper Distance\n"
            ),
            (
                ["plans", "delete", "1 h ride"], "plans/delete",
                ReplyError(.notAllowed, "everybody has this plan", field: "name"), 77,
                "vitals: everybody has this plan\nvitals PORT workout plans list shows what there is\n"
            ),
            (
                ["start", "--plan", "x"], "workouts/start",
                ReplyError(.notFound, "there is no such plan", field: "plan"),
                67, "vitals: there is no such plan\nvitals PORT workout plans list shows what there is\n"
            ),
            (
                ["stop", "--at", "2020-01-01"], "workouts/stop",
                ReplyError(.invalid, "\"at\" has to be a time of the last 24 hours", field: "at"), 64,
                "vitals: --at: has to be a time of the last 24 hours\nsee vitals workout stop --help\n"
            ),
            (
                ["set", "current", "--gear", "x"], "workouts/set", ReplyError(.notFound, "no workout is under way"), 67,
                "vitals: no workout is under way\nvitals PORT workout set latest\n"
            ),
        ] as [([String], String, ReplyError, Int32, String)])
    func refusals(words: [String], request: String, error: ReplyError, status: Int32, text: String) throws {
        let consumer = try signedIn()
        consumer.refuse(request, error)
        let outcome = try consumer.vitals(["workout"] + words)
        #expect(outcome.status == status && outcome.output == "", "\(outcome)")
        let expected = text.replacing("PORT", with: "--port \(consumer.broker.port)")
        #expect(outcome.errors.hasPrefix(expected), "\(outcome.errors)")
    }

    @Test(
        "a command line that means nothing is refused before anything is asked",
        arguments: [
            (["gear", "add", "Shoes"], "--kind is missing"),
            (["gear", "add", "A", "--kind", "hat"], "--kind: expected"),
            (
                ["gear", "add", "A", "--kind", "other", "--before", "120"],
                "--before: expected a distance with its unit"
            ),
            (["gear", "add", "A", "--kind", "other", "--before", "-1 km"], "--before: expected a distance"),
            (["gear", "change", "A"], "nothing to change"), (["gear", "delete", "A"], "what is deleted"),
            (["start"], "ACTIVITY is missing"), (["set", "latest"], "--gear is missing"),
            (["start", "running", "--plan", "5 km run"], "--plan: cannot be combined with ACTIVITY"),
            (["plans", "save", "A", "running", "--end-at-goal"], "--end-at-goal: needs --goal"),
        ])
    func usage(words: [String], problem: String) throws {
        let consumer = try signedIn()
        let outcome = try consumer.vitals(["workout"] + words)
        #expect(outcome.status == 64 && outcome.errors.hasPrefix("vitals: \(problem)"), "\(outcome)")
        #expect(try consumer.last().name == "sign-in")
    }
}
