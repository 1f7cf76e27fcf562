import Exercise
package import Features
import Files
import Records
import Telemetry

extension Feature {
    /// Music that a person's workouts start and pause.
    package static let music = Feature(
        name: "music",
        documents: [FeatureDocument(name: MusicChoice.document, exported: .shown(in: "music.json"))],
        exports: [
            .document("music.json", "Whether your workouts start and pause music, and at which gateway.") {
                source throws(VaultError) in
                try MusicChoice(source.documents, of: source.user)?.json
            }
        ],
        service: { parts in parts.earlier(RunningWorkouts.self).map { WorkoutMusic(parts, with: $0) } })
}
