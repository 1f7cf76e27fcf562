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
// - A message can be kept and sent again by whoever has seen it. What was measured before its person agreed is refused, even
//   if it comes when they have.

/// Readings from what phones say.
enum PhoneReadings {
    /// Why nothing is kept of a message.
    enum Refusal: String, Error {
        case future = "it says a time that is to come"
        case past = "it says a time more than 30 days ago"
        case beforeConsent = "it says a time before its person agreed that their position is recorded"
    }

    /// How far a phone's clock may be ahead of ours, in milliseconds.
    static let tolerance: Int64 = 300_000
    /// How long a phone may have kept what it says, in milliseconds. An app keeps what it could not send: for the hours of a
    /// tunnel, or for the weeks of a journey without a connection. What is older comes from a clock that is wrong, or from
    /// somebody who has kept a message; and each hour that a reading is about costs what a full one does.
    static let longestKept: Int64 = 30 * 86_400_000

    /// What is kept of a message; nil if it says nothing that is kept.
    /// - Parameters:
    ///   - begin: since when the person agrees that their position is recorded, in Unix milliseconds.
    ///   - now: Unix milliseconds.
    static func reading(
        _ report: PhoneReport, since begin: Int64, now: Int64
    ) throws(Refusal) -> (wall: Int64, value: Reading.Value)? {
        let found: (wall: Int64, value: Reading.Value?)
        let first: Int64
        switch report {
        case .location(let location):
            guard isFix(location) else { return nil }
            found = (location.time, position(location).map(Reading.Value.position))
            first = location.time
        case .steps(let steps):
            found = (steps.to, span(steps).map(Reading.Value.pedometer))
            first = steps.from
        case .transition, .regions, .sealed, .other, .unknown, .nothing: return nil
        }
        guard let value = found.value else { return nil }
        guard first >= now - longestKept else { throw .past }
        // Phones say whole seconds.
        guard first >= begin.floorDivided(by: 1000) * 1000 else { throw .beforeConsent }
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
