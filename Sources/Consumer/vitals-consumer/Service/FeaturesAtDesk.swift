import Desk
import Features
import Files
import MQTT
import Reactor
import Records
import Telemetry

/// The features of a service, with what of them lives as long as it does. Belongs to the session's thread.
final class FeaturesAtDesk {
    let context: PeopleContext
    private let services: [any FeatureService]
    private let takers: [any MessageTaker]

    /// The features of a service whose other parts exist already, registered at its desk.
    init(_ parts: FeatureParts, _ desk: Desk) throws(VaultError) {
        context = parts.context
        var services: [any FeatureService] = []
        for feature in context.features {
            var parts = parts
            parts.earlier = services
            desk.register(feature.verbs?(parts) ?? [])
            if let service = try feature.service?(parts) {
                desk.register(service.verbs)
                services.append(service)
            }
        }
        self.services = services
        takers = services.compactMap { $0 as? any MessageTaker }
    }

    /// The one service of a type; nil if there is none.
    func only<Service: FeatureService>(_ type: Service.Type) -> Service? {
        for service in services { if let service = service as? Service { return service } }
        return nil
    }

    var subscriptions: [Subscription] { services.flatMap(\.subscriptions) }

    func start(_ loop: EventLoop) { for service in services { service.start(loop) } }
    func connected() { for service in services { service.connected() } }
    func disconnected() { for service in services { service.disconnected() } }
    func brokerIsInLine(_ found: Set<ID>) { for service in services { service.brokerIsInLine(found) } }
    func settingsChanged() { for service in services { service.settingsChanged() } }
    func heardElsewhere(_ message: Message) { for service in services { service.heardElsewhere(message) } }
    func heard(_ topic: Topic, _ message: Message) { for service in services { service.heard(topic, message) } }

    func measured(_ readings: [Reading], of user: ID, by sensor: SensorName) {
        for service in services { service.measured(readings, of: user, by: sensor) }
    }

    /// Whether a message is for one of them alone.
    func take(_ message: Message) -> Bool {
        for taker in takers where taker.takes(message) { return true }
        return false
    }
}
