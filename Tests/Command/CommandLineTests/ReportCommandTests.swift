import Telemetry
import TestSupport
import Testing

@Suite("vitals workout report", .timeLimit(.minutes(60)))
struct ReportCommandTests {
    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        return consumer
    }

    private static let total: JSON = [
        "workouts": 2, "duration_s": 5400, "distance_m": 15_000, "steps": 9000, "energy_kcal": 900, "load": 110,
        "ascent_m": 120, "heart_rate": ["mean": .number(148.4), "max": 171],
    ]

    private static func report(_ period: String, by part: String, _ from: String, _ to: String, _ parts: [JSON]) -> JSON
    {
        [
            "period": .string(period), "by": .string(part), "from": .string(from), "to": .string(to),
            "parts": .array(parts), "total": total,
        ]
    }

    private static func part(_ from: String, _ to: String? = nil, metres: Int64 = 0, _ more: [JSON.Member] = []) -> JSON
    {
        .object(
            [
                JSON.Member("from", .string(from)), JSON.Member("to", .string(to ?? from)),
                JSON.Member("workouts", .integer(metres > 0 ? 1 : 0)),
            ] + (metres > 0 ? [JSON.Member("distance_m", .integer(metres))] : []) + more)
    }

    @Test("a week has its sums, and a bar for each day of what is known, with the goal as a line")
    func week() throws {
        let consumer = try signedIn()
        let goals = [JSON.Member("goals", ["steps": 10_000, "distance_m": 8000])]
        let days = (16...22).map { day in
            Self.part("2026-11-\(day)", metres: day == 17 ? 10_000 : day == 21 ? 5000 : 0, goals)
        }
        consumer.answer("workouts/report", Self.report("week", by: "day", "2026-11-16", "2026-11-22", days))
        let outcome = try consumer.vitals("workout", "report", environment: DaysTests.utf8)
        #expect(
            outcome.output == """
                Workouts, 16 to 22 November 2026
                2 workouts, 1:30:00, 15.00 km, 9,000 steps, 900 kcal, mean 148 bpm
                most 171 bpm, 120 m up, load 110

                Distance, goal of a day 8.00 km
                Mon 16                                                   │
                Tue 17  █████████████████████████████████████████████████│███████████   10.00 km
                Wed 18                                                   │
                Thu 19                                                   │
                Fri 20                                                   │
                Sat 21  ██████████████████████████████▌                  │               5.00 km
                Sun 22                                                   │

                """, "\(outcome.output)")
        #expect(try consumer.last().fields == ["period": "week"])
        let asked = try consumer.vitals(
            "workout", "report", "--month", "--date", "2026-10-05", "--last", "3", "--activity", "running", "--json")
        #expect(asked.output.hasPrefix("{\"by\":\"day\"") && asked.output.split(separator: "\n").count == 1)
        #expect(
            try consumer.last().fields == ["activity": "running", "count": 3, "day": "2026-10-05", "period": "month"])
    }

    @Test("heart rates are drawn from the lowest to the highest of each day, with their mean")
    func heartRates() throws {
        let consumer = try signedIn()
        let days = (16...22).map { day in
            let heart: JSON = day == 17 ? ["mean": 148, "min": 96, "max": 171] : ["mean": 120, "max": 140]
            return Self.part("2026-11-\(day)", metres: 0, day == 20 ? [] : [JSON.Member("heart_rate", heart)])
        }
        consumer.answer("workouts/report", Self.report("week", by: "day", "2026-11-16", "2026-11-22", days))
        let lines = try consumer.vitals("workout", "report", environment: DaysTests.utf8).output.split(separator: "\n")
        let start = try #require(lines.firstIndex(of: "Heart rate"))
        #expect(lines[start + 2].hasPrefix("Tue 17") && lines[start + 2].hasSuffix("148 bpm (96 to 171)"), "\(lines)")
        #expect(lines[start + 1].hasSuffix("120 bpm (120 to 140)") && lines[start + 5] == "Fri 20", "\(lines)")
    }

    @Test("what is compared is called by its name: workouts, weeks, months and years")
    func names() throws {
        let consumer = try signedIn()
        func first(_ report: JSON) throws -> String {
            consumer.answer("workouts/report", report)
            let lines = try consumer.vitals("workout", "report").output.split(separator: "\n")
            let start = try #require(lines.firstIndex { $0.hasPrefix("Distance") })
            return String(lines[start + 1].prefix(14))
        }
        let workout: JSON = [
            "id": "w", "activity": "a\u{1B}[31m", "started": 1_760_000_000_000, "workouts": 1, "distance_m": 5,
        ]
        let (day, week) = ("2026-11-21", "2026-11-16")
        #expect(try first(Self.report("day", by: "workout", day, day, [workout])) == "08:53 a\\u{1b}[")
        #expect(try first(Self.report("day", by: "day", day, day, [Self.part(day, metres: 5)])) == "2026-11-21  ##")
        #expect(try first(Self.report("week", by: "week", week, day, [Self.part(week, metres: 5)])) == "2026-W47  ####")
        #expect(
            try first(Self.report("month", by: "month", week, day, [Self.part(week, metres: 5)])) == "2026-11  #####")
        #expect(
            try first(Self.report("year", by: "month", week, day, [Self.part(week, metres: 5)])) == "Nov  #########")
        #expect(try first(Self.report("year", by: "year", week, day, [Self.part(week, metres: 5)])) == "2026  ########")
        // A month has columns, so that it fits on a screen.
        let month = Self.report("month", by: "day", week, day, [Self.part(week, metres: 5)])
        #expect(try first(month).hasPrefix("5 m +"))
        consumer.answer("workouts/report", ["from": .string(day), "to": .string(day), "total": ["workouts": 0]])
        #expect(
            try consumer.vitals("workout", "report").output
                == "Workouts, Saturday, 21 November 2026\nno workouts\n")
        consumer.answer("workouts/report", [:])
        #expect(try consumer.vitals("workout", "report").status == 76)
    }

    @Test(
        "a command line that means nothing is refused before anything is asked",
        arguments: [
            (["workout", "report", "--week", "--year"], "--year: cannot be combined with --week"),
            (["workout", "report", "--date", "soon"], "--date: expected a day such as 2026-11-21"),
            (["workout", "report", "--last", "367"], "--last: expected"),
        ])
    func usage(words: [String], problem: String) throws {
        let consumer = try signedIn()
        let outcome = try consumer.vitals(words)
        #expect(outcome.status == 64 && outcome.errors.hasPrefix("vitals: \(problem)"), "\(outcome)")
        #expect(try consumer.last().name == "sign-in")
    }
}
