import Daemon
import ProgramSettings
package import Readings
import Records
package import Telemetry
package import Vault

/// What rooms may know of a household's settings.
package struct HouseholdSettings: HouseSettings {
    package let topics: Topics
    package let state: String
    package let rootKeyFile: String?
    package var forgottenFile: String? { nil }
    package var timeZone: String { "UTC" }
    package let gateways: [ID: Ed25519.VerifyingKey]
    package let people: [PersonSettings]
    package var hasAccounts: Bool { false }
    package var ofFeatures: [any FeatureSettings] { [] }

    /// Reads a file that `Household.writeSettings` has written.
    package init(file: String) throws { self = try Settings.read(file, Self.init) }

    private init(_ section: Section) throws(SettingsError) {
        topics = try section.topics()
        state = try section.path("state")
        rootKeyFile = try section.path("root_key_file")
        // Nobody connects here, but it is in the file.
        _ = try section.section("broker").integer("port", in: 1...65535)
        let enrolled = try section.sectionsByID("gateways") { (id, section) throws(SettingsError) in
            (try section.validID(id), try section.verifyingKey())
        }
        gateways = Dictionary(enrolled, uniquingKeysWith: { first, _ in first })
        people = try section.sectionsByID("people", PersonSettings.init)
    }
}

extension Section {
    fileprivate func verifyingKey() throws(SettingsError) -> Ed25519.VerifyingKey {
        guard let bytes = try publicKey("identity"), let key = try? Ed25519.VerifyingKey(bytes) else {
            throw refusal(of: "identity", "no public key")
        }
        return key
    }
}
