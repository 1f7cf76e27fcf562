import Foundation
import Telemetry
import TestSupport
import Testing

@Suite("vitals workout", .timeLimit(.minutes(60)))
struct WorkoutTests {
    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        return consumer
    }

    /// What a workout has come to at 2.3 km.
    static let running: JSON = [
        "id": "w1", "activity": "running", "state": "running", "started": 1_760_000_000_000,
        "duration_s": .number(750.4),
        "distance_m": .number(2312.5), "steps": 2048, "energy_kcal": .number(160.2),
        "heart_rate": ["now": 151, "zone": 4, "mean": .number(148.6), "min": 91, "max": 171],
        "speed_mps": [
            "now": .number(3.2), "mean": .number(3.08), "max": .number(4.6), "pace": "5:24", "pace_now": "5:12",
        ],
        "percent": .number(46.25), "goal": ["kind": "distance", "distance_m": 5000, "enabled": true],
    ]

    private static let problem = ReplyError(.notFound, "no workout is under way: start one before you pause it")

    // MARK: The workout that is under way

    @Test(
        "a workout is started with a goal in any unit",
        arguments: [
            ("5000 m", "distance_m", JSON.integer(5000)), ("5km", "distance_m", 5000),
            ("3 mi", "distance_m", .number(4828.032)), ("30 min", "duration_s", 1800), ("1.5 h", "duration_s", 5400),
            ("2 hours", "duration_s", 7200), ("90 s", "duration_s", 90), ("8000 steps", "steps", 8000),
            ("400 kcal", "energy_kcal", 400), ("-3 m", "distance_m", -3), (" ", "distance_m", ""),
        ])
    func goals(text: String, field: String, value: JSON) throws {
        let consumer = try signedIn()
        consumer.answer("workouts/start", ["workout": Self.running])
        #expect(try consumer.vitals("workout", "start", "running", "--goal", text, "--end-at-goal").status == 0)
        let members = [JSON.Member(field, value), JSON.Member("enabled", true)].sorted { $0.name < $1.name }
        let goal = JSON.object(members)
        #expect(try consumer.last().fields == ["activity": "running", "goal": goal])
        #expect(try consumer.last().name == "workouts/start")
    }

    @Test("what the consumer says of a workout is printed as it says it, and otherwise what was done")
    func underWay() throws {
        let consumer = try signedIn()
        consumer.answer(
            "workouts/start", ["workout": Self.running, "location": "Location Services Disabled: allow it"])
        #expect(
            try consumer.vitals("workout", "start", "running") == (
                0, "started: running, goal 5.00 km, which ends it\n", "vitals: Location Services Disabled: allow it\n"
            ))
        #expect(try consumer.last().fields == ["activity": "running"])
        consumer.answer("workouts/pause", ["workout": Self.running])
        #expect(
            try consumer.vitals("workout", "pause") == (0, "paused: 12:30  2.31 km  5:24 /km  149 bpm\n", ""))
        consumer.answer("workouts/resume", ["workout": Self.running, "message": "Workout resumed"])
        #expect(try consumer.vitals("workout", "resume").output == "Workout resumed\n")
        consumer.answer("workouts/stop", ["state": "stopped", "id": "w1"])
        let stopped = try consumer.vitals("workout", "stop")
        #expect(stopped.output == "stopped\n" && stopped.errors.hasSuffix(" workout show w1\n"), "\(stopped)")
        #expect(stopped.errors.contains("--port \(consumer.broker.port)"), "\(stopped)")
        #expect(try consumer.vitals("workout", "stop", "--json").output == "{\"id\":\"w1\",\"state\":\"stopped\"}\n")
        consumer.answer("workouts/current", ["workout": .null])
        #expect(try consumer.vitals("workout").errors.contains("no workout is under way"))
        consumer.answer("workouts/current", ["workout": Self.running])
        let outcome = try consumer.vitals("workout", environment: DaysTests.utf8)
        #expect(outcome.output == WorkoutDrawings.dashboard)
    }

    @Test("what cannot be brought back is asked about, and without a terminal needs --yes")
    func asking() throws {
        let consumer = try signedIn()
        consumer.answer("workouts/current", ["workout": Self.running])
        consumer.answer("workouts/cancel", ["state": "cancelled"])
        consumer.answer("workouts/list", ["workouts": [["id": "w7"]]])
        consumer.answer("workouts/delete", ["message": "Workout details deleted", "deleted": 1])
        for words in [["workout", "cancel"], ["workout", "delete", "w1"]] {
            let outcome = try consumer.vitals(words)
            #expect(outcome.status == 64 && outcome.errors.contains("add --yes"), "\(outcome)")
            #expect(try consumer.last().name == "sign-in")
        }
        let question = "running, 12:30  2.31 km  5:24 /km  149 bpm: keep nothing of it? [y/N]"
        #expect(try consumer.terminal("workout cancel", [(question, "n")]).status == 1)
        #expect(try consumer.last().name == "workouts/current")
        #expect(try consumer.terminal("workout cancel", [(question, "y")]).text.contains("cancelled"))
        #expect(try consumer.last().name == "workouts/cancel")
        let no = try consumer.terminal("workout delete latest", [("Delete workout w7 and the heart rates", "n")])
        #expect(no.status == 1 && no.text.contains("nothing was changed"), "\(no)")
        #expect(try consumer.last().name == "workouts/list")
        let outcome = try consumer.vitals("workout", "delete", "w1", "--yes")
        #expect(outcome == (0, "Workout details deleted\n", "vitals: 1 heart rate went with it\n"))
        #expect(try consumer.last().fields == ["id": "w1"])
    }

    @Test("other recordings, the pool and the part of a triathlon are on the page of a workout, and one can be chosen")
    func recordings() throws {
        let consumer = try signedIn()
        consumer.answer(
            "workouts/show",
            [
                "id": "w1", "activity": "swimming", "name": "Triathlon", "duration_s": 1280, "distance_m": 800,
                "counts": false,
                "speed_mps": ["mean": .number(0.625), "pace": "26:40", "pace_100m": "2:40"],
                "session": ["number": 1, "of": 3],
                "pool": ["length_m": 25, "lengths": 32, "rests": 3, "rest_s": 90],
                "recordings": [
                    ["id": "w2", "activity": "swimming", "started": 1, "counts": true],
                    ["id": "w3", "activity": "swimming", "started": 1, "counts": false, "source": "garmin 3113"],
                ],
            ])
        let page = try consumer.vitals("workout", "show", "w1").output
        #expect(page.hasPrefix("Triathlon, swimming"))
        for line in [
            "2:40 /100 m\n", "25 m, 32 lengths, 3 rests, together 1:30\n", "1 of 3\n",
            "recorded here (w2), which counts instead: vitals workout prefer w1; garmin 3113 (w3)\n",
        ] { #expect(page.contains(line), "\(page)") }
        consumer.answer(
            "workouts/prefer",
            ["id": "w1", "recordings": [["id": "w2", "activity": "swimming", "started": 1, "counts": false]]])
        #expect(
            try consumer.vitals("workout", "prefer", "w1").output == "w1 counts, and no longer: recorded here (w2)\n")
        #expect(try consumer.last().fields == ["id": "w1"])
    }

    @Test("a workout that the command line names is asked about in MQTT 3.1.1, too")
    func named() throws {
        let consumer = try signedIn()
        consumer.answer("workouts/delete", ["message": "Workout details deleted"])
        let outcome = try consumer.vitals("--protocol", "mqtt3.1.1", "workout", "delete", "w1", "--yes")
        #expect(outcome == (0, "Workout details deleted\n", ""))
        #expect(try consumer.last().fields == ["id": "w1"])
    }

    // MARK: Refusals

    @Test(
        "a refusal says what to do on the command line",
        arguments: [
            (
                ["start", "\u{7}"], "start", ReplyError(.invalid, "\"activity\" is …", field: "activity"), 64,
                "vitals: ACTIVITY: expected running, walking, cycling, or a name of your own"
            ),
            (
                ["list", "--activity", "\u{7}"], "list", ReplyError(.invalid, "?", field: "activity"), 64,
                "vitals: --activity: expected running"
            ),
            (
                ["start", "running"], "start", ReplyError(.busy, "a workout is under way", field: "activity"), 75,
                "vitals: a workout is under way\nvitals PORT workout stop, or vitals PORT workout cancel\n"
            ),
            (
                ["pause"], "pause", problem, 67,
                "vitals: no workout is under way: start one before you pause it\nvitals PORT workout start running\n"
            ),
            (
                ["show", "w1"], "show", ReplyError(.notFound, "there is no such workout", field: "id"), 67,
                "vitals: there is no such workout\nvitals PORT workout list shows the ids\n"
            ),
            (
                ["delete", "w1", "-y"], "delete", ReplyError(.notAllowed, "the workout is under way", field: "id"), 77,
                "vitals: the workout is under way\nvitals PORT workout stop, or vitals PORT workout cancel\n"
            ),
            (
                ["goal", "set", "0 m"], "goal", ReplyError(.invalid, "Enter Proper Distance", field: "distance_m"), 65,
                "vitals: Enter Proper Distance\na goal is such as '5000 m', '30 min'"
            ),
            (
                ["goal", "enable"], "goal", ReplyError(.invalid, "Select Goal Type", field: "kind"), 65,
                "vitals: Select Goal Type\nvitals PORT workout goal set '5000 m'\n"
            ),
        ] as [([String], String, ReplyError, Int32, String)])
    func refusals(words: [String], verb: String, error: ReplyError, status: Int32, text: String) throws {
        let consumer = try signedIn()
        consumer.refuse("workouts/\(verb)", error)
        let outcome = try consumer.vitals(["workout"] + words)
        #expect(outcome.status == status && outcome.output == "", "\(outcome)")
        let expected = text.replacing("PORT", with: "--port \(consumer.broker.port)")
        #expect(outcome.errors.hasPrefix(expected), "\(outcome.errors)")
    }

    @Test(
        "a command line that means nothing is refused before anything is asked",
        arguments: [
            (["start"], "ACTIVITY"),
            (["start", "running", "--goal", "5000"], "--goal: expected a number with its unit"),
            (["start", "running", "--goal", "far"], "--goal: expected a number with its unit such as '5000 m'"),
            (["start", "running", "--end-at-goal"], "--end-at-goal: needs --goal"),
            (["goal", "set", "5 parsecs"], "GOAL: expected a number with its unit"),
            (["goal", "choose", "fame"], "KIND: expected"),
            (["show", "W 1"], "ID: expected a workout's id, or latest"),
            (["show", "latest", "--points", "1"], "--points: expected an integer"),
            (["list", "--from", "soon"], "--from: expected a time"),
            (["list", "--from", "now", "--to", "-2h"], "--from: the range is empty or reversed"),
            (["list", "--limit", "0"], "--limit: expected an integer"), (["load", "--days", "0"], "--days: expected"),
        ])
    func usage(words: [String], problem: String) throws {
        let consumer = try signedIn()
        let outcome = try consumer.vitals(["workout"] + words)
        #expect(outcome.status == 64 && outcome.errors.hasPrefix("vitals: \(problem)"), "\(outcome)")
        #expect(try consumer.last().name == "sign-in")
    }

    // MARK: The goal

    @Test("the goal is shown, saved, chosen and enabled, in the consumer's words")
    func goal() throws {
        let consumer = try signedIn()
        let targets: JSON = ["distance_m": 5000, "duration_s": 5400, "steps": 8000, "energy_kcal": 400]
        consumer.answer(
            "workouts/goal",
            ["targets": targets, "chosen": "duration", "enabled": false, "percent": .number(99.97)])
        #expect(
            try consumer.vitals("workout", "goal").output == """
                Distance  5.00 km
                Duration  1:30:00, chosen, 99 % of it now
                Steps     8,000 steps
                Energy    400 kcal
                reaching it does not end a workout

                """)
        #expect(try consumer.last().fields == [:])
        consumer.answer(
            "workouts/goal",
            ["message": "Goal Saved Successfully", "targets": ["steps": 1], "chosen": "steps", "enabled": true])
        #expect(
            try consumer.vitals("workout", "goal", "set", "8000 steps").output
                == "Goal Saved Successfully\nSteps  1 steps, chosen\nreaching it ends a workout\n")
        #expect(try consumer.last().fields == ["steps": 8000])
        for (words, fields) in [
            (["choose", "energy"], ["kind": "energy"]), (["enable"], ["enabled": true]),
            (["disable"], ["enabled": false]), (["set", ""], ["distance_m": ""]),
        ] as [([String], JSON)] {
            #expect(try consumer.vitals(["workout", "goal"] + words).status == 0)
            #expect(try consumer.last().fields == fields)
        }
        consumer.answer("workouts/goal", ["targets": [:], "enabled": false])
        #expect(try consumer.vitals("workout", "goal", "show").output.hasPrefix("no goal: vitals --port"))
    }

    // MARK: Those that are over

    @Test("workouts are listed, the latest first, as many as wanted, and as objects for programs")
    func list() throws {
        let consumer = try signedIn()
        let ride: JSON = [
            "id": "w2", "activity": "cycling", "started": 1_759_900_000_000, "duration_s": 7200, "distance_m": 41_320,
            "speed_mps": ["mean": .number(5.739), "pace": "2:54"],
        ]
        consumer.answer(
            "workouts/list", ["workouts": [Self.running, ride, ["id": "w3", "activity": "a\u{1B}[31m"]]])
        let outcome = try consumer.vitals("workout", "list")
        #expect(
            outcome.output == """
                STARTED              ACTIVITY     TIME     DISTANCE  PACE       HEART RATE  ENERGY    ID
                2025-10-09 08:53:20  running      12:30    2.31 km   5:24 /km   149 bpm     160 kcal  w1
                2025-10-08 05:06:40  cycling      2:00:00  41.32 km  20.7 km/h  -           -         w2
                -                    a\\u{1b}[31m  -        -         -          -           -         w3

                """)
        let shown: JSON = [
            "activity", "duration_s", "distance_m", "speed_mps.mean", "speed_mps.pace", "heart_rate.mean",
            "energy_kcal", "name", "counts",
        ]
        #expect(try consumer.last().fields == ["fields": shown, "limit": 50])
        let json = try consumer.vitals(
            "workout", "list", "--json", "--from", "2025-10-09", "--to", "2025-10-09", "--activity", "running")
        #expect(json.output.split(separator: "\n").count == 3 && json.output.hasPrefix("{\"activity\":\"running\""))
        #expect(
            try consumer.last().fields == [
                "activity": "running", "from": 1_759_968_000_000, "limit": 50, "to": 1_760_054_400_000,
            ])
        // As many requests as it takes.
        consumer.answer("workouts/list") { fields in
            guard case .integer(let limit)? = fields["limit"] else { return Reply(.ok([:])) }
            let part = (0..<limit).map { _ in JSON.object([JSON.Member("id", "w")]) }
            return Reply(.ok(["workouts": .array(part), "next_to": 1_760_000_000_001]))
        }
        let many = try consumer.vitals("workout", "list", "--limit", "1050", "--to", "now")
        #expect(many.output.split(separator: "\n").count == 1051 && many.errors == "vitals: there are more: --limit\n")
        #expect(try consumer.last().fields == ["fields": shown, "limit": 50, "to": 1_760_000_000_001])
        consumer.answer("workouts/list", ["workouts": []])
        #expect(try consumer.vitals("workout", "list").errors.contains("no workouts"))
        let none = try consumer.vitals("workout", "show", "latest")
        #expect(none.status == 67 && none.errors.hasPrefix("vitals: you have no workouts yet\n"), "\(none)")
    }

    @Test("a forecast says what it follows from, or what is missing for it")
    func forecast() throws {
        let consumer = try signedIn()
        consumer.answer(
            "workouts/forecast",
            [
                "race_times": [
                    [
                        "distance_m": 10_000, "seconds": .number(3127.4), "id": "run1",
                        "from": ["distance_m": 5000, "seconds": 1500],
                    ]
                ],
                "oxygen_uptake": ["ml_per_kg_min": 52, "tolerance_percent": 10, "runs": 5],
            ])
        let shown = try consumer.vitals("workout", "forecast")
        #expect(
            shown.output == """
                RACE   ABOUT  BY             ID
                10 km  52:07  5 km in 25:00  run1
                Oxygen uptake: about 52 ml/kg/min ± 10 %, by 5 runs

                """, "\(shown)")
        #expect(try consumer.vitals("workout", "forecast", "--json").output.contains(#""ml_per_kg_min":52"#))
        consumer.answer("workouts/forecast", ["race_times": []])
        let nothing = try consumer.vitals("workout", "forecast")
        #expect(nothing.output == "" && nothing.errors.contains("no race times") && nothing.errors.contains("no oxygen uptake"), "\(nothing)")
    }

    @Test("statistics and records name what they are about")
    func sums() throws {
        let consumer = try signedIn()
        func numbers(_ mean: Double, _ most: Double, _ total: Double?) -> JSON {
            .object(present: ["mean": .number(mean), "max": .number(most), "total": total.map(JSON.number), "count": 2])
        }
        consumer.answer(
            "workouts/statistics",
            [
                "workouts": 2, "duration_s": numbers(3000, 3600, 6000), "distance_m": numbers(8970.4, 10_000, 17_940.8),
                "speed_mps": numbers(2.99, 3.1, nil), "heart_rate_bpm": numbers(148, 151, nil),
                "load": numbers(110, 118, 220),
            ])
        #expect(
            try consumer.vitals("workout", "stats", "--activity", "running").output == """
                2 workouts
                            MEAN       MOST       TOTAL
                Time        50:00      1:00:00    1:40:00
                Distance    8.97 km    10.00 km   17.94 km
                Speed       10.8 km/h  11.2 km/h  -
                Heart rate  148 bpm    151 bpm    -
                Load        110        118        220

                """)
        #expect(try consumer.last().fields == ["activity": "running"])
        func record(_ member: String, _ value: Double) -> JSON {
            .object([
                JSON.Member("activity", "running"), JSON.Member(member, .number(value)), JSON.Member("id", "w1"),
                JSON.Member("started", 1_760_000_000_000),
            ])
        }
        consumer.answer(
            "workouts/records",
            [
                "records": [
                    record("longest_s", 3600.4), record("farthest_m", 12_000), record("most_ascent_m", 140.6),
                    record("fastest_1000_m_s", 281.2), record("fastest_1609_m_s", 470),
                    record("fastest_21097_m_s", 7000),
                    record("wisest", 1),
                ]
            ])
        #expect(
            try consumer.vitals("workout", "records").output == """
                ACTIVITY  RECORD                 VALUE     DAY         ID
                running   longest                1:00:00   2025-10-09  w1
                running   farthest               12.00 km  2025-10-09  w1
                running   most ascent            141 m     2025-10-09  w1
                running   fastest 1 km           4:41      2025-10-09  w1
                running   fastest 1 mi           7:50      2025-10-09  w1
                running   fastest half-marathon  1:56:40   2025-10-09  w1
                running   -                      -         2025-10-09  w1

                """)
        #expect(try consumer.vitals("workout", "records", "--json").output.split(separator: "\n").count == 7)
        consumer.answer("workouts/statistics", ["workouts": 0])
        #expect(try consumer.vitals("workout", "stats").errors.contains("no workouts"))
        consumer.answer("workouts/records", ["records": []])
        #expect(try consumer.vitals("workout", "records").errors.contains("no records yet"))
    }
}
