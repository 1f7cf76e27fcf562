package import Features
import Files
import Records
import Telemetry

extension Feature {
    /// What people agree to.
    package static let consents = Feature(
        name: "consents",
        documents: [
            FeatureDocument(name: Consents.document, hangsByItself: true, exported: .shown(in: "consent.json"))
        ],
        exports: [
            .document(
                "consent.json",
                """
                What you have said about showing your location, motion and steps to others and your day in Home Assistant, and about \
                recording your location.
                """
            ) { source throws(VaultError) in
                try source.documents.read(Consents.document, of: source.user).map(Consents.dated)
            }
        ],
        hanging: { hanging, source throws(VaultError) in
            let said = try Consents(source.documents).said(by: source.user)
            hanging.consent = Consents.shown.filter { said[$0] == true }
        }, settings: HomeAssistantSettings.self)

    /// What people say of themselves.
    package static let profile = Feature(
        name: "profile",
        documents: [FeatureDocument(name: "profile", makesToday: true, exported: .shown(in: "profile.json"))],
        exports: [
            .document(
                "profile.json",
                "Your profile as you saved it last. Weight and height are metric, whatever units you see."
            ) { source throws(VaultError) in try source.documents.read("profile", of: source.user) }
        ],
        verbs: { Profiles($0.context, $0.days).verbs })

    /// People's pictures.
    package static let pictures = Feature(
        name: "pictures",
        documents: [FeatureDocument(name: "picture", exported: .shown(in: "picture"))],
        exports: [
            .text("picture", "Your profile's picture; its name ends with what kind of picture it is.") {
                source throws(VaultError) in
                try source.documents.read("picture", of: source.user).map(picture)
            }
        ])

    private static func picture(_ document: JSON) -> ExportSection.Text {
        var text = ""
        if case .string(let picture) = document["picture"] ?? document { text = picture }
        // By its first bytes, as base64 spells them.
        let kinds = [("/9j/", "jpeg"), ("iVBORw0KGgo", "png"), ("UklGR", "webp")]
        let kind = kinds.first { text.hasPrefix($0.0) }?.1
        return ExportSection.Text(kind.map { "picture.\($0)" } ?? "picture", text, isBase64: true)
    }
}
