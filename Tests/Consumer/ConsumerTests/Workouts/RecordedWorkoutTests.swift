import HouseholdSupport
import Telemetry
import TestSupport
import Testing

/// Both recordings of the project, as a strap and a phone would send them, with two ends of the consumer in the middle,
/// blocks that come late, in another order and twice; compared with what Python computes from their files alone.
@Suite("Recorded workouts at a running service", .timeLimit(.minutes(60)))
struct RecordedWorkoutTests {
    @Test(
        "have the figures that Python computes from the file alone",
        arguments: [("run-9km", "running"), ("ride-41km", "cycling")])
    func figures(_ name: String, _ activity: String) throws {
        let expected = try expected(name, activity)
        try WorkoutHouse.with { house in
            house.set(0)
            try house.done("workouts/start", ["activity": .string(activity)])
            let readings = try recorded(name)
            let seconds = (try #require(readings.map(\.moment.wall).max()) - start) / 1000
            var generator = SeededGenerator(seed: 15)
            // What belongs to two minutes comes in any order, and some of it twice.
            for (index, part) in parts(readings, of: 120_000).enumerated() {
                house.set((try #require(part.last).moment.wall - start) / 1000)
                var blocks = try house.blocks(part)
                blocks += blocks.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
                blocks.shuffle(using: &generator)
                try house.publish(blocks)
                if index == 3 || index == 7 { try house.restart() }
            }
            house.set(seconds)
            let id = try house.done("workouts/stop").text("id")
            let shown = try house.done("workouts/show", ["id": .string(id)])
            #expect(try shown.number("duration_s") == expected.duration)
            // Positions are kept to a millionth of a degree, 11 cm.
            #expect(abs(try shown.number("distance_m") / expected.metres - 1) < 0.005)
            #expect(abs(try shown.number("distance_m") / expected.device - 1) < 0.02)
            #expect(abs(try shown.number("ascent_m") - expected.ascentBySatellites) < 0.1)
            let heart = try #require(shown["heart_rate"])
            #expect(try heart.number("min") == Double(expected.minimum))
            #expect(try heart.number("max") == Double(expected.maximum))
            #expect(abs(try heart.number("mean") - expected.mean) < 0.06)
            try house.settle()
            #expect(try house.recounted() == 0)
        }
    }

    private func parts(_ readings: [Reading], of milliseconds: Int64) -> [[Reading]] {
        Dictionary(grouping: readings) { ($0.moment.wall - start) / milliseconds }
            .sorted { $0.key < $1.key }.map(\.value)
    }
}
