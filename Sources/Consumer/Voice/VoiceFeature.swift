import Contract
import Exercise
package import Features
import Files
package import Telemetry

extension Feature {
    /// What is said of workouts while they are under way.
    package static let voice = Feature(
        name: "voice",
        documents: [FeatureDocument(name: VoicePlanDocument.name, exported: .shown(in: "voice.json"))],
        exports: [
            .document("voice.json", "What you want to hear during a workout, and how often.") {
                source throws(VaultError) in try source.documents.read(VoicePlanDocument.name, of: source.user)
            }
        ],
        service: { parts in parts.earlier(RunningWorkouts.self).map { Voice(parts, $0) } },
        topics: [FeatureTopic(.voice, isRetained: false, SpokenText.schema)])
}

extension UserTopic {
    /// What is said of the person's workout.
    package static let voice = UserTopic.published("voice")
}
