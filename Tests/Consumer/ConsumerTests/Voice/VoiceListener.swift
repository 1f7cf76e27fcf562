import HouseholdSupport
import MQTT
import Records
import Telemetry
import TestSupport

@testable import Exercise

/// Something that is said to a person.
struct Spoken: Equatable {
    let kind: String
    let text: String
    let language: String

    init(_ kind: String, _ text: String, _ language: String = "en") {
        (self.kind, self.text, self.language) = (kind, text, language)
    }
}

/// A client of the broker that hears what is said to the person of a house, from now on.
final class VoiceListener {
    private let client: Client

    init(_ house: WorkoutHouse) throws { client = try Client(house.broker, "vitals/v1/users/+/voice") }

    deinit { client.stop() }

    /// What is said next.
    func next() throws -> Spoken {
        try client.wait("something that is said") { message in
            // What has waited in the broker has less left.
            let expiry = message.properties?.messageExpirySeconds ?? 0
            guard message.topic == "vitals/v1/users/demo/voice", !message.retain, (1...30).contains(expiry) else {
                throw TestFailure("it does not expire: \(message)")
            }
            let json = try JSON(payload: message.payload)
            _ = try (json.text("id"), json.text("workout"), json.number("time"))
            return try Spoken(json.text("kind"), json.text("text"), json.text("language"))
        }
    }
}

extension WorkoutHouse {
    /// Saves a profile of somebody who is 35 years old.
    func saveProfile(_ locale: String, _ units: String, voice: Bool = true) throws {
        try done(
            "profile/set",
            [
                "name": "Ada", "date_of_birth": "1991-01-01", "gender": "female", "height_cm": 170, "weight_kg": 60,
                "voice": .bool(voice), "locale": .string(locale), "units": .string(units),
            ])
    }

    /// Has the service hear of readings at once, as it does of those that the gateway sends during a workout.
    func measure(_ readings: [Reading]) throws {
        guard let strap = SensorName("home/strap") else { throw TestFailure("no name") }
        let demo = try ID("demo")
        try wait { running in
            running.measured(readings, of: demo, by: strap)
            return true
        }
    }

    /// Waits until no workout is under way.
    func waitForEnd() throws { try wait { running in running.running.isEmpty } }

    /// Waits until the figures of the workout that is under way are known.
    func waitForFigures() throws {
        try wait { running in running.running.values.contains(where: \.isCounted) }
    }
}
