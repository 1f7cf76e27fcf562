// What the gateway tells the household of its sensors.

import Bluetooth
import Daemon
import Telemetry

extension Gateway {
    private var topics: Topics { settings.topics }

    func publish(_ info: SensorInfoPayload, about sensor: Sensor) {
        retained.publish(info.bytes, to: topics[settings.gateway, sensor.settings.id, .info])
    }

    func announceOffline(_ sensor: Sensor) {
        retained.publish(Availability.offline.bytes, to: topics[settings.gateway, sensor.settings.id, .availability])
    }

    /// Nothing is kept at the broker any more of a sensor that is gone.
    func clear(_ sensor: Sensor) {
        for topic in [SensorTopic.info, .availability] {
            retained.publish([], to: topics[settings.gateway, sensor.settings.id, topic])
        }
    }

    /// Something happened to a sensor.
    func tell(
        _ kind: EventPayload.Kind, about sensor: Sensor, _ message: String? = nil, device: DevicePayload? = nil
    ) {
        send(EventPayload(kind, time: unixMilliseconds(), sensor: sensor.settings.id, message: message, device: device))
    }

    /// Something happened that is about no sensor.
    func tell(
        _ kind: EventPayload.Kind, _ message: String, device: DevicePayload? = nil, seconds: Int? = nil
    ) {
        send(EventPayload(kind, time: unixMilliseconds(), message: message, seconds: seconds, device: device))
    }

    func tellFound(_ device: Device, _ sensor: Sensor) {
        tell(.found, about: sensor, "Device Found", device: payload(of: device))
    }

    private func send(_ event: EventPayload) {
        session.publish(event.bytes, to: topics[settings.gateway, .events], qos: .atLeastOnce)
    }

    /// A device as people are told of it. What every device has is left out.
    func payload(of device: Device) -> DevicePayload {
        DevicePayload(
            address: device.address, name: device.name.isEmpty ? nil : device.name, rssi: device.rssi,
            services: device.services.filter { !Self.everybodys.contains($0) }.map(GATT.serviceName),
            battery: device.battery,
            connected: device.isConnected, bonded: device.isBonded, sensor: register.owner(of: device)?.settings.id)
    }

    /// Of a device that has more, the first ones are told.
    private static let mostServices = 12

    /// Generic Access and Generic Attribute.
    private static let everybodys: Set<String> = [GATT.uuid(0x1800), GATT.uuid(0x1801)]

    func publishInfo() {
        let described: JSON = [
            "live": .bool(settings.publishesLive),
            "sensors": .array(register.all.map { .string($0.settings.id.text) }),
            "enrolled": .bool(settings.consumer != nil),
        ]
        let info = GatewayInfoPayload(version: version, adapters: central.adapters.map(\.name), settings: described)
        retained.publish(info.bytes, to: topics[settings.gateway, .info])
    }
}
