// What a connected sensor sends by itself: heart rate, running and walking, cycling, power, positions. Whatever of these a
// sensor offers is subscribed to; no settings are needed, except for the size of a bicycle's wheel.
//
// All of them are recorded, and all but positions are published live. Of running, the steps are integrated as they pass,
// for people who ask for the steps of a foot pod, which itself counts none.

import Bluetooth
import Telemetry

/// The notifications of one sensor. Belongs to the central's loop; lives as long as the sensor, so its steps continue
/// across lost links.
final class SensorStreams {
    /// The answers to the subscriptions of one connection. A subscription that fails while others do not is left out.
    private final class Beginning {
        private var unanswered: Int
        private var hasAny = false
        private var failure: BluetoothError?
        var completion: ((Result<Void, BluetoothError>) -> Void)?

        init(_ count: Int, _ completion: @escaping (Result<Void, BluetoothError>) -> Void) {
            unanswered = count
            self.completion = completion
        }

        func answered(_ result: Result<Void, BluetoothError>, isNeeded: Bool) {
            unanswered -= 1
            switch result {
            case .success: hasAny = true
            case .failure(let error):
                failure = error
                guard isNeeded else { break }
                return finish(.failure(error))
            }
            guard unanswered == 0 else { return }
            finish(hasAny ? .success(()) : failure.map(Result.failure) ?? .success(()))
        }

        private func finish(_ result: Result<Void, BluetoothError>) {
            completion?(result)
            completion = nil
        }
    }

    private unowned let sensor: Sensor
    private var subscriptions: [Subscription] = []
    private var beginning: Beginning?
    private var steps = CadenceSteps()
    private var rates = CyclingRates()
    private var powerRates = CyclingRates()

    /// Any value came, whether or not it could be read.
    var onValue: (() -> Void)?

    init(of sensor: Sensor) { self.sensor = sensor }

    /// No values can be expected.
    var isEmpty: Bool { subscriptions.isEmpty }

    /// Whether steps can be derived from what the sensor sends.
    var givesSteps: Bool { sensor.characteristic(GATT.runningSpeedAndCadenceMeasurement)?.canNotify ?? false }

    /// Steps since this program started; nil if no measurement of running has come.
    var derivedSteps: StepCount? { steps.steps }

    /// Whether values should come even from a sensor at rest. A foot pod or a bicycle that stands still has nothing to
    /// say.
    var speaksAtRest: Bool { subscriptions.contains { $0.characteristic.uuid == GATT.heartRateMeasurement } }

    /// Subscribes to everything that the connected sensor offers. The completion is called once, when BlueZ has
    /// answered all; at once if there is nothing; not at all after `end`. It is a failure if nothing can be
    /// listened to, or if the heart rate cannot.
    func begin(completion: @escaping (Result<Void, BluetoothError>) -> Void) {
        end()
        let offered = [
            sensor.characteristic(GATT.heartRateMeasurement),
            sensor.characteristic(GATT.runningSpeedAndCadenceMeasurement),
            sensor.characteristic(GATT.cyclingSpeedAndCadenceMeasurement),
            sensor.characteristic(GATT.cyclingPowerMeasurement),
            sensor.characteristic(GATT.locationAndSpeed),
        ].compactMap(\.self).filter(\.canNotify)
        guard !offered.isEmpty else { return completion(.success(())) }
        let beginning = Beginning(offered.count, completion)
        self.beginning = beginning
        for characteristic in offered {
            subscriptions.append(
                sensor.central.subscribe(
                    to: characteristic, by: sensor.settings.notify, onValue: receiver(of: characteristic)
                ) { [weak self] result in
                    let isNeeded = characteristic.uuid == GATT.heartRateMeasurement
                    if case .failure(let error) = result, !isNeeded { self?.sensor.note(error) }
                    beginning.answered(result, isNeeded: isNeeded)
                })
        }
    }

    /// Ends the notifications. Rates start again with the next connection; steps continue.
    func end() {
        beginning?.completion = nil
        beginning = nil
        for subscription in subscriptions { subscription.end() }
        subscriptions = []
        (rates, powerRates) = (CyclingRates(), CyclingRates())
    }

    private func receiver(of characteristic: Characteristic) -> ([UInt8]) -> Void {
        switch characteristic.uuid {
        case GATT.heartRateMeasurement: return { [unowned self] in heartRate($0) }
        case GATT.runningSpeedAndCadenceMeasurement: return { [unowned self] in running($0) }
        case GATT.cyclingPowerMeasurement: return { [unowned self] in power($0) }
        case GATT.locationAndSpeed: return { [unowned self] in located($0) }
        default: return { [unowned self] in cycling($0) }
        }
    }

    // MARK: The path of a heartbeat begins here

    private func heartRate(_ value: [UInt8]) {
        onValue?()
        do throws(MalformedValue) {
            sensor.measured(try HeartRateMeasurement(gatt: value))
        } catch {
            sensor.malformed(error)
        }
    }

    // MARK: What moves

    private func running(_ value: [UInt8]) {
        onValue?()
        do throws(MalformedValue) {
            let measurement = try RunningSpeedAndCadence(gatt: value)
            let moment = Moment.now()
            steps.add(measurement, at: moment.monotonic)
            sensor.publishLive(
                RunningPayload(measurement, steps: steps.steps, at: moment.wall).bytes, .running)
            record(Motion(measurement), at: moment)
        } catch {
            sensor.malformed(error)
        }
    }

    private func cycling(_ value: [UInt8]) {
        onValue?()
        do throws(MalformedValue) {
            let measurement = try CyclingSpeedAndCadence(gatt: value)
            let moment = Moment.now()
            let rates = rates.add(measurement, at: moment.monotonic)
            sensor.publishLive(CyclingPayload(measurement, rates, at: moment.wall).bytes, .cycling)
            record(Motion(measurement, rates, wheel: sensor.settings.wheelMillimetres), at: moment)
        } catch {
            sensor.malformed(error)
        }
    }

    private func power(_ value: [UInt8]) {
        onValue?()
        do throws(MalformedValue) {
            let measurement = try CyclingPower(gatt: value)
            let moment = Moment.now()
            let rates = powerRates.add(measurement, at: moment.monotonic)
            sensor.publishLive(CyclingPayload(measurement, rates, at: moment.wall).bytes, .cycling)
            record(Motion(measurement, rates, wheel: sensor.settings.wheelMillimetres), at: moment)
        } catch {
            sensor.malformed(error)
        }
    }

    /// Where somebody is, only they may know: it is recorded, and not published.
    private func located(_ value: [UInt8]) {
        onValue?()
        do throws(MalformedValue) {
            guard let position = Position(try LocationAndSpeed(gatt: value)) else { return }
            sensor.moved(.position(position), at: .now())
        } catch {
            sensor.malformed(error)
        }
    }

    /// A sensor of the crank has nothing to say while nobody pedals.
    private func record(_ motion: Motion, at moment: Moment) {
        if !motion.isEmpty { sensor.moved(.motion(motion), at: moment) }
    }
}
