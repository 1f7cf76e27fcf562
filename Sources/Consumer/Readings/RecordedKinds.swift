package import Files
package import Records
package import Telemetry

/// What is recorded of a person's sensors: heart rates only if their profile has continuous heart rate on, and
/// positions only if they have agreed to that.
package struct RecordedKinds {
    private let documents: Documents

    package init(_ documents: Documents) { self.documents = documents }

    package func kinds(of user: ID) throws(VaultError) -> Grant.Kinds {
        let profile = try documents.read("profile", of: user)
        return profile?["continuous_heart_rate"] == true
            ? [.heartRate, .steps, .temperature, .motion] : [.steps, .temperature, .motion]
    }
}

extension Grant.Kinds {
    /// As people spell them.
    package var names: JSON {
        .array(ReadingKind.allCases.filter { contains($0.bit) }.map { .string($0.rawValue) })
    }
}
