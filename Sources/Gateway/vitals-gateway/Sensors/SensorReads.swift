// Steps and temperature are read when somebody asks. If the characteristic can be read, it is; if it only
// notifies or indicates (as the standard ones do), the gateway subscribes, takes the first value, and ends the
// subscription.
//
// A thermometer indicates what it has measured (2A1C), and notifies on its way there (2A1E). The former answers the
// request. The latter answers only if the former does not come in time, or if the thermometer has none; it is
// marked as intermediate, and is not recorded.
//
// A foot pod counts no steps: steps are integrated from what it sends by itself, and answer at once, marked as derived.
//
// A request that comes while a read of the same kind is under way gets that read's answer: BlueZ allows one at a time.
// The reading is recorded once, however many have asked, and they are answered when it is on the disk.

import Bluetooth
import Reactor
import Telemetry

/// The reads of one sensor. Belongs to the central's loop.
final class SensorReads {
    /// What can be asked for.
    enum Kind: String {
        case steps, temperature
    }

    typealias Completion = @Sendable (Result<Reading, ReplyError>) -> Void

    /// A caller that asked, and is answered once.
    private final class Waiter {
        private var completion: Completion?
        /// The time until which it waits.
        let end: ContinuousClock.Instant
        var deadline: EventLoop.Timer?
        /// An intermediate temperature is better for it than none.
        var isInHurry = false

        init(until end: ContinuousClock.Instant, _ completion: @escaping Completion) {
            (self.end, self.completion) = (end, completion)
        }

        /// How long it waits from now on.
        var timeLeft: Duration { ContinuousClock.now.duration(to: end) }

        func answer(_ result: Result<Reading, ReplyError>) { taken()?(result) }

        /// The completion to call later; from now on no deadline answers it.
        func taken() -> Completion? {
            deadline?.cancel()
            defer { completion = nil }
            return completion
        }
    }

    /// How many may wait for one read; the rest are told to try again.
    private static let mostWaiting = 64

    /// A read that is under way continues for this long while somebody waits for it: long enough for everybody who asks
    /// within its first minute. BlueZ itself gives up after 30 s, and mostly says so.
    private static let readLimit = Duration.seconds(120)

    /// How long before its deadline an intermediate temperature answers a request: at the deadline it would come too
    /// late.
    private static let margin = Duration.seconds(1)

    /// Where a value comes from.
    private enum Source {
        /// The one that the settings name, or the standard one.
        case characteristic(Characteristic)
        /// A standard thermometer; it has one of the two at least.
        case thermometer(measurement: Characteristic?, intermediate: Characteristic?)
        /// What a foot pod sends.
        case cadence
    }

    /// A read that is under way, and the callers that wait for it. Its answer is only theirs, not that of the next
    /// read.
    private final class Attempt {
        var waiters: [Waiter] = []
        var subscriptions: [Subscription] = []
        /// The last intermediate temperature, while the measurement is still to come.
        var intermediate: Reading?

        /// Nothing more is needed from the sensor.
        func end() {
            for subscription in subscriptions { subscription.end() }
        }
    }

    private unowned let sensor: Sensor
    private var attempts: [Kind: Attempt] = [:]

    init(of sensor: Sensor) { self.sensor = sensor }

    /// Whether the connected sensor has such values.
    func offers(_ kind: Kind) -> Bool { source(of: kind) != nil }

    /// Reads a value and keeps it. A limit of zero or less has already passed. The completion is called once, within
    /// `limit` and the time that the disk takes, on any thread.
    func read(_ kind: Kind, limit: Duration, completion: @escaping Completion) {
        guard sensor.isReady else {
            return completion(
                .failure(ReplyError(.sensorOffline, "the sensor is not connected", retryAfterSeconds: 30)))
        }
        guard let source = source(of: kind) else {
            let words =
                "the sensor has no characteristic \(profile(of: kind)) for \(kind); name another in the settings"
            return completion(.failure(ReplyError(.notSupported, words)))
        }
        let underWay = attempts[kind]
        let attempt = underWay ?? Attempt()
        guard attempt.waiters.count < Self.mostWaiting else {
            return completion(
                .failure(ReplyError(.busy, "too many requests wait for this already", retryAfterSeconds: 5)))
        }
        let waiter = Waiter(until: .now + limit, completion)
        waiter.deadline = sensor.central.loop.after(limit - min(Self.margin, limit / 2)) { [weak self] in
            self?.hurry(kind, attempt, waiter)
        }
        attempt.waiters.append(waiter)
        guard underWay == nil else { return }
        attempts[kind] = attempt
        begin(kind, attempt, source)
    }

    /// The link is gone: all waiting callers get this.
    func fail(with error: ReplyError) {
        for (kind, attempt) in attempts { finish(kind, attempt, .failure(error)) }
    }

    // MARK: Where a value comes from

    private func profile(of kind: Kind) -> String {
        kind == .steps ? sensor.settings.steps.uuid : sensor.settings.temperature.uuid
    }

    private func source(of kind: Kind) -> Source? {
        let own = sensor.characteristic(profile(of: kind))
        switch kind {
        case .steps:
            if let own { return .characteristic(own) }
            return sensor.streams.givesSteps ? .cadence : nil
        case .temperature:
            let standard = [GATT.temperatureMeasurement, GATT.intermediateTemperature]
            if let own, own.canRead || !standard.contains(own.uuid) { return .characteristic(own) }
            let offered = standard.map { uuid in sensor.characteristic(uuid).flatMap { $0.canNotify ? $0 : nil } }
            guard offered.contains(where: { $0 != nil }) else { return own.map(Source.characteristic) }
            return .thermometer(measurement: offered[0], intermediate: offered[1])
        }
    }

