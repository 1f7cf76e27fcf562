import DaysSupport
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@testable import Exercise

@Suite("What was measured of a heart, at a running service", .timeLimit(.minutes(60)))
struct HeartSuggestionsTests {
    private static let day: Int64 = 86_400

    /// A strap each second, or a sensor that sends no times between beats.
    private func beats(_ seconds: Range<Int64>, hasBeats: Bool = true, _ bpm: (Int64) -> UInt16) -> [Reading] {
        seconds.map { second in
            Reading(
                at: Moment(wall: start + second * 1000, monotonic: UInt64(2_000_000_000 + second * 1000)),
                .heartRate(HeartRateMeasurement(beatsPerMinute: bpm(second), rrIntervals: hasBeats ? [400] : [])))
        }
    }

    /// A workout of these times.
    private func workout(_ house: WorkoutHouse, _ seconds: Range<Int64>, _ readings: [Reading]) throws -> JSON {
        house.set(seconds.lowerBound)
        try house.done("workouts/start", ["activity": "running"])
        house.set(seconds.upperBound)
        try house.publish(readings)
        let id = JSON.string(try house.done("workouts/stop").text("id"))
        try house.settle()
        return id
    }

    @Test("the highest heart rate is that of ten seconds by a strap, above the maximum in use, and of the last year")
    func highest() throws {
        try WorkoutHouse.with { house in
            try house.done("profile/set", properProfile)
            let most = try house.done("profile/get")["zones"]?["max_heart_rate"]?.double ?? 0
            func told() throws -> JSON? { try house.done("profile/suggestions")["max_heart_rate"] }
            let (high, higher) = (UInt16(most) + 5, UInt16(most) + 12)
            #expect(try told() == nil)
            // Six seconds are no ten, and one value beside all others is none.
            _ = try workout(house, 0..<200, beats(0..<200) { (60..<66).contains($0) ? higher : $0 == 120 ? 239 : 150 })
            #expect(try told() == nil)
            let id = try workout(house, 1000..<1200, beats(1000..<1200) { (1060..<1090).contains($0) ? high : 150 })
            let found = try #require(try told())
            #expect(found["bpm"] == .integer(Int64(high)) && found["workout"] == id, "\(found)")
            #expect(found["started"] == .integer(start + 1_000_000))
            // Of a sensor that is no strap it could be anything.
            _ = try workout(house, 2000..<2200, beats(2000..<2200, hasBeats: false) { (2060..<2090).contains($0) ? higher : 150 })
            #expect(try told() == found)
            let best = try workout(house, 3000..<3200, beats(3000..<3200) { (3060..<3090).contains($0) ? higher : 150 })
            #expect(try told()?["workout"] == best)
            // What is entered needs no suggestion, and after a year it is old.
            try house.saveProfile(["max_heart_rate": .integer(Int64(higher) - 1)])
            #expect(try told() == nil)
            try house.saveProfile(["max_heart_rate": .null])
            #expect(try told()?["workout"] == best)
            house.set(366 * Self.day)
            #expect(try told() == nil)
        }
    }

    @Test("the heart rate at rest is the median of the nights before, three at least")
    func rest() throws {
        try WorkoutHouse.with(more: "time_zone: \"UTC\",") { house in
            try house.done("profile/set", properProfile)
            try house.saveProfile(["continuous_heart_rate": true])
            func told() throws -> JSON? { try house.done("profile/suggestions")["resting_heart_rate"] }
            let midnight = -(start / 1000 % Self.day)
            for (night, bpm) in [(1, 50), (2, 60), (3, 53)] as [(Int64, UInt16)] {
                #expect(try told() == nil)
                let from = midnight + night * Self.day
                house.set(from + 10 * 3600)
                let readings = stride(from: from, to: from + 8 * 3600, by: 60).flatMap { beats($0..<$0 + 1) { _ in bpm } }
                try house.publish(readings)
            }
            house.set(midnight + 4 * Self.day + 3600)
            #expect(try told() == ["bpm": 53, "nights": 3])
            let compared = try house.done(
                "statistics/day", ["day": "2026-11-24"])["heart_rate"]
            #expect(compared?["resting"] == 53 && compared?["resting_baseline"] == nil, "\(String(describing: compared))")
            house.set(midnight + 5 * Self.day)
            let from = midnight + 4 * Self.day
            try house.publish(stride(from: from, to: from + 8 * 3600, by: 60).flatMap { beats($0..<$0 + 1) { _ in 49 } })
            let fourth = try house.done("statistics/day", ["day": "2026-11-25"])["heart_rate"]
            #expect(fourth?["resting_baseline"] == 53 && fourth?["resting_difference"] == -4, "\(String(describing: fourth))")
            let week = try house.done("statistics/week", ["day": "2026-11-25"]).list("days")
            #expect(week.compactMap { $0["heart_rate"]?["resting_baseline"] } == [53], "the week before counts, too")
            // Somebody who knows better keeps what they have entered.
            try house.saveProfile(["resting_heart_rate": 58])
            #expect(try house.done("profile/get")["profile"]?["resting_heart_rate"] == 58)
        }
    }
}
