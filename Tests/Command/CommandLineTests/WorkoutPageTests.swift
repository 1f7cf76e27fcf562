import Foundation
import Telemetry
import TestSupport
import Testing

@Suite("vitals workout show and load", .timeLimit(.minutes(60)))
struct WorkoutPageTests {
    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        return consumer
    }

    private static func rounded(_ value: Double) -> JSON { .number((value * 10).rounded() / 10) }

    private static var overDistance: [JSON] {
        (0..<50).map { index in
            let metres: Double = (Double(index) + 0.5) * 200
            let pace: Double = index == 25 ? 2400 : 320 + 30 * sin(Double(index) / 5)
            let nearness: Double = (metres - 6000) / 1500
            let altitude: Double = 120 + 40 * exp(-nearness * nearness)
            return ["distance_m": .number(metres), "pace_s": rounded(pace), "altitude_m": rounded(altitude)]
        }
    }

    private static var heartRates: [JSON] {
        (0..<60).filter { !(28..<31).contains($0) }.map { index in
            let mean: Double = 150 - 60 * exp(-Double(index) / 6)
            let (least, most) = (JSON.integer(Int64(mean - 5)), JSON.integer(Int64(mean + 4)))
            return ["seconds": .number(Double(index) * 60 + 30), "mean": rounded(mean), "min": least, "max": most]
        }
    }

    private static var splits: [JSON] {
        (0..<10).map { index in
            let metres: Int64 = index < 9 ? 1000 : 450
            let ascent: JSON = index == 5 ? .number(38.4) : 0
            let (seconds, mean) = (rounded(320 + 3 * Double(index)), rounded(140 + Double(index)))
            return [
                "distance_m": .integer(metres), "seconds": seconds, "ascent_m": ascent, "heart_rate": mean,
                "pace": "5:20",
            ]
        }
    }

    /// A part of the way around a lake.
    private static func arc(_ degrees: StrideThrough<Double>) -> JSON {
        .array(
            degrees.map { degree in
                let angle: Double = degree * .pi / 180
                let (north, east): (Double, Double) = (58.96 + 0.012 * sin(angle), 5.73 + 0.04 * cos(angle))
                return [.number(north), .number(east)]
            })
    }

    /// Ten kilometres around a lake, with a stop in the middle and a hill.
    private static var page: JSON {
        let heart: JSON = [
            "mean": .number(143.2), "min": 86, "max": 154, "zones_s": [120, 300, 900, 1800, 480],
            "load": .number(118.4),
        ]
        let goal: JSON = ["kind": "duration", "duration_s": 3600, "enabled": true]
        let speed: JSON = ["mean": .number(2.625), "max": .number(4.61), "pace": "6:21"]
        let kilometre: JSON = ["distance_m": 1000, "seconds": .number(291.4), "start_s": 3]
        let five: JSON = ["distance_m": 5000, "seconds": 1599]
        let path: [JSON] = [arc(stride(from: 0, through: 200, by: 10)), arc(stride(from: 220, through: 350, by: 10))]
        let cadence: JSON = ["mean": .number(164.4), "max": 180]
        return .object(present: [
            "id": "w1", "activity": "running", "state": "stopped", "started": 1_760_000_000_000,
            "ended": 1_760_003_700_000, "ended_by": "goal", "duration_s": JSON.number(3600.5),
            "distance_m": JSON.number(9450.4), "ascent_m": JSON.number(38.4), "steps": 9120,
            "energy_kcal": JSON.number(640.5), "heart_rate": heart, "speed_mps": speed, "cadence": cadence,
            "percent": 100, "goal": goal,
            "pauses": JSON.array([["from": 1_760_001_800_000, "to": 1_760_001_899_500]]),
            "best": JSON.array([kilometre, five]), "splits": JSON.array(splits),
            "over_distance": JSON.array(overDistance), "heart_rates": JSON.array(heartRates),
            "path": JSON.array(path),
        ])
    }

    @Test("a page has the figures, the splits, the graphs and the way, as the terminal can show them")
    func page() throws {
        let consumer = try signedIn()
        consumer.answer("workouts/list", ["workouts": [["id": "w1"]]])
        consumer.answer("workouts/show", Self.page)
        let outcome = try consumer.vitals("workout", "show", "latest", environment: DaysTests.utf8)
        #expect(outcome.status == 0 && outcome.errors == "")
        #expect(outcome.output == WorkoutDrawings.page)
        #expect(try consumer.last().fields == ["id": "w1", "points": 150])
        let plain = try consumer.vitals("workout", "show", "w1", environment: ["COLUMNS": "60"])
        #expect(plain.output == WorkoutDrawings.pagePlain)
        #expect(try consumer.last().fields == ["id": "w1", "points": 55])
        let json = try consumer.vitals("workout", "show", "w1", "--json").output
        #expect(try JSON(payload: Array(json.dropLast().utf8)) == JSON(payload: Self.page.bytes))
        #expect(try consumer.last().fields == ["id": "w1"])
        _ = try consumer.vitals("workout", "show", "w1", "--json", "--points", "1000")
        #expect(try consumer.last().fields == ["id": "w1", "points": 1000])
    }

    @Test("a ride has speeds instead of paces, and what is not known has no place")
    func ride() throws {
        let consumer = try signedIn()
        consumer.answer(
            "workouts/show",
            [
                "id": "w1", "activity": "cycling", "duration_s": 90, "distance_m": 500,
                "speed_mps": ["mean": .number(5.5), "pace": "3:02"],
                "splits": [["distance_m": 500, "seconds": 90, "pace": "3:00"]],
                "over_distance": [["distance_m": 250, "pace_s": 180]], "path": [[[.number(58.9), .number(5.7)]], "?"],
            ])
        let outcome = try consumer.vitals("workout", "show", "w1", environment: ["COLUMNS": "40"])
        #expect(outcome.output == WorkoutDrawings.ride)
    }

    @Test("nothing that a reply may say of a graph or a way makes the program end")
    func hostile() throws {
        let consumer = try signedIn()
        let huge = JSON.number(1e300)
        consumer.answer(
            "workouts/show",
            [
                "activity": "running", "started": .integer(.max), "ended": .integer(.min), "duration_s": huge,
                "distance_m": huge, "percent": huge, "goal": ["steps": huge], "ascent_m": huge,
                "heart_rate": ["mean": huge, "min": huge, "max": .number(-1e300), "zones_s": [.integer(.max), huge]],
                "pauses": [["from": .integer(.min), "to": .integer(.max)]],
                "splits": [["distance_m": huge, "seconds": huge], ["distance_m": 0, "seconds": 0]],
                "over_distance": [
                    ["distance_m": huge, "pace_s": huge, "altitude_m": huge],
                    ["distance_m": 0, "altitude_m": .number(-1e300)],
                ],
                "heart_rates": [["seconds": huge, "mean": huge, "min": huge], ["seconds": 0, "mean": 0]],
                "path": [[[huge, huge], [90, 180], [-90, -180]], [[0, 0]], []], "best": [["distance_m": huge]],
            ])
        let outcome = try consumer.vitals("workout", "show", "w1")
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
    }

    @Test("the start of the way is green and the rest is red, where colours are wanted")
    func colours() throws {
        let consumer = try signedIn()
        consumer.answer("workouts/show", ["activity": "running", "path": [[[0, 0], [0, 1]]]])
        let path = try RunningProgram(
            "/usr/bin/script",
            [
                "-qefc", "unset NO_COLOR; \(try Self.program) --port \(consumer.broker.port) workout show w1",
                "/dev/null",
            ],
            environment: [
                "HOME": consumer.home.path, "TZ": "UTC", "SHELL": "/bin/sh", "TERM": "xterm", "LANG": "en_GB.UTF-8",
            ])
        #expect(path.exitStatus() == 0)
        #expect(path.text.contains("\u{1B}[32m●\u{1B}[0m\u{1B}[31m⣀⣀"), "\(path.text)")
    }

    private static var program: String {
        get throws {
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/vitals"
        }
    }

    @Test("load is drawn as two curves, with the numbers of the last day")
    func load() throws {
        let consumer = try signedIn()
        var (fitness, fatigue) = (0.0, 0.0)
        let days = (1...28).map { day -> JSON in
            let load = day % 3 == 1 ? 120.0 : 0
            let form = fitness - fatigue
            fitness += (load - fitness) / 42.5
            fatigue += (load - fatigue) / 7.5
            return [
                "day": .string("2026-11-\(day < 10 ? "0" : "")\(day)"), "load": .number(load),
                "fitness": Self.rounded(fitness), "fatigue": Self.rounded(fatigue), "form": Self.rounded(form),
            ]
        }
        consumer.answer("workouts/load", ["days": .array(days)])
        let outcome = try consumer.vitals("workout", "load", environment: DaysTests.utf8)
        #expect(outcome.output == WorkoutDrawings.load)
        #expect(try consumer.last().fields == ["days": 90])
        #expect(try consumer.vitals("workout", "load", "--json").output.split(separator: "\n").count == 28)
        consumer.answer("workouts/load", ["days": []])
        #expect(try consumer.vitals("workout", "load").errors.contains("no workouts"))
    }
}
