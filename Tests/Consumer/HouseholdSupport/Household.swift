import Daemon
import Foundation
package import Readings
package import Records
package import Storage
import Telemetry
import TestSupport
package import Vault

/// A household in a folder of its own: settings, a root key, the keys of two gateways, of which `home` is enrolled and
/// `next-door` may be.
package final class Household {
    private let folder: TemporaryFolder
    package let home: Ed25519.SigningKey
    package let nextDoor: Ed25519.SigningKey

    package init() throws {
        folder = try TemporaryFolder()
        home = try Ed25519.SigningKey(seed: .random())
        nextDoor = try Ed25519.SigningKey(seed: .random())
    }

    /// The path of a file in the folder.
    package func path(_ name: String) -> String { folder.path(name) }

    /// The usual person and their sensor, in the settings' words.
    package static let usualPeople = "demo: { sensors: [\"home/strap\"] }"

    /// The same, with everything that can be recorded of the person.
    package static let peopleWithPositions = """
        demo: {
          sensors: ["home/strap"], kinds: ["heart-rate", "steps", "temperature", "position", "motion", "pedometer"],
        }
        """

    /// Where the settings are.
    package var settingsFile: String { path("consumer.json5") }

    /// Writes a settings file for the whole consumer.
    package func writeSettings(people: String, port: UInt16 = 1, broker: String = "", more: String = "") throws {
        let text = """
            {
              state: "state", root_key_file: "root.key", \(more)
              broker: { \(broker)port: \(port) },
              gateways: {
                home: { identity: "\(KeyFile.text(of: home.publicKey))" },
                "next-door": { identity: "\(KeyFile.text(of: nextDoor.publicKey))" },
              },
              people: { \(people) },
            }
            """
        try text.write(toFile: settingsFile, atomically: true, encoding: .utf8)
    }

    /// What rooms may know of the settings, through a file as ever.
    package func houseSettings(people: String = usualPeople) throws -> HouseholdSettings {
        try writeSettings(people: people)
        return try HouseholdSettings(file: settingsFile)
    }

    /// The parts of a consumer without a broker, as they are after a start.
    /// - Parameter counting: makes what hears of the readings that are stored.
    package func open(
        people: String, now: Int64, sessionCapacity: Int, densest: Density.Limits, adding schema: Schema,
        counting: (Store, Keys) throws -> any ReadingsSink
    ) throws -> Parts {
        let settings = try houseSettings(people: people)
        let keys = try Keys(settings, .create)
        let store = try Store(folder: settings.state, adding: schema)
        let grants = Grants(store: store, keys: keys)
        try store.insistOnLock()
        try grants.settle(settings.people, now: now)
        return Parts(
            settings: settings, keys: keys, store: store, grants: grants,
            ingest: Ingest(
                store, keys, gateways: settings.gateways, totals: try counting(store, keys),
                sessionCapacity: sessionCapacity, densest: densest), schema: schema)
    }
}
