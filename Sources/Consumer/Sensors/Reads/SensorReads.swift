package import Desk
package import Features
package import MQTT
package import Reactor
import Records
package import Telemetry

extension Feature {
    /// Reading people's sensors, when they ask for it and on schedule.
    package static let reads = Feature(
        name: "reads", service: { parts in SensorReads(parts) }, settings: ReadSettings.self)
}

/// Asks gateways to read sensors. Belongs to the session's thread.
// Proof of @unchecked: touched before the session starts and on its thread, and nowhere else.
package final class SensorReads: FeatureService, @unchecked Sendable {
    private let context: PeopleContext
    private let requests: ReadRequests
    package let scheduled: ScheduledReads

    package init(_ parts: FeatureParts) {
        context = parts.context
        let questions = SensorQuestions(context.session, context.topics)
        requests = ReadRequests(context, questions)
        scheduled = ScheduledReads(
            context.store, parts.days.histories, context.settings[ReadSettings.self], questions)
        context.changes.add(scheduled)
    }

    package var verbs: [Verb] { requests.verbs }

    package var subscriptions: [Subscription] {
        [Subscription(context.topics.everyGateway(.info)), Subscription(context.topics.everySensor(.info))]
    }

    package func start(_ loop: EventLoop) { scheduled.start(loop) }

    package func heard(_ topic: Topic, _ message: Message) {
        switch topic {
        case .gateway(let gateway, .info): scheduled.saw(message.payload, of: gateway, nil)
        case .gateway(let gateway, .sensor(let sensor, .info)): scheduled.saw(message.payload, of: gateway, sensor)
        default: break
        }
    }

    package func settingsChanged() { scheduled.apply(context.settings[ReadSettings.self]) }
}
