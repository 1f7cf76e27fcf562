package import Daemon
package import Records
package import Storage
package import Telemetry
package import Vault

/// What rooms may know of the consumer's settings in addition to their own part of them. The settings file is read
/// above all rooms, where the one type is that conforms.
package protocol HouseSettings: Sendable {
    var topics: Topics { get }
    /// The folder of the databases.
    var state: String { get }
    /// Nil: the root key is a systemd credential.
    var rootKeyFile: String? { get }
    /// A second place for the list of the forgotten, in addition to the one in the state folder.
    var forgottenFile: String? { get }
    /// The zone of people whose profile names none.
    var timeZone: String { get }
    /// The gateways that are enrolled, with the keys that sign for them.
    var gateways: [ID: Ed25519.VerifyingKey] { get }
    var people: [PersonSettings] { get }
    /// Whether there are people who are not in the settings.
    var hasAccounts: Bool { get }
    /// What features read of the settings.
    var ofFeatures: [any FeatureSettings] { get }
}

/// What a feature reads of the settings: a section, or a key.
package protocol FeatureSettings: Equatable, Sendable {
    /// The section or key of the file.
    static var key: String { get }
    /// Whether a running service takes it from settings that are read again. Otherwise it needs a restart.
    static var isTakenAtOnce: Bool { get }

    /// - Parameter settings: the whole file.
    init(_ settings: Section) throws(SettingsError)
}

extension FeatureSettings {
    /// Whether both say the same.
    package func equals(_ other: any FeatureSettings) -> Bool { self == other as? Self }

    /// Those of the same feature among others; these where there are none.
    package func counterpart(in others: [any FeatureSettings]) -> any FeatureSettings {
        others.first { $0 is Self } ?? self
    }
}

extension HouseSettings {
    /// What a feature reads of them. The feature must be on the list that they were read for.
    package subscript<Own: FeatureSettings>(_ type: Own.Type) -> Own {
        for settings in ofFeatures { if let own = settings as? Own { return own } }
        preconditionFailure("no feature on the list reads \(type)")
    }

    /// The sensors that the settings give to people.
    package var givenSensors: Set<SensorName> { Set(people.flatMap(\.sensors)) }
}

extension Keys {
    /// Opens the keys with the root key that the settings name.
    /// - Parameters:
    ///   - folder: where keys.db is, if not in the settings' state folder.
    ///   - mayBeOlder: whether an older schema is good enough to read.
    package convenience init(
        _ settings: some HouseSettings, _ access: Access, folder: String? = nil, mayBeOlder: Bool = false
    ) throws(Failure) {
        try self.init(
            state: settings.state, rootKeyFile: settings.rootKeyFile, access, folder: folder, mayBeOlder: mayBeOlder)
    }

    /// Opens the keys on a connection that `connection(state:)` has made.
    package convenience init(_ settings: some HouseSettings, reading database: Database) throws(Failure) {
        try self.init(reading: database, state: settings.state, rootKeyFile: settings.rootKeyFile)
    }
}
