import Files
import Records
import Telemetry

/// Whether a person's workouts start and pause music, and where: a document of each person, sealed like every document.
/// Belongs to the thread of its store and keys.
struct MusicChoice: Equatable {
    static let document = "music"

    /// The gateway whose music it is.
    var gateway: ID
    /// Whether workouts start and pause it.
    var withWorkouts: Bool

    init(gateway: ID, withWorkouts: Bool) {
        self.gateway = gateway
        self.withWorkouts = withWorkouts
    }

    /// The choice of a person; nil if they have made none.
    init?(_ documents: Documents, of user: ID) throws(VaultError) {
        guard let kept = try documents.read(Self.document, of: user), case .string(let text)? = kept["gateway"],
            let gateway = decoded({ () throws(MalformedValue) in try ID(text) })
        else { return nil }
        self.init(gateway: gateway, withWorkouts: kept["workouts"] == true)
    }

    /// Keeps it in place of the one before, within a transaction.
    func keep(_ documents: Documents, of user: ID) throws(VaultError) {
        try documents.write(json, Self.document, of: user)
    }

    /// As it is kept, answered and exported.
    var json: JSON { ["gateway": .string(gateway.text), "workouts": .bool(withWorkouts)] }
}
