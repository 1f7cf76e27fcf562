import Telemetry
import TestSupport
import Testing

@Suite("vitals workout edit, split, join, undo and add", .timeLimit(.minutes(60)))
struct CorrectionCommandTests {
    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        return consumer
    }

    private static let run: JSON = [
        "id": "w1", "activity": "running", "started": 1_760_000_000_000, "duration_s": 750, "distance_m": 2310,
        "name": "Lake",
    ]

    @Test(
        "ask for what the command line names",
        arguments: [
            (
                ["edit", "w1", "--title", "Lake", "--note", "Muddy", "--activity", "cycling"], "edit",
                ["activity": "cycling", "id": "w1", "note": "Muddy", "title": "Lake"]
            ),
            (["edit", "w1", "--title", ""], "edit", ["id": "w1", "title": ""]),
            (
                ["edit", "w1", "--from", "2025-10-09T08:54:00Z", "--to", "2025-10-09T09:00:00Z"], "edit",
                ["from": 1_760_000_040_000, "id": "w1", "to": 1_760_000_400_000]
            ),
            // A time without a day is of the workout, or of the night after it.
            (["split", "w1", "--at", "08:58"], "split", ["at": 1_760_000_280_000, "id": "w1"]),
            (["split", "w1", "--at", "00:10"], "split", ["at": 1_760_055_000_000, "id": "w1"]),
            (["join", "w1", "w2", "--activity", "walking"], "join", ["activity": "walking", "ids": ["w1", "w2"]]),
            (["undo", "w1"], "undo", ["id": "w1"]), (["undo", "w1", "--all"], "undo", ["all": true, "id": "w1"]),
            (
                [
                    "add", "running", "--at", "2025-10-09T08:53:20Z", "--duration", "45 min", "--distance", "8.5 km",
                    "--energy", "400 kcal", "--heart-rate", "150", "--title", "Lake", "--note", "x", "--gear", "none",
                ], "add",
                [
                    "activity": "running", "distance_m": 8500, "duration_s": 2700, "energy_kcal": 400, "gear": .null,
                    "heart_rate": 150, "note": "x", "started": 1_760_000_000_000, "title": "Lake",
                ]
            ),
        ] as [([String], String, JSON)])
    func asking(words: [String], verb: String, fields: JSON) throws {
        let consumer = try signedIn()
        consumer.answer("workouts/show", Self.run)
        consumer.answer("workouts/\(verb)", ["workouts": [Self.run]])
        let outcome = try consumer.vitals(["workout"] + words)
        #expect(
            outcome.output == """
                ID  STARTED              WORKOUT  IS NOW
                w1  2025-10-09 08:53:20  Lake     12:30  2.31 km

                """)
        #expect(outcome.status == 0 && outcome.errors.contains("workout undo w1") == !["undo", "add"].contains(verb))
        #expect(try consumer.last().name == "workouts/\(verb)" && consumer.last().fields == fields)
        #expect(try consumer.vitals(["workout"] + words + ["--json"]).output == Self.run.lineForPrograms)
    }

    @Test(
        "refuse what they cannot ask for",
        arguments: [
            (["edit", "w1"], "nothing to change"), (["edit", "w1", "--from", "noon"], "--from: expected a time"),
            (["split", "w1"], "--at"), (["join", "w1"], "ID: needs at least two"),
            (["add", "running", "--at", "now"], "--duration"), (["add", "running", "--duration", "1 h"], "--at"),
            (
                ["add", "running", "--at", "now", "--duration", "8 km"],
                "--duration: expected a number with its unit such as '45 min'"
            ),
        ] as [([String], String)])
    func refusing(words: [String], problem: String) throws {
        let consumer = try signedIn()
        let outcome = try consumer.vitals(["workout"] + words)
        #expect(outcome.status == 64 && outcome.errors.contains(problem), "\(outcome)")
    }

    @Test(
        "say what the service refuses, in the words of the command line",
        arguments: [
            (
                ["add", "running", "--at", "-1h", "--duration", "1 min", "--distance", "99 km"], "add",
                ReplyError.Code.invalid, "distance_m", "nobody comes so far in that time",
                "vitals: --distance: nobody comes so far"
            ),
            (
                ["edit", "w1", "--to", "-1h"], "edit", .invalid, "to", "\"to\" has to be a time within the workout",
                "vitals: --to: has to be a time within"
            ),
            (
                ["edit", "w1", "--title", "x"], "edit", .notAllowed, "id",
                "the workout is under way: stop it before you correct it", "workout stop, or vitals"
            ),
            (["undo", "w1"], "undo", .notFound, "id", "there is no such workout", "workout list shows the ids"),
        ] as [([String], String, ReplyError.Code, String, String, String)])
    func refused(words: [String], verb: String, code: ReplyError.Code, field: String, message: String, shown: String)
        throws
    {
        let consumer = try signedIn()
        consumer.refuse("workouts/\(verb)", ReplyError(code, message, field: field))
        let outcome = try consumer.vitals(["workout"] + words)
        #expect(outcome.status != 0 && outcome.errors.contains(shown), "\(outcome)")
    }

    @Test("the title is in lists, and a page shows it with the note and what can be undone")
    func shown() throws {
        let consumer = try signedIn()
        consumer.answer("workouts/list", ["workouts": [Self.run, ["id": "w3", "activity": "walking"]]])
        let list = try consumer.vitals("workout", "list").output
        #expect(
            list.contains("ENERGY  TITLE  ID\n") && list.contains(" Lake   w1\n") && list.contains(" -      w3\n"),
            "\(list)")
        consumer.answer("workouts/show", Self.run.with(["note": "Muddy.\nCold.", "corrections": 2, "by_hand": true]))
        let page = try consumer.vitals("workout", "show", "w1").output
        for words in ["Lake", "Muddy. / Cold.", "2 times", "by hand"] { #expect(page.contains(words), "\(page)") }
    }
}

extension JSON {
    fileprivate var lineForPrograms: String { String(decoding: (sorted).bytes, as: UTF8.self) + "\n" }

    private var sorted: JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.sorted { $0.name < $1.name })
    }

    fileprivate func with(_ other: JSON) -> JSON {
        guard case .object(let members) = self, case .object(let more) = other else { return self }
        return .object(members + more)
    }
}
