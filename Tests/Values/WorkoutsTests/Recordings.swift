import Fitness
import Foundation
import TestSupport

@testable import Workouts

/// A workout that has begun.
func begun(
    _ activity: Activity = .running, goal: WorkoutGoal? = nil, _ person: Person = person
) throws -> WorkoutFold {
    var fold = WorkoutFold(activity, goal: goal, person: person)
    try fold.add(WorkoutEvent(.start, at: epoch))
    return fold
}

/// A recording of the project.
struct Recording {
    let seconds: Double
    let points: [TrackPoint]
    let heartRates: [HeartRateReading]
    let steps: [StepReading]

    var samples: [WorkoutSample] {
        points.map { .position($0) } + heartRates.map { .heartRate($0) } + steps.map { .steps($0) }
    }

    static func path(_ name: String) -> String { "\(projectFolder)/deploy/activities/\(name).csv" }

    init(_ name: String) throws {
        let lines = try String(contentsOfFile: Self.path(name), encoding: .utf8).split(separator: "\n")
        var points: [TrackPoint] = []
        var heartRates: [HeartRateReading] = []
        var steps: [StepReading] = []
        var last = 0.0
        for line in lines.dropFirst() {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count == 11, let second = Double(fields[1]) else { throw TestFailure("no row: \(line)") }
            last = second
            if let rate = Int(fields[2]) {
                heartRates.append(HeartRateReading(time: at(second), beatsPerMinute: rate))
            }
            if let counter = UInt32(fields[4]) { steps.append(StepReading(time: at(second), counter: counter)) }
            if let latitude = Double(fields[6]), let longitude = Double(fields[7]),
                let point = TrackPoint(
                    time: at(second), latitude: latitude, longitude: longitude, altitude: Double(fields[8]))
            {
                points.append(point)
            }
        }
        (seconds, self.points, self.heartRates, self.steps) = (last, points, heartRates, steps)
    }
}

/// What the script says of a recording.
struct Expected: Decodable {
    struct Part: Decodable {
        let seconds: Double
        let ascent: Double
        let heart: Double
    }

    let duration: Double
    let metres: Double
    let device: Double
    let ascent: Double
    let steps: Int?
    let mean: Double
    let minimum: Int
    let maximum: Int
    let samples: Int
    let recorded: Int64
    let zones: [Int64]
    let edwards: Double
    let banister: Double
    let kilocalories: Double
    let goal: Double?
    let splits: [Part]
    let best: [Double?]
    let dropped: Int
}
