import Admission
import Telemetry
import TestSupport

extension AdmissionSettings {
    /// Those of a broker that `deploy/broker` has made.
    init(of broker: Broker) throws { try self.init(passwords: broker.folder.path) }

    /// Those of a consumer and a gateway whose passwords are written into a folder.
    init(
        in folder: TemporaryFolder, consumer: String = "consumer", household: BrokerRulesSettings.Household = .owners,
        homeAssistant: HomeAssistantTopics? = nil
    ) throws {
        _ = try folder.write("the consumer's", to: "consumer.password")
        _ = try folder.write("home's", to: "home.password")
        try self.init(
            passwords: folder.path, consumer: consumer, household: household, homeAssistant: homeAssistant)
    }

    private init(
        passwords folder: String, consumer: String = "consumer", household: BrokerRulesSettings.Household = .owners,
        homeAssistant: HomeAssistantTopics? = nil
    ) throws {
        self.init(
            username: consumer, passwordFile: "\(folder)/consumer.password",
            gateways: [try ID("home"): "\(folder)/home.password"], topics: try Topics(),
            rules: BrokerRulesSettings(household: household, homeAssistant: homeAssistant))
    }
}
