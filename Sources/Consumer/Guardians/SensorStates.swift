import Features
import Files
import MQTT
import Readings
package import Records
import Telemetry

// Whether a dependent's sensors are on is what their gateways say, retained. The consumer listens to the gateways and sensors of
// dependents who are watched, and to no others. A phone says nothing of the kind: when it was last heard tells.

extension Guardians {
    private func topics(of sensor: SensorName) -> [String] {
        [
            context.topics[sensor.gateway, .status],
            context.topics[sensor.gateway, sensor.sensor, .availability],
        ]
    }

    /// Listens to the sensors that a dependent has now.
    func followSensors(of dependent: ID) {
        var sensors: Set<SensorName> = []
        if watched[dependent] != nil {
            attempt(dependent) { () throws(VaultError) in
                sensors = try Claims(store: context.store).sensors(of: dependent).filter {
                    $0.gateway.text != OwnGateway.name
                }
            }
        }
        let before = Set(followed.filter { $0.value == dependent }.keys)
        guard sensors != before else { return }
        for sensor in before.subtracting(sensors) {
            followed[sensor] = nil
            availability[sensor] = nil
            watched[dependent]?.take(sensor, isOn: nil, now: context.now())
            unsettled.insert(dependent)
        }
        for sensor in sensors.subtracting(before) {
            // It may have been somebody else's.
            if let other = followed[sensor], other != dependent {
                watched[other]?.take(sensor, isOn: nil, now: context.now())
                unsettled.insert(other)
            }
            followed[sensor] = dependent
        }
        guard isConnected else { return }
        listen(to: sensors.subtracting(before))
        let wanted = Set(followed.keys.flatMap(topics))
        context.session.unsubscribe(before.subtracting(sensors).flatMap(topics).filter { !wanted.contains($0) })
    }

    func followAllSensors() {
        for dependent in watched.keys { followSensors(of: dependent) }
        listen(to: Set(followed.keys))
    }

    private func listen(to sensors: Set<SensorName>) {
        guard !sensors.isEmpty else { return }
        context.session.subscribe(Set(sensors.flatMap(topics)).sorted().map { Subscription($0, qos: .atLeastOnce) })
    }

    package func sensorsChanged(_ sensors: Set<SensorName>?) {
        for dependent in watched.keys { followSensors(of: dependent) }
    }

    /// A gateway that is gone has no sensor that is on.
    func heardStatus(of gateway: ID, _ payload: [UInt8]) {
        guard let json = decoded({ () throws(MalformedValue) in try JSON(payload: payload) }) else { return }
        gatewaysOffline[gateway] = json["state"] == "online" ? nil : true
        for (sensor, dependent) in followed where sensor.gateway == gateway { take(sensor, nil, of: dependent) }
    }

    func heardAvailability(of sensor: SensorName, _ payload: [UInt8]) {
        guard let dependent = followed[sensor] else { return }
        take(sensor, payload == Array("online".utf8), of: dependent)
    }

    /// - Parameter says: whether the sensor is said to be on; nil if only its gateway has said something.
    private func take(_ sensor: SensorName, _ says: Bool?, of dependent: ID) {
        if let says { availability[sensor] = says }
        guard let isOn = availability[sensor], watched[dependent] != nil else { return }
        watched[dependent]?.take(sensor, isOn: isOn && gatewaysOffline[sensor.gateway] == nil, now: context.now())
        unsettled.insert(dependent)
    }
}
