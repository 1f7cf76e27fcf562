import Files
import Records
import Telemetry

/// What a person says of their training, as it is kept: the document "training". A person who has said nothing has none.
struct TrainingPreferences: Equatable, Sendable {
    static let document = "training"

    /// What is at hand, by the catalogue's names.
    var equipment: [String] = []
    /// Nil if they have not said.
    var level: String?

    init() {}

    /// Of a person.
    init(_ documents: Documents, of user: ID) throws(VaultError) {
        guard let kept = try documents.read(Self.document, of: user) else { return }
        equipment = kept.texts("equipment")
        if case .string(let level)? = kept["level"] { self.level = level }
    }

    var json: JSON {
        .object(present: ["equipment": .array(equipment.map(JSON.string)), "level": level.map(JSON.string)])
    }

    /// Keeps it, within a transaction.
    func keep(_ documents: Documents, of user: ID) throws(VaultError) {
        guard self != TrainingPreferences() else { return try documents.remove(Self.document, of: user) }
        try documents.write(json, Self.document, of: user)
    }
}
