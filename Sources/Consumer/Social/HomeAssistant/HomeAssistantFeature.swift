package import Features
import Storage
import Telemetry

extension Feature {
    /// What people who agree to it show of their day in Home Assistant. Whether they agree is among their consents, and its
    /// settings are there, too.
    package static let homeAssistant = Feature(
        name: "home-assistant",
        schema: DiscoveryPrefixes.schema,
        service: { parts throws(VaultError) in
            try HomeAssistantPeople(parts.context, HomeAssistantDays(parts.context, parts.days))
        })
}
