import Foundation
import Telemetry
import TestSupport
import Testing

@Suite("vitals goals calendar", .timeLimit(.minutes(60)))
struct GoalCalendarTests {
    @Test("a month's goals are drawn as rings, which close in quarters, and are full only if a goal was reached")
    func rings() throws {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        func goal(_ value: Int64?, _ target: Int64 = 10_000, reached: Bool = false) -> JSON {
            .object(present: [
                "target": .integer(target), "value": value.map(JSON.integer), "reached": .bool(reached),
            ])
        }
        let values: [Int: (Int64?, Bool)] = [
            1: (0, false), 2: (2500, false), 3: (5000, false), 4: (7500, false), 5: (9999, false), 6: (10_000, true),
            7: (3, true),
        ]
        let days = (1...30).map { number -> JSON in
            let (value, isReached) = values[number] ?? (nil, false)
            return [
                "day": .string("2026-11-\(number < 10 ? "0" : "")\(number)"), "steps": 5,
                "goals": ["steps": goal(value, reached: isReached), "energy_kcal": goal(value.map { $0 / 20 }, 500)],
            ]
        }
        consumer.answer("statistics/month", ["month": "2026-11", "days": .array(days), "summary": [:]])
        let outcome = try consumer.vitals("goals", "calendar", "2026-11", environment: DaysTests.utf8)
        #expect(
            outcome.output == """
                Goals, November 2026
                Mon    Tue    Wed    Thu    Fri    Sat    Sun
                                                           1 ○○
                 2 ◔◔   3 ◑◑   4 ◕◕   5 ◕◕   6 ●◕   7 ●○   8
                 9     10     11     12     13     14     15
                16     17     18     19     20     21     22
                23     24     25     26     27     28     29
                30
                rings: steps, energy, ○ less than 25 %, ◔ 25 %, ◑ 50 %, ◕ 75 %, ● reached
                steps reached on 2 days, energy reached on 0 days

                """, "\(outcome.output)")
        #expect(try consumer.last().fields == ["month": "2026-11"])
        let ascii = try consumer.vitals("goals", "calendar").output
        #expect(ascii.contains("\n 2 --   3 ++   4 **   5 **   6 @*   7 @.   8\n"), "\(ascii)")
        #expect(try consumer.last().fields == [:])
        let json = try JSON(payload: Array(try consumer.vitals("goals", "calendar", "--json").output.utf8.dropLast()))
        guard case .array(let list)? = json["days"] else { throw TestFailure("no days") }
        #expect(json["month"] == "2026-11" && list.count == 30 && list[0]["goals"]?["steps"]?["value"] == 0)
        #expect(list[0]["steps"] == nil)
        let wrong = try consumer.vitals("goals", "calendar", "November")
        #expect(wrong.status == 64 && wrong.errors.hasPrefix("vitals: MONTH: expected a month such as 2026-11"))
        let folder = try TemporaryFolder()
        for (name, head) in [("month.svg", Array("<svg".utf8)), ("month.png", [0x89, 0x50, 0x4E, 0x47])] {
            let path = folder.path(name)
            #expect(try consumer.vitals("goals", "calendar", "--output", path).output.hasPrefix("\(path): "))
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(bytes.starts(with: head) && bytes.count > 2000, "\(name)")
        }
        #expect(try String(contentsOfFile: folder.path("month.svg"), encoding: .utf8).contains("November 2026"))
        let unknown = try consumer.vitals("goals", "calendar", "--output", "month.gif")
        #expect(unknown.status == 64 && unknown.errors.hasPrefix("vitals: --output: expected a file's name"))
        consumer.answer("statistics/month", ["month": "2026-11", "days": []])
        #expect(try consumer.vitals("goals", "calendar").output.hasPrefix("no goals: vitals --port"))
    }
}
