package import Daemon
package import Records
package import Telemetry
package import Vault

/// What rooms may know of the consumer's settings beside their own part of them. The settings file is read above all
/// rooms, where the one type is that conforms.
package protocol HouseSettings: Sendable {
    var topics: Topics { get }
    /// The folder of the databases.
    var state: String { get }
    /// Nil: the root key is a credential of systemd's.
    var rootKeyFile: String? { get }
    /// A second place for the list of the forgotten, beside the one in the state folder.
    var forgottenFile: String? { get }
    /// The zone of people whose profile names none.
    var timeZone: String { get }
    /// The gateways that are enrolled, with the keys that sign for them.
    var gateways: [ID: Ed25519.VerifyingKey] { get }
    var people: [PersonSettings] { get }
    /// Whether there are people besides those of the settings.
    var hasAccounts: Bool { get }
    /// A link that goes with what people share: the same for all of them, except for `{day}` and `{goal}`.
    var shareLink: String? { get }
}

extension HouseSettings {
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
}
