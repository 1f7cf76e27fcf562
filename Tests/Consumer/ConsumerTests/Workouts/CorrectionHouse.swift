import ActivityFiles
import Fitness
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

extension Recording {
    /// What a watch has recorded: a heart rate and a place each second, with a pause of thirty seconds after five minutes.
    static func byWatch(_ seconds: ClosedRange<Int64> = 0...900, totals: Totals = Totals()) -> Recording {
        let start = HouseholdSupport.start
        let samples = seconds.map { second -> Sample in
            var sample = Sample(time: start + second * 1000)
            // A minute has one mean, also where only a part of it belongs to a workout.
            sample.heartRate = UInt16(120 + second / 60)
            sample.place = Place(latitude: 48 + Double(second) * 3 / 111_195.08, longitude: 11)
            sample.altitude = 500
            return sample
        }
        let pause = Pause(start: start + 300_000, end: start + 330_000)
        return Recording(
            sport: .running, name: "Lake", start: start + seconds.lowerBound * 1000,
            end: start + seconds.upperBound * 1000,
            pauses: seconds.contains(300) && seconds.contains(330) ? [pause] : [], samples: samples, totals: totals,
            device: Device(manufacturer: "garmin", product: "3113", serial: "1"))
    }
}

extension WorkoutHouse {
    /// Imports a recording of somebody with a profile and a goal.
    /// - Returns: the id of the workout.
    func bring(_ recording: Recording) throws -> JSON {
        set(20_000)
        try done("consent/set", ["record_location": true])
        try done(
            "profile/set",
            ["name": "Ada", "date_of_birth": "1991-01-01", "gender": "female", "height_cm": 170, "weight_kg": 60])
        // A goal that was reached stays reached after any correction.
        try done("goals/set", ["distance_m": 1000])
        let outcome = try #require(imported(FITFile.write(recording)).list("workouts").first)
        #expect(outcome["outcome"] == "imported", "\(outcome)")
        try settle()
        return .string(try outcome.text("id"))
    }

    func lines() throws -> [JSON] { try done("workouts/list").list("workouts") }

    func shown(_ id: JSON) throws -> JSON { try done("workouts/show", ["id": id]) }

    /// Everything that follows from workouts, without their ids.
    func figures() throws -> [JSON] {
        let day = try done("statistics/day", ["day": "2026-11-21"])
        let goal = day["goals"]?["distance_m"]?["reached"] ?? .null
        let week = try done("statistics/week", ["day": "2026-11-21"])["summary"]
        let ofDays: [JSON] = [day, week ?? .null].flatMap { one in
            ["distance_m", "distances_m", "energy_kcal", "active_energy_kcal"].map { one[$0] ?? .null }
        }
        let replies = try ["list", "statistics", "records", "load"].map { try done("workouts/\($0)").without("id") }
        return ofDays + [goal] + replies
    }
}

extension JSON {
    /// The same without members of a name, wherever they are.
    func without(_ name: String) -> JSON {
        switch self {
        case .object(let members):
            .object(members.filter { $0.name != name }.map { Member($0.name, $0.value.without(name)) })
        case .array(let values): .array(values.map { $0.without(name) })
        default: self
        }
    }
}
