import Foundation
import Telemetry
import TestSupport
import Testing

@Suite("vitals, for people who read miles, feet and pounds", .timeLimit(.minutes(60)))
struct UnitsCommandTests {
    private static let day: JSON = [
        "day": "2026-11-21", "distance_m": .number(8046.72),
        "temperature_c": ["mean": .number(36.6), "min": 36, "max": 37, "last": 37],
        "goals": ["distance_m": ["target": 10_000, "value": .number(8046.72), "reached": false]],
    ]

    @Test("a day, a week, a month, a year and goals have miles and degrees Fahrenheit")
    func days() throws {
        let consumer = try ScriptedConsumer.imperial()
        consumer.answer("statistics/today", Self.day)
        let today = try consumer.printed("today")
        #expect(today.contains("Distance     5.00 mi") && today.contains("of 6.21 mi"), "\(today)")
        #expect(today.contains("Temperature  97.9 °F, 96.8 °F to 98.6 °F, last 98.6 °F"), "\(today)")
        let summary: JSON = ["distance_m": ["total": .number(16_093.44)], "temperature_c": ["mean": .number(36.6)]]
        consumer.answer("statistics/week", ["days": [Self.day], "summary": summary])
        let week = try consumer.printed("week", "--of", "distance")
        #expect(week.contains("goal 6.21 mi") && week.contains("total 10.00 mi"), "\(week)")
        #expect(try consumer.printed("week", "--of", "temperature").contains("97.9 °F (96.8 to 98.6)"))
        consumer.answer("statistics/month", ["days": [Self.day], "summary": summary])
        let month = try consumer.printed("month", "--of", "distance")
        #expect(month.contains("6.21 mi") && month.contains("total 10.00 mi"), "\(month)")
        consumer.answer(
            "statistics/year",
            [
                "year": 2026, "months": [["distance_m": ["mean": .number(1609.344), "total": .number(48_280.32)]]],
                "summary": summary,
            ])
        let year = try consumer.printed("year", "--of", "distance")
        #expect(year.contains("1.00 mi  30.00 mi"), "\(year)")
        consumer.answer("goals/get", Self.day)
        consumer.answer("goals/streaks", ["days": [:], "weeks": [:]])
        #expect(try consumer.printed("goals").contains("5.00 mi of 6.21 mi"))
        consumer.answer("goals/set", Self.day)
        #expect(try consumer.printed("goals", "set", "--distance", "8km").contains("5.00 mi of 6.21 mi"))
        #expect(try consumer.last().fields == ["distance_m": 8000])
    }

