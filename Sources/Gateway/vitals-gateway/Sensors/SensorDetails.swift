import Bluetooth
import Telemetry

/// What a sensor says about itself, read once after each connection, one characteristic after the other. Belongs to the
/// central's loop.
final class SensorDetails {
    private unowned let sensor: Sensor
    private var values: [String: [UInt8]] = [:]
    private var capabilities: [String] = []
    private var isComplete = false
    /// Rises with each connection: an answer to a read of an earlier connection does not count for this one.
    private var round = 0
    /// Characteristics during whose read BlueZ removed the device, as it does when a bond is needed and refused. They
    /// are not read again.
    private var avoided: Set<String> = []

    private static let wanted = [
        GATT.bodySensorLocation, GATT.manufacturerName, GATT.modelNumber, GATT.firmwareRevision, GATT.batteryLevel,
    ]

    init(of sensor: Sensor) { self.sensor = sensor }

    /// Reads what there is, then publishes it.
    func read() {
        (values, capabilities, isComplete) = ([:], offered(), false)
        round += 1
        read(Self.wanted.compactMap(sensor.characteristic).filter { $0.canRead && !avoided.contains($0.uuid) }[...])
    }

    private func read(_ rest: ArraySlice<Characteristic>) {
        guard let next = rest.first else {
            isComplete = true
            return publish()
        }
        sensor.central.read(next) { [weak self, round] result in
            if case .failure(let error) = result, error.isDeviceRemoved || error.isTimeout {
                self?.avoided.insert(next.uuid)
            }
            guard let self, sensor.isReady, round == self.round else { return }
            // A detail that cannot be read is left out; nobody waits for it.
            if case .success(let bytes) = result { values[next.uuid] = bytes }
            read(rest.dropFirst())
        }
    }

    /// Publishes what is known now: for a sensor that is not connected, what was read the last time, or only its name.
    /// Publishes nothing while a read is under way.
    func publish() {
        guard isComplete || !sensor.isReady else { return }
        let device = sensor.device
        let battery = values[GATT.batteryLevel].flatMap { try? BatteryLevel(gatt: $0) }.map { Int($0.percent) }
        let location = values[GATT.bodySensorLocation].flatMap { try? BodySensorLocation(gatt: $0) }
        sensor.publish(
            SensorInfoPayload(
                name: sensor.displayName, manufacturer: text(GATT.manufacturerName),
                model: text(GATT.modelNumber), firmware: text(GATT.firmwareRevision),
                battery: device?.battery ?? battery, capabilities: capabilities,
                bodyLocation: location.map(\.description), bonded: device?.isBonded ?? sensor.entry.device?.isBonded,
                paused: sensor.isPaused ? true : nil))
    }

    /// What the connected sensor offers, in the words of its info.
    private func offered() -> [String] {
        var capabilities: [String] = []
        if sensor.characteristic(GATT.heartRateMeasurement) != nil { capabilities.append("heart-rate") }
        for kind in [SensorReads.Kind.steps, .temperature] where sensor.reads.offers(kind) {
            capabilities.append(kind.rawValue)
        }
        if sensor.characteristic(GATT.runningSpeedAndCadenceMeasurement) != nil { capabilities.append("running") }
        let hasPower = sensor.characteristic(GATT.cyclingPowerMeasurement) != nil
        if hasPower || sensor.characteristic(GATT.cyclingSpeedAndCadenceMeasurement) != nil {
            capabilities.append("cycling")
        }
        if hasPower { capabilities.append("power") }
        if sensor.characteristic(GATT.locationAndSpeed) != nil { capabilities.append("location") }
        return capabilities
    }

    private func text(_ uuid: String) -> String? {
        values[uuid].flatMap { try? DeviceInformationString(gatt: $0) }.map(\.text)
    }
}
