import DaysSupport
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@testable import Exercise

@Suite("What follows from runs, at a running service", .timeLimit(.minutes(60)))
struct ForecastTests {
    /// Half an hour at 3 m/s on the flat.
    private func run(_ house: WorkoutHouse, bpm: UInt16) throws -> [Reading] {
        try (0..<1801 as Range<Int64>).flatMap { second -> [Reading] in
            let moment = Moment(wall: start + second * 1000, monotonic: UInt64(1_000_000 + second * 1000))
            let degrees = 48 + Double(second) * 3 / 111_195.08
            let position = try #require(
                Position(latitude: degrees, longitude: 11, altitudeMetres: 500, accuracyMetres: 2, source: .sensor))
            return [
                Reading(at: moment, .heartRate(HeartRateMeasurement(beatsPerMinute: bpm))),
                Reading(at: moment, .position(position)),
            ]
        }
    }

    @Test("race times are those of best times, and an oxygen uptake needs a heart that is known")
    func forecast() throws {
        try WorkoutHouse.with { house in
            try house.saveProfile([:])
            #expect(try house.done("workouts/forecast") == ["race_times": []])
            house.set(0)
            try house.done("workouts/start", ["activity": "running"])
            house.set(1800)
            try house.publish(run(house, bpm: 150))
            let id = JSON.string(try house.done("workouts/stop").text("id"))
            try house.settle()
            let races = try house.done("workouts/forecast").list("race_times")
            // A half-marathon is more than four times 5 km.
            #expect(races.map { $0["distance_m"]?.double } == [5000, 10_000] && races.allSatisfy { $0["id"] == id }, "\(races)")
            let (five, ten) = (try races[0].number("seconds"), try races[1].number("seconds"))
            #expect(abs(five - 5000 / 3.0) < 25 && abs(ten / five - 2.085) < 0.001, "\(races)")
            #expect(try house.done("workouts/forecast")["oxygen_uptake"] == nil)
            // From the day on which they are entered, which is that of the run.
            try house.saveProfile(["max_heart_rate": 190, "resting_heart_rate": 55])
            let uptake = try #require(try house.done("workouts/forecast")["oxygen_uptake"])
            let most = try uptake.number("ml_per_kg_min")
            #expect((54...55).contains(most) && uptake["runs"] == 1 && uptake["tolerance_percent"] == 10, "\(uptake)")
            house.set(85 * 86_400)
            #expect(try house.done("workouts/forecast") == ["race_times": []])
        }
    }
}
