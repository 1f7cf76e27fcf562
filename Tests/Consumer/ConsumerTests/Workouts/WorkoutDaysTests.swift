import ActivityFiles
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Days
@testable import Exercise

@Suite("Workouts and the days on which they were", .timeLimit(.minutes(60)))
struct WorkoutDaysTests {
    private func today(_ house: WorkoutHouse) throws -> JSON { try house.done("statistics/day", ["day": "2026-11-21"]) }

    /// Whoever tells of goals that were reached, by the kind of what was told.
    private func told(_ house: WorkoutHouse, _ kind: String) throws -> Int {
        try house.done("notifications/list", ["all": true]).list("notifications").count { $0["kind"] == .string(kind) }
    }

    /// Goes so many metres, with a position each second, 3 m/s.
    private func go(_ house: WorkoutHouse, _ activity: JSON, _ seconds: Range<Int64>) throws -> JSON {
        house.set(seconds.lowerBound)
        try house.done("workouts/start", ["activity": activity])
        house.set(seconds.upperBound)
        try house.publish(house.run(seconds))
        let id = try house.done("workouts/stop").text("id")
        try house.settle()
        return .string(id)
    }

    @Test("a ride and a run are in the distance of their day, reach its goal once, and leave it when they are deleted")
    func distance() throws {
        try WorkoutHouse.with { house in
            try house.done("goals/set", ["distance_m": 800])
            let ride = try go(house, "cycling", 0..<200)
            #expect(abs(try today(house).number("distance_m") - 600) < 20)
            #expect(abs(try #require(try today(house)["distances_m"]).number("bicycle") - 600) < 20)
            #expect(try told(house, "goal-reached") == 0)
            _ = try go(house, "running", 1000..<1100)
            #expect(try house.notified("goal-reached").text("text").contains("0.80"))
            let both = try today(house)
            #expect(abs(try both.number("distance_m") - 900) < 30 && both["formulas"] == 2)
            #expect(abs(try #require(both["distances_m"]).number("foot") - 300) < 10)
            let week = try house.done("statistics/week", ["day": "2026-11-21"])["summary"]
            #expect(week?["distance_m"]?["total"] == both["distance_m"] && week?["distances_m"] == both["distances_m"])
            #expect(try house.recounted() == 0)
            try house.done("workouts/delete", ["id": ride])
            #expect(try today(house)["distances_m"] == nil && abs(today(house).number("distance_m") - 300) < 10)
            #expect(try told(house, "goal-reached") == 1 && house.recounted() == 0)
        }
    }

    /// A run of 9 km, as a watch has it that was started some milliseconds later.
    private func run(by product: String, after: Int64) -> Recording {
        let samples = (0..<300 as Range<Int64>).map { number in
            var sample = Sample(time: start + after + number * 10_000)
            sample.heartRate = 150
            return sample
        }
        return Recording(
            sport: .running, name: "run", start: start + after, end: start + after + 3_000_000, samples: samples,
            totals: Totals(distanceMetres: 9000), device: Device(manufacturer: "garmin", product: product, serial: "1"))
    }

    @Test("what a file brings reaches goals without a word, and a second recording of it counts nowhere")
    func imported() throws {
        let (bytes, again) = (try FITFile.write(run(by: "1551", after: 0)), try FITFile.write(run(by: "3113", after: 20_000)))
        try WorkoutHouse.with { house in
            house.set(20_000)
            try house.done("goals/set", ["distance_m": 8000])
            #expect(try house.imported(bytes).list("workouts").first?["outcome"] == "imported")
            try house.settle()
            let first = try today(house)
            #expect(try first.number("distance_m") == 9000 && first["goals"]?["distance_m"]?["reached"] == true)
            #expect(try house.imported(again, keepingBoth: true).list("workouts").first?["outcome"] == "imported")
            try house.settle()
            #expect(try house.done("workouts/list").list("workouts").count == 2)
            #expect(try today(house)["distance_m"] == first["distance_m"] && told(house, "goal-reached") == 0)
            #expect(try house.recounted() == 0)
        }
    }

    /// A count of a step counter.
    private func count(_ second: Int64, _ steps: UInt32) -> Reading {
        Reading(
            at: Moment(wall: start + second * 1000, monotonic: UInt64(1_000_000 + second * 1000)),
            .steps(StepCount(steps)))
    }

    @Test("steps of a run that the band was not on are added to the day's, once, and leave it with the run")
    func ownSteps() throws {
        var recording = run(by: "1551", after: 0)
        recording.totals.steps = 7800
        var again = run(by: "3113", after: 20_000)
        again.totals.steps = 7790
        try WorkoutHouse.with { house in
            house.set(20_000)
            try house.publish([count(4000, 100), count(6000, 5100), count(6600, 5100)])
            #expect(try today(house).number("steps") == 5000)
            let outcome = try #require(house.imported(FITFile.write(recording)).list("workouts").first)
            try house.settle()
            #expect(try today(house).number("steps") == 12_800 && today(house).number("distance_m") >= 9000)
            let distance = try today(house)["distance_m"]
            #expect(
                try house.imported(FITFile.write(again), keepingBoth: true).list("workouts").first?["outcome"]
                    == "imported")
            try house.settle()
            #expect(
                try today(house).number("steps") == 12_800 && today(house)["distance_m"] == distance
                    && house.recounted() == 0)
            for workout in try house.done("workouts/list").list("workouts")
            where try workout.text("id") != outcome.text("id") {
                try house.done("workouts/delete", ["id": .string(workout.text("id"))])
            }
            try house.done("workouts/delete", ["id": .string(outcome.text("id"))])
            #expect(try today(house).number("steps") == 5000 && house.recounted() == 0)
        }
    }

    /// Changes the database of a service that has stopped, and starts it again.
    private func change(_ house: WorkoutHouse, _ statement: String) throws {
        try house.restart { running in
            do { try running?.rows.store.database.execute(statement) } catch { Issue.record("\(statement): \(error)") }
        }
    }

    @Test("days of before are counted again without a word")
    func upgrade() throws {
        try WorkoutHouse.with { house in
            _ = try go(house, "cycling", 0..<200)
            let before = try today(house)
            try change(house, "DELETE FROM days")
            try house.done("goals/set", ["distance_m": 100])
            #expect(try today(house)["distance_m"] == nil)
            try change(house, "UPDATE workouts SET marks = marks + 1")
            try house.settle()
            #expect(try today(house)["distance_m"] == before["distance_m"])
            #expect(try today(house)["goals"]?["distance_m"]?["reached"] == true && told(house, "goal-reached") == 0)
            #expect(try house.recounted() == 0)
        }
    }
}
