import Bluetooth
import Telemetry

/// What a connected sensor streams. Belongs to the central's loop.
final class SensorStreams {
    private unowned let sensor: Sensor
    private var subscription: Subscription?

    init(of sensor: Sensor) { self.sensor = sensor }

    /// There is nothing to expect.
    var isEmpty: Bool { subscription == nil }

    func begin(completion: @escaping (Result<Void, BluetoothError>) -> Void) {
        guard let measurement = sensor.characteristic(GATT.heartRateMeasurement), measurement.canNotify else {
            return completion(.success(()))
        }
        subscription = sensor.central.subscribe(to: measurement, by: sensor.settings.notify) { [unowned self] value in
            receive(value)
        } completion: {
            completion($0)
        }
    }

    func end() {
        subscription?.end()
        subscription = nil
    }

    private func receive(_ value: [UInt8]) {
        do throws(MalformedValue) {
            sensor.measured(try HeartRateMeasurement(gatt: value))
        } catch {
            sensor.malformed(error)
        }
    }
}
