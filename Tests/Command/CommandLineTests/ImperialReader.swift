import Telemetry
import TestSupport
import Testing

extension ScriptedConsumer {
    /// What `profile/get` answers to somebody who reads feet and pounds.
    static let imperialProfile: JSON = [
        "profile": ["name": "Ada", "weight_kg": .number(61.5), "height_cm": 168, "units": "imperial"],
        "bmi": .number(21.8),
    ]

    /// One at which that person is signed in.
    static func imperial() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer("profile/get", imperialProfile)
        return consumer
    }

    /// What a command prints, and that it succeeds.
    func printed(_ words: String...) throws -> String {
        let outcome = try vitals(words)
        #expect(outcome.status == 0, "\(outcome)")
        return outcome.output
    }

    /// How often the profile was asked for.
    var profilesAsked: Int { requests.all.count { $0.name == "profile/get" } }
}
