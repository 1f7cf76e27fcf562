import Files
import Records
import Telemetry

/// What is recorded of a person's sensors: every kind, but heart rates only where their profile has continuous heart
/// rate on.
struct RecordedKinds {
    private let documents: Documents

    init(_ documents: Documents) { self.documents = documents }

    func kinds(of user: ID) throws(VaultError) -> Grant.Kinds {
        let profile = try documents.read("profile", of: user)
        return profile?["continuous_heart_rate"] == true
            ? [.heartRate, .steps, .temperature] : [.steps, .temperature]
    }
}

extension Grant.Kinds {
    /// As people spell them.
    var names: JSON {
        .array(ReadingKind.allCases.filter { contains($0.bit) }.map { .string($0.rawValue) })
    }
}
