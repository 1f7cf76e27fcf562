package import Files
package import Records
package import Telemetry

/// What is recorded of a person's sensors: heart rates only if their profile has continuous heart rate on, or during a
/// workout; and positions only if they have agreed to that.
package struct RecordedKinds {
    /// The name of a document that is there while a workout is under way.
    package static let document = "recording"

    private let documents: Documents

    package init(_ documents: Documents) { self.documents = documents }

    package func kinds(of user: ID) throws(VaultError) -> Grant.Kinds {
        var kinds: Grant.Kinds = [.steps, .temperature, .motion]
        let isContinuous = try documents.read("profile", of: user)?["continuous_heart_rate"] == true
        let isInWorkout = try documents.read(Self.document, of: user) != nil
        if isContinuous || isInWorkout { kinds.insert(.heartRate) }
        if isInWorkout { kinds.insert(.live) }
        if try recordsLocation(of: user) { kinds.insert(.position) }
        return kinds
    }

    /// What is recorded of a person's phones.
    package func kindsOfPhones(of user: ID) throws(VaultError) -> Grant.Kinds {
        try recordsLocation(of: user) ? [.position, .pedometer] : []
    }

    /// What is taken from a person's imported files.
    package func kindsOfImports(of user: ID) throws(VaultError) -> Grant.Kinds {
        let kinds: Grant.Kinds = [.heartRate, .steps, .motion, .pedometer]
        return try recordsLocation(of: user) ? kinds.union(.position) : kinds
    }

    /// Whether a person has agreed that their position is recorded.
    package func recordsLocation(of user: ID) throws(VaultError) -> Bool {
        try documents.read(Self.consentDocument, of: user)?[Self.recordLocation] == true
    }

    /// Since when a person agrees that their position is recorded, in Unix milliseconds; nil if they do not. Of those who
    /// had agreed before this was noted, it is the beginning of all times.
    package func beginOfLocation(of user: ID) throws(VaultError) -> Int64? {
        let consent = try documents.read(Self.consentDocument, of: user)
        guard consent?[Self.recordLocation] == true else { return nil }
        guard case .integer(let since)? = consent?[Self.recordLocationSince] else { return -Moment.limit }
        return since
    }

    /// Where people's consents are kept.
    package static let consentDocument = "consent"
    /// Says in that document whether the person's position is recorded.
    package static let recordLocation = "record_location"
    /// Says in that document since when.
    package static let recordLocationSince = "record_location_since"
}

extension Grant.Kinds {
    /// As people spell them.
    package var names: JSON {
        .array(ReadingKind.allCases.filter { contains($0.bit) }.map { .string($0.rawValue) })
    }
}
