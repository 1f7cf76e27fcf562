// Steps and temperature are read when somebody asks. Where the characteristic can be read, it is; where it only notifies or
// indicates (as the standard ones do), the gateway subscribes, takes the first value, and ends the subscription.
//
// Whoever asks while a read of the same kind is under way gets that read's answer: BlueZ allows one at a time. The reading
// is kept once, however many have asked, and they are answered when it is on the disk.

import Bluetooth
import Daemon
import Reactor
import Telemetry

/// The reads of one sensor. Belongs to the central's loop.
final class SensorReads {
    /// What can be asked for.
    enum Kind: String {
        case steps, temperature
    }

    typealias Completion = @Sendable (Result<Reading, ReplyError>) -> Void

    /// Somebody who asked, and is answered once.
    private final class Waiter {
        private var completion: Completion?
        var deadline: EventLoop.Timer?

        init(_ completion: @escaping Completion) { self.completion = completion }

        func answer(_ result: Result<Reading, ReplyError>) { taken()?(result) }

        /// Whom to answer later; no deadline does it before.
        func taken() -> Completion? {
            deadline?.cancel()
            defer { completion = nil }
            return completion
        }
    }

    /// So many may wait for one read; the rest are told to come back.
    private static let mostWaiting = 64

    /// A read that is under way goes on for this long while somebody waits for it. BlueZ itself gives up after 30 s.
    private static let readLimit = Duration.seconds(45)

    /// A read that is under way, and who waits for it. Its answer is nobody else's: not that of the read after it.
    private final class Attempt {
        var waiters: [Waiter] = []
        var subscription: Subscription?
    }

    private unowned let sensor: Sensor
    private var attempts: [Kind: Attempt] = [:]

    init(of sensor: Sensor) { self.sensor = sensor }

    /// Reads a value and keeps it. The completion is called once, within `limit` and what the disk takes, on whichever thread.
    func read(_ kind: Kind, limit: Duration, completion: @escaping Completion) {
        let profile = kind == .steps ? sensor.settings.steps.uuid : sensor.settings.temperature.uuid
        guard sensor.isReady else {
            return completion(
                .failure(ReplyError(.sensorOffline, "the sensor is not connected", retryAfterSeconds: 30)))
        }
        guard let characteristic = sensor.characteristic(profile) else {
            let words = "the sensor has no characteristic \(profile) for \(kind); name another in the settings"
            return completion(.failure(ReplyError(.notSupported, words)))
        }
        let underWay = attempts[kind]
        let attempt = underWay ?? Attempt()
        guard attempt.waiters.count < Self.mostWaiting else {
            return completion(.failure(ReplyError(.busy, "too many wait for this already", retryAfterSeconds: 5)))
        }
        let waiter = Waiter(completion)
        waiter.deadline = sensor.central.loop.after(limit) { [weak self] in self?.timedOut(kind, attempt, waiter) }
        attempt.waiters.append(waiter)
        guard underWay == nil else { return }
        attempts[kind] = attempt
        begin(kind, attempt, characteristic)
    }

    /// The link is gone: everybody who waits gets this.
    func fail(with error: ReplyError) {
        for (kind, attempt) in attempts { finish(kind, attempt, .failure(error)) }
    }

    private func begin(_ kind: Kind, _ attempt: Attempt, _ characteristic: Characteristic) {
        if characteristic.canRead {
            sensor.central.read(characteristic, limit: Self.readLimit) { [weak self] result in
                switch result {
                case .success(let bytes): self?.decode(kind, attempt, bytes)
                case .failure(let error): self?.finish(kind, attempt, .failure(ReplyError(error)))
                }
            }
        } else if characteristic.canNotify {
            attempt.subscription = sensor.central.subscribe(to: characteristic) { [weak self, weak attempt] bytes in
                if let attempt { self?.decode(kind, attempt, bytes) }
            } completion: { [weak self, weak attempt] result in
                guard let attempt, case .failure(let error) = result else { return }
                self?.finish(kind, attempt, .failure(ReplyError(error)))
            }
        } else {
            let words = "\(characteristic.uuid) neither reads nor notifies"
            finish(kind, attempt, .failure(ReplyError(.notSupported, words)))
        }
    }

    private func decode(_ kind: Kind, _ attempt: Attempt, _ bytes: [UInt8]) {
        let moment = Moment.now()
        do throws(MalformedValue) {
            let value: Reading.Value =
                switch kind {
                case .steps: .steps(StepCount(try sensor.settings.steps.encoding.steps(in: bytes)))
                case .temperature: .temperature(try sensor.settings.temperature.encoding.temperature(in: bytes))
                }
            finish(kind, attempt, .success(Reading(at: moment, value)))
        } catch {
            finish(kind, attempt, .failure(ReplyError(error)))
        }
    }

    private func finish(_ kind: Kind, _ attempt: Attempt, _ result: Result<Reading, ReplyError>) {
        guard attempts[kind] === attempt else { return }
        attempts[kind] = nil
        attempt.subscription?.end()
        switch result {
        case .failure(let error):
            sensor.failed(toRead: kind.rawValue, error)
            for waiter in attempt.waiters { waiter.answer(result) }
        case .success(let reading):
            let answers = attempt.waiters.compactMap { $0.taken() }
            sensor.keep(reading) { isDurable in
                let words = "the reading could not be written to the gateway's disk"
                let result: Result<Reading, ReplyError> =
                    isDurable ? .success(reading) : .failure(ReplyError(.internal, words, retryAfterSeconds: 30))
                for answer in answers { answer(result) }
            }
        }
    }

    /// One deadline has passed; the read goes on for the others. Without others nobody waits for its answer.
    private func timedOut(_ kind: Kind, _ attempt: Attempt, _ waiter: Waiter) {
        attempt.waiters.removeAll { $0 === waiter }
        if attempt.waiters.isEmpty, attempts[kind] === attempt {
            attempts[kind] = nil
            attempt.subscription?.end()
        }
        let error = ReplyError(.timeout, "the sensor did not answer in time", retryAfterSeconds: 5)
        sensor.failed(toRead: kind.rawValue, error)
        waiter.answer(.failure(error))
    }
}

extension ReplyError {
    /// What a person is told when BlueZ could not do it.
    fileprivate init(_ error: BluetoothError) {
        if error.isTimeout {
            self.init(.timeout, "the sensor did not answer in time", retryAfterSeconds: 5)
        } else if error.isOffline {
            self.init(.sensorOffline, "the sensor is not connected", retryAfterSeconds: 30)
        } else if error.isUnsupported {
            self.init(.notSupported, "the sensor does not allow it: \(error.message)")
        } else if error.name == "org.bluez.Error.InProgress" {
            self.init(.busy, "BlueZ is still busy with the last read", retryAfterSeconds: 5)
        } else {
            self.init(.refused, "the sensor refused: \(error.message) (\(error.name))")
        }
    }
}
