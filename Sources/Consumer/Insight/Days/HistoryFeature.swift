import Days
package import Features
import Files
import Records

extension Feature {
    /// What people's days were and are counted with, their goals among them.
    package static let history = Feature(
        name: "history",
        documents: [FeatureDocument(name: Histories.name, makesToday: true, exported: .shown(in: "history.json"))],
        exports: [
            .document(
                "history.json",
                "Which time zone, body and goals your days were counted with, and from which time on."
            ) { source throws(VaultError) in
                try source.documents.read(Histories.name, of: source.user).map(Histories.dated)
            }
        ],
        verbs: { Goals($0.context, $0.days).verbs }, notifications: [.goalReached],
        settings: ShareSettings.self)
}
