// What the gateway tells the household about its sensors.

import Daemon
import MQTT
import Telemetry

/// Publishes what this gateway reports about itself and its sensors. May be called from any thread.
final class Announcer: Sendable {
    let gateway: ID
    let topics: Topics
    let session: Session
    let retained: RetainedTopics
    /// Whether what comes from sensors is published as it comes.
    let publishesLive: Bool
    private let homeAssistant: HomeAssistant?

    init(
        _ gateway: ID, _ topics: Topics, on session: Session, publishingLive publishesLive: Bool,
        telling homeAssistant: HomeAssistant?
    ) {
        self.gateway = gateway
        self.topics = topics
        self.session = session
        self.publishesLive = publishesLive
        self.homeAssistant = homeAssistant
        retained = RetainedTopics(on: session)
    }

    func publish(_ info: SensorInfoPayload, about sensor: ID) {
        retained.publish(info.bytes, to: topics[gateway, sensor, .info])
        homeAssistant?.describe(info, of: sensor)
    }

    func announce(_ availability: Availability, of sensor: ID) {
        retained.publish(availability.bytes, to: topics[gateway, sensor, .availability])
    }

    /// Publishes values as they come; it does not record them.
    func publishLive(_ payload: [UInt8], _ topic: SensorTopic, of sensor: ID) {
        guard publishesLive else { return }
        session.publish(payload, to: topics[gateway, sensor, topic])
    }

    /// Clears what the broker retains about a sensor that is gone.
    func clear(_ sensor: ID) {
        homeAssistant?.forget(sensor)
        for topic in [SensorTopic.info, .availability] { retained.publish([], to: topics[gateway, sensor, topic]) }
    }

    /// Something happened to a sensor.
    func tell(_ kind: EventPayload.Kind, about sensor: ID, _ message: String? = nil, device: DevicePayload? = nil) {
        send(EventPayload(kind, time: unixMilliseconds(), sensor: sensor, message: message, device: device))
    }

    /// Something happened that is about no sensor.
    func tell(_ kind: EventPayload.Kind, _ message: String, device: DevicePayload? = nil, seconds: Int? = nil) {
        send(EventPayload(kind, time: unixMilliseconds(), message: message, seconds: seconds, device: device))
    }

    private func send(_ event: EventPayload) {
        session.publish(event.bytes, to: topics[gateway, .events], qos: .atLeastOnce)
    }
}
