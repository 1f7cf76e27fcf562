import Foundation
import HouseholdSupport
import Telemetry
import TestSupport

/// What Python computes from the file of a recording alone.
struct Expected: Decodable {
    let duration, metres, device, ascent, ascentBySatellites, mean: Double
    let minimum, maximum: Int
}

func expected(_ name: String, _ activity: String) throws -> Expected {
    let script = "\(projectFolder)/Tests/Values/WorkoutsTests/workout.py"
    let file = "\(projectFolder)/deploy/activities/\(name).csv"
    let text = try RunningProgram.runPython([script, file, activity, "male", "35", "178", "71", "55", "5000"])
    return try JSONDecoder().decode(Expected.self, from: Data(text.utf8))
}

/// The heart rates and positions of a recording that begins at `start`.
func recorded(_ name: String) throws -> [Reading] {
    let file = "\(projectFolder)/deploy/activities/\(name).csv"
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").dropFirst()
    return lines.flatMap { line -> [Reading] in
        let fields = line.split(separator: ",", omittingEmptySubsequences: false)
        let after = (Int64(fields[1]) ?? 0) * 1000
        let moment = Moment(wall: start + after, monotonic: UInt64(1_000_000 + after))
        var values: [Reading.Value] = []
        if let bpm = UInt16(fields[2]) { values.append(.heartRate(HeartRateMeasurement(beatsPerMinute: bpm))) }
        if let latitude = Double(fields[6]), let longitude = Double(fields[7]),
            let position = Position(
                latitude: latitude, longitude: longitude, altitudeMetres: Double(fields[8]), source: .phone)
        {
            values.append(.position(position))
        }
        return values.map { Reading(at: moment, $0) }
    }
}

extension WorkoutHouse {
    /// Replays a recording as a workout.
    /// - Returns: the workout's id.
    func replay(_ name: String, as activity: String) throws -> JSON {
        set(0)
        try done("workouts/start", ["activity": .string(activity)])
        let readings = try recorded(name)
        set((readings.map(\.moment.wall).max() ?? start) / 1000 - start / 1000)
        try publish(readings)
        return .string(try done("workouts/stop").text("id"))
    }
}