    private func begin(_ kind: Kind, _ attempt: Attempt, _ source: Source) {
        switch source {
        case .characteristic(let characteristic) where characteristic.canRead:
            sensor.central.read(characteristic, limit: Self.readLimit) { [weak self] result in
                switch result {
                case .success(let bytes): self?.take(bytes, kind, attempt, from: characteristic)
                case .failure(let error): self?.finish(kind, attempt, .failure(ReplyError(error)))
                }
            }
        case .characteristic(let characteristic) where characteristic.canNotify:
            subscribe(kind, attempt, to: characteristic)
        case .characteristic(let characteristic):
            let words = "\(characteristic.uuid) neither reads nor notifies"
            finish(kind, attempt, .failure(ReplyError(.notSupported, words)))
        case .thermometer(let measurement, let intermediate):
            if let intermediate { subscribe(kind, attempt, to: intermediate, isFirstEnough: measurement == nil) }
            if let measurement { subscribe(kind, attempt, to: measurement) }
        case .cadence:
            guard let steps = sensor.streams.derivedSteps else {
                let words = "the foot pod has not sent anything yet, from which steps could be derived"
                return finish(kind, attempt, .failure(ReplyError(.noValue, words, retryAfterSeconds: 5)))
            }
            finish(kind, attempt, .success(Reading(at: .now(), .steps(steps))))
        }
    }

    /// - Parameter isFirstEnough: otherwise a better value should come from elsewhere, and a failure here does not end
    ///   the read.
    private func subscribe(
        _ kind: Kind, _ attempt: Attempt, to characteristic: Characteristic, isFirstEnough: Bool = true
    ) {
        let subscription = sensor.central.subscribe(to: characteristic) { [weak self, weak attempt] bytes in
            guard let self, let attempt else { return }
            if isFirstEnough {
                take(bytes, kind, attempt, from: characteristic)
            } else {
                note(bytes, kind, attempt, from: characteristic)
            }
        } completion: { [weak self, weak attempt] result in
            guard let attempt, isFirstEnough, case .failure(let error) = result else { return }
            self?.finish(kind, attempt, .failure(ReplyError(error)))
        }
        attempt.subscriptions.append(subscription)
    }

    // MARK: What came

    private func take(_ bytes: [UInt8], _ kind: Kind, _ attempt: Attempt, from characteristic: Characteristic) {
        do throws(MalformedValue) {
            finish(kind, attempt, .success(try reading(kind, in: bytes, from: characteristic)))
        } catch {
            finish(kind, attempt, .failure(ReplyError(error)))
        }
    }

    /// An intermediate temperature: for callers that cannot wait for more.
    private func note(_ bytes: [UInt8], _ kind: Kind, _ attempt: Attempt, from characteristic: Characteristic) {
        guard let reading = try? reading(kind, in: bytes, from: characteristic) else { return }
        attempt.intermediate = reading
        for waiter in attempt.waiters where waiter.isInHurry { settle(kind, attempt, waiter, .success(reading)) }
    }

    private func reading(
        _ kind: Kind, in bytes: [UInt8], from characteristic: Characteristic
    ) throws(MalformedValue) -> Reading {
        let moment = Moment.now()
        switch kind {
        case .steps:
            return Reading(at: moment, .steps(StepCount(try sensor.settings.steps.encoding.steps(in: bytes))))
        case .temperature:
            let profile = sensor.settings.temperature
            let encoding = characteristic.uuid == profile.uuid ? profile.encoding : .temperatureMeasurement
            var temperature = try encoding.temperature(in: bytes)
            temperature.isIntermediate = characteristic.uuid == GATT.intermediateTemperature
            return Reading(at: moment, .temperature(temperature))
        }
    }

    private func finish(_ kind: Kind, _ attempt: Attempt, _ result: Result<Reading, ReplyError>) {
        guard attempts[kind] === attempt else { return }
        attempts[kind] = nil
        attempt.end()
        switch result {
        case .failure(let error):
            sensor.failed(toRead: kind.rawValue, error)
            for waiter in attempt.waiters { waiter.answer(result) }
        case .success(let reading) where !reading.isKept:
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

    /// A deadline is near: an intermediate temperature answers, or the first that comes until then.
    private func hurry(_ kind: Kind, _ attempt: Attempt, _ waiter: Waiter) {
        // A program that was stopped in the meantime comes late, and so would anything that the sensor has sent since.
        let left = waiter.timeLeft
        guard left > .zero else { return expire(kind, attempt, waiter) }
        if let reading = attempt.intermediate { return settle(kind, attempt, waiter, .success(reading)) }
        waiter.isInHurry = true
        waiter.deadline = sensor.central.loop.after(left) { [weak self] in self?.expire(kind, attempt, waiter) }
    }

    private func expire(_ kind: Kind, _ attempt: Attempt, _ waiter: Waiter) {
        let error = ReplyError(.timeout, "the sensor did not answer in time", retryAfterSeconds: 5)
        sensor.failed(toRead: kind.rawValue, error)
        settle(kind, attempt, waiter, .failure(error))
    }

    /// Answers one waiting caller; the read continues for the others. Without others, nobody waits for its answer.
    private func settle(
        _ kind: Kind, _ attempt: Attempt, _ waiter: Waiter, _ result: Result<Reading, ReplyError>
    ) {
        attempt.waiters.removeAll { $0 === waiter }
        if attempt.waiters.isEmpty, attempts[kind] === attempt {
            attempts[kind] = nil
            attempt.end()
        }
        waiter.answer(result)
    }
}

extension Reading {
    /// An intermediate measurement is reported, but not stored.
    fileprivate var isKept: Bool {
        if case .temperature(let temperature) = value { !temperature.isIntermediate } else { true }
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
