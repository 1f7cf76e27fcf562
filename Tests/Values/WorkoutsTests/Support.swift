import Fitness
import TestSupport

@testable import Workouts

/// When workouts of these tests begin, in Unix milliseconds: at the beginning of a minute.
let epoch: Int64 = 1_440_000_000_000

let person = Person(sex: .male, ageYears: 35, heightCentimetres: 175, weightKilograms: 70, restingHeartRate: 55)

/// A time in seconds since the beginning.
func at(_ seconds: Double) -> Int64 { epoch + Int64((seconds * 1000).rounded()) }

func near(_ value: Double?, _ expected: Double, _ tolerance: Double) -> Bool {
    value.map { abs($0 - expected) <= tolerance } ?? false
}

/// A place so many metres to the north and to the east of one on the equator.
func place(_ north: Double, _ east: Double = 0) -> Place {
    let degrees = 180 / Double.pi / 6_371_008.8
    return Place(latitude: north * degrees, longitude: 10 + east * degrees)
}

/// A position so many metres to the north, at a time in seconds.
func point(
    _ seconds: Double, _ north: Double, _ east: Double = 0, altitude: Double? = nil, accuracy: Double? = nil,
    isOfSatellites: Bool = false
) throws -> TrackPoint {
    let place = place(north, east)
    let point = TrackPoint(
        time: at(seconds), latitude: place.latitude, longitude: place.longitude, altitude: altitude,
        accuracy: accuracy, isOfSatellites: isOfSatellites)
    guard let point else { throw TestFailure("no such point: \(place)") }
    return point
}

/// A timer of events at times in seconds.
func timer(_ events: (WorkoutEvent.Kind, Double)...) throws -> WorkoutTimer {
    var timer = WorkoutTimer()
    for (kind, seconds) in events { try timer.add(WorkoutEvent(kind, at: at(seconds))) }
    return timer
}
