import DaysSupport
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@Suite("Reports of workouts, at a running service", .timeLimit(.minutes(60)))
struct ReportServiceTests {
    /// Does a workout from a time on, in Unix seconds, of which nothing but the duration is known.
    private func exercise(_ house: WorkoutHouse, at time: Int64, _ seconds: Int64, _ activity: String = "running")
        throws
    {
        let begin = time - start / 1000
        house.set(begin)
        try house.done("workouts/start", ["activity": .string(activity)])
        house.set(begin + seconds)
        try house.done("workouts/stop")
    }

    private func parts(_ report: JSON) throws -> [Double] { try report.list("parts").map { try $0.number("workouts") } }

    @Test("a workout belongs to the day on which it began where the person lives, on the longest of days, too")
    func zones() throws {
        try WorkoutHouse.with { house in
            guard case .object(let profile) = properProfile else { throw TestFailure("no profile") }
            try house.done("profile/set", .object(profile + [JSON.Member("time_zone", "Europe/Berlin")]))
            // In Berlin, clocks were set back on Sunday, 25 October 2026, at 01:00 UTC: that day had 25 hours.
            let saturday: Int64 = 1_792_879_140  // 23:59 in Berlin
            try exercise(house, at: saturday, 30)
            try exercise(house, at: saturday + 31 * 60, 60, "walking")  // Sunday, 00:30
            try exercise(house, at: saturday + 60 + 24 * 3600 + 1800, 120)  // Sunday, 23:30
            try exercise(house, at: saturday + 60 + 25 * 3600, 240)  // Monday, 00:00
            let week = try house.done("workouts/report", ["day": "2026-10-25"])
            #expect(week["period"] == "week" && week["by"] == "day" && week["from"] == "2026-10-19")
            #expect(try parts(week) == [0, 0, 0, 0, 0, 1, 2])
            #expect(try week["total"]?.number("duration_s") == 210)
            #expect(try week.list("parts")[6].number("duration_s") == 180)
            // Everybody begins with a goal of 10,000 steps.
            #expect(try week.list("parts")[0]["goals"] == ["steps": 10_000])

            let day = try house.done("workouts/report", ["period": "day", "day": "2026-10-25"])
            #expect(day["by"] == "workout" && day["to"] == "2026-10-25")
            #expect(try day.list("parts").map { $0["activity"] } == ["walking", "running"])
            let both = try house.done("workouts/report", ["period": "week", "count": 2])
            #expect(both["by"] == "week" && both["to"] == "2026-11-01")
            #expect(try parts(both) == [3, 1])
            let runs: JSON = ["period": "month", "day": "2026-10-01", "activity": "running"]
            let month = try house.done("workouts/report", runs)
            #expect(try parts(month).count == 31 && month["total"]?.number("workouts") == 3)
            let year = try house.done("workouts/report", ["period": "year"])
            #expect(year["by"] == "month")
            #expect(try parts(year) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0])
            let decades = try house.done("workouts/report", ["period": "year", "count": 366])
            #expect(try parts(decades).count == 366)
            let nothing = try house.done("workouts/report", ["day": "1970-01-01"])
            #expect(nothing["total"] == ["workouts": 0])
        }
    }

    @Test("has what was measured, and refuses what is no period")
    func measured() throws {
        try WorkoutHouse.with { house in
            house.set(0)
            try house.done("workouts/start", ["activity": "running"])
            house.set(100)
            try house.publish(house.run(0..<50, bpm: 140))
            try house.publish(house.run(50..<100, bpm: 160))
            try house.done("workouts/stop")
            try house.settle()
            let total = try #require(try house.done("workouts/report", ["period": "month"])["total"])
            let (metres, heart) = (try total.number("distance_m"), try #require(total["heart_rate"]))
            let mean = try heart.number("mean")
            #expect(abs(metres - 297) < 4 && abs(mean - 150) < 0.5)
            #expect(total["workouts"] == 1 && heart["min"] == 140 && heart["max"] == 160)
            #expect(total["energy_kcal"] == nil)
            for (fields, field) in [
                (["period": "decade"], "period"), (["period": 1], "period"), (["count": 0], "count"),
                (["count": 367], "count"), (["day": "yesterday"], "day"), (["day": "1969-12-31"], "day"),
                (["day": "9999-01-01"], "day"), (["activity": "\u{7}"], "activity"),
            ] as [(JSON, String)] {
                #expect(try house.refused("workouts/report", fields).field == field, "\(fields)")
            }
        }
    }
}
