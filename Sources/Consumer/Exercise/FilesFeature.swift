package import Features
import Files
import Readings
import Records
import Telemetry

extension Feature {
    /// Files of workouts: what people bring along, and take with them.
    package static let workoutFiles = Feature(
        name: "workout files",
        documents: [FeatureDocument(name: ImportSources.document, exported: .shown(in: "imports.json"))],
        exports: [
            .document(
                "imports.json",
                """
                What recorded the files that you have imported, and the sensor that stands for it: readings with that sensor are from there.
                """
            ) { source throws(VaultError) in try source.documents.read(ImportSources.document, of: source.user) }
        ],
        erasing: { person, effects throws(VaultError) in
            // The sensors go with the document that says what they stand for.
            for source in try ImportSources(documents: person.documents).all(of: person.user) {
                let name = decoded { () throws(MalformedValue) in try ImportSources.name(of: source.sensor) }
                guard let name else { continue }
                try Claims(store: person.store).remove(name)
                effects.sensors.insert(name)
            }
        },
        service: { Imports($0) })
}
