import DaysSupport
import Foundation
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@Suite("Workouts of people who read miles", .timeLimit(.minutes(60)))
struct WorkoutUnitsTests {
    /// A profile that says imperial.
    private func saveProfile(_ house: WorkoutHouse) throws {
        guard case .object(let fields) = properProfile else { throw TestFailure("no fields") }
        try house.done("profile/set", .object(fields + [JSON.Member("units", "imperial")]))
    }

    @Test("a goal that ends a workout is told in the person's units")
    func goal() throws {
        try WorkoutHouse.with { house in
            try saveProfile(house)
            house.set(0)
            try house.done("workouts/start", ["activity": "running", "goal": ["distance_m": 150, "enabled": true]])
            house.set(100)
            try house.publish(house.run(0..<100))
            #expect(
                try house.notified("workout-goal").text("text")
                    == "You have reached the goal of your workout: 492 ft.")
        }
    }

    @Test("a workout is parted by the mile where the request says so, in metres, and its picture is in miles")
    func parts() throws {
        try WorkoutHouse.with { house in
            house.set(0)
            try house.done("workouts/start", ["activity": "running"])
            house.set(1200)
            try house.publish(house.run(0..<1200))
            let id = JSON.string(try house.done("workouts/stop").text("id"))
            let usual = try house.done("workouts/show", ["id": id])
            let kilometres = try usual.list("splits")
            #expect(kilometres.count == 4 && kilometres[0]["distance_m"] == 1000)
            #expect(try usual.list("best").map { $0["distance_m"] } == [400, 1000, .number(1609.344)])
            let miles = try house.done("workouts/show", ["id": id, "units": "imperial"])
            let splits = try miles.list("splits")
            #expect(splits.count == 3 && splits[0]["distance_m"] == .number(1609.3))
            #expect(abs(try splits[0].number("seconds") - 536.4) < 3)
            // Everything else is the same for everybody.
            #expect(miles["best"] == usual["best"])
            #expect(miles["distance_m"] == usual["distance_m"] && miles["speed_mps"] == usual["speed_mps"])
            #expect(miles["over_distance"] == usual["over_distance"])
            for wrong in ["stone", "", 7] as [JSON] {
                #expect(try house.refused("workouts/show", ["id": id, "units": wrong]).field == "units")
            }
            func picture() throws -> String {
                let part = try house.done("workouts/picture", ["id": id, "format": "svg"])
                guard case .string(let text)? = part["data"], let data = Data(base64Encoded: text) else {
                    throw TestFailure("no data in \(part)")
                }
                return String(decoding: data, as: UTF8.self)
            }
            let before = try picture()
            #expect(before.contains("min/km") && !before.contains("min/mi"))
            try saveProfile(house)
            let after = try picture()
            #expect(after.contains("min/mi") && !after.contains("min/km") && !after.contains("km"))
        }
    }
}
