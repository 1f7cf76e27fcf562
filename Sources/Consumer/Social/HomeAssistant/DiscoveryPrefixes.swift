import Files
import Records
import Storage
import Telemetry

/// Under which prefixes people have been described to Home Assistant. A service that starts with another prefix, or without
/// any, has to take back what earlier ones have told: the broker keeps it.
struct DiscoveryPrefixes {
    static let schema = Schema(
        "home-assistant/1",
        making: [Table("discovery_prefixes", [.text("prefix")], key: ["prefix"])])

    let store: Store

    /// Those that are kept; damaged ones are left out.
    func all() throws(VaultError) -> [HomeAssistantTopics] {
        try store.database.query("SELECT prefix FROM discovery_prefixes ORDER BY prefix", row: Row.text).compactMap {
            text in decoded { () throws(MalformedValue) in try HomeAssistantTopics(prefix: text) }
        }
    }

    /// Keeps one, before anything is published under it.
    func remember(_ topics: HomeAssistantTopics) throws(VaultError) {
        try store.database.durably { () throws(VaultError) in
            try store.database.execute(
                "INSERT INTO discovery_prefixes (prefix) VALUES (?) ON CONFLICT (prefix) DO NOTHING",
                [.text(topics.prefix)])
        }
    }

    /// Nothing is left there.
    func forget(_ topics: HomeAssistantTopics) throws(VaultError) {
        try store.database.transaction { () throws(VaultError) in
            try store.database.execute("DELETE FROM discovery_prefixes WHERE prefix = ?", [.text(topics.prefix)])
        }
    }
}
