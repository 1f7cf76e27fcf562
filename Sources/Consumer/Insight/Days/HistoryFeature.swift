import Days
package import Features
import Files
import Records

extension Feature {
    /// What people's days were and are counted with, their goals among them.
    package static let history = Feature(
        name: "history",
        documents: [
            FeatureDocument(name: Histories.name, makesToday: true, exported: .shown(in: "history.json")),
            FeatureDocument(name: ReachedWeeks.document, exported: .shown(in: "week-goals.json")),
        ],
        exports: [
            .document(
                "history.json",
                "Which time zone, body and goals your days were counted with, and from which time on."
            ) { source throws(VaultError) in
                try source.documents.read(Histories.name, of: source.user).map(Histories.dated)
            },
            .document("week-goals.json", "In which weeks you reached your goals of the week, and when.") {
                source throws(VaultError) in
                try source.documents.read(ReachedWeeks.document, of: source.user).map(ReachedWeeks.dated)
            },
        ],
        verbs: { Goals($0.context, $0.days).verbs }, notifications: [.goalReached],
        settings: ShareSettings.self)
}