    @Test("programs get metric values, and nobody is asked for units on their behalf")
    func programs() throws {
        let consumer = try ScriptedConsumer.imperial()
        consumer.answer("statistics/today", Self.day)
        #expect(
            try JSON(payload: Array(consumer.printed("today", "--json").dropLast().utf8))
                == JSON(payload: Self.day.bytes))
        consumer.answer("workouts/show", ["id": "w1"])
        #expect(try consumer.printed("workout", "show", "w1", "--json") == "{\"id\":\"w1\"}\n")
        #expect(try consumer.last().fields == ["id": "w1"])
        #expect(consumer.profilesAsked == 0)
        _ = try consumer.printed("today")
        #expect(consumer.profilesAsked == 1)
    }

    @Test(
        "where the consumer says nothing of units, they are metric",
        arguments: [
            ["profile": .null], ["profile": ["units": "metric"]], ["profile": ["units": "furlongs"]],
            ["profile": ["units": 7]], [:], .null,
        ] as [JSON])
    func unknown(reply: JSON) throws {
        let consumer = try ScriptedConsumer.imperial()
        consumer.answer("profile/get", reply)
        consumer.answer("statistics/today", Self.day)
        #expect(try consumer.printed("today").contains("8.05 km"))
        consumer.refuse("profile/get", ReplyError(.notSupported, "nothing is known of that"))
        #expect(try consumer.printed("today").contains("8.05 km"))
    }

    @Test("a workout's page has splits by the mile, and graphs in miles and feet")
    func page() throws {
        let consumer = try ScriptedConsumer.imperial()
        let splits: [JSON] = (0..<13).map { index in
            [
                "distance_m": .number(index < 12 ? 1609.3 : 804.7), "seconds": 480, "ascent_m": .number(30.48),
                "pace": "4:58",
            ]
        }
        let points: [JSON] = (0..<40).map { index in
            [
                "distance_m": .number((Double(index) + 0.5) * 502.92), "pace_s": 300,
                "altitude_m": .number(100 + Double(index)),
            ]
        }
        consumer.answer(
            "workouts/show",
            [
                "id": "w1", "activity": "running", "duration_s": 6240, "moving_s": 6100, "positions_differ": true,
                "distance_m": .number(20_116.8),
                "ascent_m": .number(396.24), "speed_mps": ["mean": .number(3.2188), "max": 5, "pace": "5:11"],
                "goal": ["kind": "distance", "distance_m": 5000],
                "best": [
                    ["distance_m": 400, "seconds": 92], ["distance_m": .number(1609.344), "seconds": 470],
                    ["distance_m": 5000, "seconds": 1500],
                    ["distance_m": 10_000, "seconds": 3100], ["distance_m": .number(21_097.5), "seconds": 7000],
                    ["distance_m": 42_195, "seconds": 15_000],
                ],
                "splits": .array(splits), "over_distance": .array(points),
            ])
        let page = try consumer.printed("workout", "show", "w1")
        for text in [
            "Distance    12.50 mi\n", "Pace        8:20 /mi\n", "Speed       7.2 mph, most 11.2 mph\n",
            "Ascent      1,300 ft\n",
            "Best times  400 m in 1:32, 1 mi in 7:50, 5 km in 25:00, 10 km in 51:40, half-marathon in 1:56:40, marathon in 4:10:00\n",
            "Moving      1:41:40\n", "Positions   more than a fifth off from the device's distance\n", "3.11 mi\n",
            "MI     TIME  PACE   ASCENT  HEART RATE\n", "\n1      8:00  8:00   100 ft", "\n12     8:00  8:00   100 ft",
            "\n12.50  8:00  16:00  100 ft", "Pace over distance, min/mi\n",
            "8:00", "Altitude over distance, ft\n", "10 mi\n",
        ] {
            #expect(page.contains(text), "\(text) is missing in \(page)")
        }
        #expect(!page.contains("km/h") && !page.contains("/km") && !page.contains(" m\n"), "\(page)")
        #expect(try consumer.last().fields["units"] == "imperial")
    }

    @Test("a ride has its speed in miles an hour")
    func ride() throws {
        let consumer = try ScriptedConsumer.imperial()
        consumer.answer(
            "workouts/show",
            [
                "id": "w1", "activity": "cycling", "duration_s": 360, "distance_m": .number(3218.7),
                "splits": [["distance_m": .number(1609.3), "seconds": 180]],
                "over_distance": [["distance_m": 800, "pace_s": 120], ["distance_m": 2400, "pace_s": 110]],
            ])
        let page = try consumer.printed("workout", "show", "w1")
        #expect(page.contains("Speed over distance, mph\n") && page.contains("20.0 mph"), "\(page)")
    }

    private static let workout: JSON = [
        "id": "w1", "activity": "running", "state": "running", "started": 1_760_000_000_000, "duration_s": 750,
        "distance_m": 2310, "ascent_m": 100,
        "speed_mps": [
            "now": .number(3.2), "mean": .number(3.08), "max": .number(4.6), "pace": "5:24", "pace_now": "5:12",
        ],
        "goal": ["kind": "distance", "distance_m": 5000],
    ]

    @Test(
        "workouts that are under way, listed, compared and reported have the person's units, and so have gear and plans"
    )
    func workouts() throws {
        let consumer = try ScriptedConsumer.imperial()
        consumer.answer("workouts/current", ["workout": Self.workout])
        let current = try consumer.printed("workout")
        for text in [
            "1.44 mi", "8:23 /mi, mean 8:43 /mi", "7.2 mph, mean 6.9 mph", "328 ft", "of 3.11 mi",
        ] {
            #expect(current.contains(text), "\(text) is missing in \(current)")
        }
        consumer.answer("workouts/pause", ["workout": Self.workout])
        #expect(try consumer.printed("workout", "pause") == "paused: 12:30  1.44 mi  8:43 /mi\n")
        consumer.answer("workouts/start", ["workout": Self.workout])
        #expect(try consumer.printed("workout", "start", "running") == "started: running, goal 3.11 mi\n")
        consumer.answer("workouts/list", ["workouts": [Self.workout]])
        #expect(try consumer.printed("workout", "list").contains("1.44 mi   8:43 /mi"))
        consumer.answer(
            "workouts/statistics",
            [
                "workouts": 1, "distance_m": ["mean": 2310], "speed_mps": ["mean": .number(3.08)],
                "ascent_m": ["mean": 100],
            ])
        let statistics = try consumer.printed("workout", "stats")
        for text in ["1.44 mi", "6.9 mph", "328 ft"] { #expect(statistics.contains(text), "\(statistics)") }
        consumer.answer(
            "workouts/records",
            [
                "records": [
                    ["activity": "running", "farthest_m": 42_195], ["activity": "running", "most_ascent_m": 1000],
                    ["activity": "running", "fastest_5000_m_s": 1500],
                ]
            ])
        let records = try consumer.printed("workout", "records")
        for text in ["26.22 mi", "3,281 ft", "fastest 5 km"] { #expect(records.contains(text), "\(records)") }
        consumer.answer(
            "workouts/report",
            [
                "from": "2026-11-16", "to": "2026-11-22", "period": "week", "by": "day",
                "total": ["workouts": 1, "distance_m": 8047, "ascent_m": 100],
                "parts": [
                    ["from": "2026-11-16", "distance_m": 8047, "goals": ["distance_m": .number(16_093.44)]]
                ],
            ])
        let report = try consumer.printed("workout", "report")
        for text in ["5.00 mi", "328 ft up", "goal of a day 10.00 mi"] { #expect(report.contains(text), "\(report)") }
        consumer.answer("gear/list", ["gear": [["name": "Shoes", "distance_m": 160_934]]])
        #expect(try consumer.printed("workout", "gear").contains("100.00 mi"))
        consumer.answer("plans/list", ["plans": [["name": "Five", "goal": ["distance_m": 5000]]]])
        #expect(try consumer.printed("workout", "plans").contains("3.11 mi"))
        consumer.answer("workouts/goal", ["targets": ["distance_m": 5000], "chosen": "distance"])
        #expect(try consumer.printed("workout", "goal").contains("3.11 mi, chosen"))
    }

    @Test("the workout that vitals watch follows has the person's units")
    func watch() throws {
        let consumer = try ScriptedConsumer.imperial()
        let topic = "vitals/v1/users/ada/workout"
        let program = try RunningProgram(
            "vitals", ["--port", "\(consumer.broker.port)", "watch"],
            environment: ["HOME": consumer.home.path, "TZ": "UTC"], inheritsEnvironment: false, output: .apart)
        try consumer.broker.waitForLog("\t\(topic) (QoS 0)")
        consumer.tell(topic, Self.workout)
        #expect(program.line(after: 0) == "running  12:30  1.44 mi  8:43 /mi")
        consumer.tell(
            "vitals/v1/gateways/home/sensors/pod/running",
            [
                "time": 1_760_000_000_000, "speed_mps": .number(3.0), "cadence": 170, "running": true,
                "stride_m": .number(1.2), "distance_m": .number(1609.3),
            ])
        #expect(
            program.line(after: 1)?.hasSuffix("pod  running  6.7 mph  cadence 170  stride 3.9 ft  1.00 mi") == true,
            "\(program.text)")
        program.signal(SIGINT)
        #expect(program.exitStatus() == 0)
        #expect(consumer.profilesAsked == 1)
    }

    @Test("a temperature that is read is in degrees Fahrenheit, and steps are steps")
    func read() throws {
        let consumer = try ScriptedConsumer.imperial()
        consumer.answer("temperature/read", ["sensor": "home/ear", "celsius": .number(36.65)])
        #expect(try consumer.printed("read", "temperature", "--mine") == "98.0 °F (home/ear)\n")
        consumer.answer("steps/read", ["sensor": "home/pod", "steps": 12])
        #expect(try consumer.printed("read", "steps", "--mine") == "12 steps (home/pod)\n")
        #expect(consumer.profilesAsked == 1)
    }

    @Test("guardians read in feet how far off a place may be, and how wide an area is")
    func guardians() throws {
        let consumer = try ScriptedConsumer.imperial()
        let position: JSON = ["lat": .number(52.5), "lon": .number(13.4), "accuracy_m": 8]
        consumer.answer(
            "dependents/list", ["dependents": [["dependent": "otto-1", "name": "Otto", "position": position]]])
        #expect(try consumer.printed("dependents").contains("±26 ft"))
        consumer.answer(
            "areas/list",
            [
                "areas": [["name": "Garden", "dependent": "otto-1", "circle": ["radius_m": 200]]],
                "regions": [["region": "School", "dependent": "otto-1", "radius_m": 100]],
            ])
        let areas = try consumer.printed("areas")
        #expect(areas.contains("circle of 656 ft") && areas.contains("phone's, 328 ft"), "\(areas)")
    }
}
