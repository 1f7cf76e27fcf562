import Contract
import Telemetry
import Workouts

/// A text that is said now, as people get it.
struct SpokenText: Sendable {
    /// What it is about.
    enum Kind: String, CaseIterable, Sendable {
        case start, pause, resume, progress, goal, zone, end
        /// What a plan says: the next exercise, a rest.
        case training
    }

    let id: ID
    /// When it was published, in Unix milliseconds.
    let time: Int64
    let kind: Kind
    let workout: ID
    let text: String
    let language: SpokenLanguage

    /// For how long the broker keeps it for somebody who is not there, in seconds: what is late must not be said.
    static let expirySeconds: UInt32 = 30

    var json: JSON {
        [
            "id": .string(id.text), "time": .integer(time), "kind": .string(kind.rawValue),
            "workout": .string(workout.text), "text": .string(text), "language": .string(language.rawValue),
        ]
    }

    static let schema = PayloadSchema.object(
        "SpokenText", "What is said of a workout now.",
        [
            .always("id", .id), .always("time", .time), .always("kind", .word(Kind.allCases.map(\.rawValue))),
            .always("workout", .id.about("the workout's id")), .always("text", .text.about("what to say, in words")),
            .always("language", .word(SpokenLanguage.allCases.map(\.rawValue))),
        ])
}
