package import Daemon
import ProgramSettings
package import Telemetry

/// `broker_rules`: what the consumer lets others do at the broker.
package struct BrokerRulesSettings: Equatable, Sendable {
    /// Which people see live readings and may ask gateways.
    package enum Household: String, CaseIterable, Sendable {
        /// Everybody, including clients without a name: for a broker that nobody but the household reaches.
        case anyone
        /// People who have enrolled a gateway for their household, and only for that gateway.
        case owners
        case nobody
    }

    package let household: Household
    /// Where gateways may describe themselves to Home Assistant, and the consumer people; nil if nowhere.
    package let homeAssistant: HomeAssistantTopics?

    package init(household: Household = .owners, homeAssistant: HomeAssistantTopics? = nil) {
        (self.household, self.homeAssistant) = (household, homeAssistant)
    }

    /// - Parameter own: our own topics.
    package init(_ section: Section, besides own: Topics) throws(SettingsError) {
        household = try section.choice("household", default: .owners)
        homeAssistant = try section.homeAssistant(besides: own)
    }
}

/// What the settings say about the broker's clients.
package struct AdmissionSettings: Sendable {
    /// The consumer's own name at the broker; nil if it has none, and then the broker cannot have rules from here.
    package let username: String?
    /// The file with the consumer's own password.
    package let passwordFile: String?
    /// Files with the passwords of the gateways that the settings name; nil if a gateway has none, and is not a
    /// client.
    package let gateways: [ID: String?]
    package let topics: Topics
    package let rules: BrokerRulesSettings

    package init(
        username: String?, passwordFile: String?, gateways: [ID: String?], topics: Topics, rules: BrokerRulesSettings
    ) {
        self.username = username
        self.passwordFile = passwordFile
        self.gateways = gateways
        self.topics = topics
        self.rules = rules
    }
}
