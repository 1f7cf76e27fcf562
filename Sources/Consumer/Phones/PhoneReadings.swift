import Fitness
import OwnTracks
import Telemetry

// What is kept of what a phone says: where it was, and how many steps its pedometer counted. The apps differ in what they
// say where they know nothing:
//
// - A ping says that the phone is there. Its time is the present and its place an older one, so it is no position; unless
//   it says when it was written, and that this is not the time of the fix.
// - Some Android phones always say that the altitude is 0. It is taken for unknown, unless the phone says how far off it
//   may be.
// - A phone without a pedometer says that it counted -1 steps.
// - A phone whose clock is wrong says times that cannot be. Positions are told apart by their times, so they are refused.

/// Readings from what phones say.
enum PhoneReadings {
    /// Why nothing is kept of a message.
    enum Refusal: String, Error {
        case future = "it says a time that is to come"
        case past = "it says a time before 2000"
    }

    /// How far a phone's clock may be ahead of ours, in milliseconds.
    static let tolerance: Int64 = 300_000
    /// The beginning of the year 2000, Unix milliseconds.
    static let earliest: Int64 = 946_684_800_000

    /// What is kept of a message; nil if it says nothing that is kept.
    /// - Parameter now: Unix milliseconds.
    static func reading(_ report: PhoneReport, now: Int64) throws(Refusal) -> (wall: Int64, value: Reading.Value)? {
        let found: (wall: Int64, value: Reading.Value?)
        switch report {
        case .location(let location):
            guard isFix(location) else { return nil }
            found = (location.time, position(location).map(Reading.Value.position))
        case .steps(let steps): found = (steps.to, span(steps).map(Reading.Value.pedometer))
        case .transition, .sealed, .other, .unknown, .nothing: return nil
        }
        guard let value = found.value else { return nil }
        guard found.wall >= earliest else { throw .past }
        guard found.wall <= now + tolerance else { throw .future }
        return (found.wall, value)
    }

    /// Whether a location's time is that of the fix.
    private static func isFix(_ location: PhoneLocation) -> Bool {
        guard location.trigger == .ping else { return true }
        return location.written.map { $0 != location.time } ?? false
    }

    private static func position(_ location: PhoneLocation) -> Position? {
        var altitude = location.altitudeMetres
        if altitude == 0, location.verticalAccuracyMetres == nil { altitude = nil }
        return Position(
            latitude: location.place.latitude, longitude: location.place.longitude, altitudeMetres: altitude,
            accuracyMetres: location.accuracyMetres, source: .phone)
    }

    private static func span(_ steps: PhoneSteps) -> PedometerSpan? {
        guard let count = steps.steps.flatMap({ UInt32(exactly: $0) }),
            let milliseconds = UInt32(exactly: steps.to - steps.from)
        else { return nil }
        return PedometerSpan(milliseconds: milliseconds, steps: count)
    }
}
