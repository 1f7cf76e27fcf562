// The emulated sensor itself: what it measures, what its characteristics say, and how it misbehaves on command.
//
// It knows nothing of D-Bus or links. A form (the stand-in for BlueZ, or a real adapter) asks it for values, tells it
// which characteristics somebody listens to, and sends what `onValue` reports. The activity begins when somebody first
// listens to the sensor's main values, so its first record is not missed, and then continues whether anybody listens or
// not.

import Fitness
import Reactor
import Telemetry

/// One emulated sensor. Belongs to its loop.
final class Peripheral {
    let name: String
    /// Its identity address, such as `C0:FF:EE:00:00:01`.
    let address: String
    let profile: Profile
    /// Whether it advertises under resolvable private addresses, which only a bond reveals as the same sensor.
    let isPrivate: Bool
    /// How many addresses it has given up.
    private var addressCount: UInt64 = 0
    /// Whether it ends each link as soon as it is made.
    var isRefusing = false
    /// Whether it is near enough to be heard.
    var isReachable = true
    /// Whether it has gone for good: it no longer advertises.
    var hasVanished = false
    /// Whether it remembers a central: the bond's keys are on both sides.
    var hasBond = false

    /// A value of a characteristic that somebody listens to.
    var onValue: ((_ uuid: String, _ value: [UInt8]) -> Void)?
    /// The activity is over.
    var onEnd: (() -> Void)?

    /// While true, the sensor sends nothing.
    var isSilent = false
    /// The bytes of the next heart rate, whatever was measured.
    var malformed: [UInt8]?

    /// How many of the activity's heart rates were measured.
    private(set) var heartRateCount = 0
    private(set) var beatsPerMinute: UInt16 = 0
    private(set) var steps: UInt32 = 0
    private(set) var battery: UInt8 = fullBattery
    private(set) var listened: Set<String> = []
    private var temperature: MedicalFloat
    private var temperatureSite: TemperatureSite?
    /// A temperature that was set by hand; recorded ones are then left out.
    private var fixedTemperature: MedicalFloat?
    private var recordedSteps: UInt32 = 0
    private var energy = EnergyExpended()
    private var measurements = 0
    private var bicycle = Bicycle()
    private let watts: Int16
    private var replay: Replay?
    /// Heart rates at a fixed rate; nil if they come from the activity.
    private var pulse: Ticker?
    private var counter: UInt16 = 0
    /// A thermometer's seconds, while somebody listens.
    private var thermometer: Ticker?
    private var measuring = 0
    /// How often the control point was told to reset the energy.
    private(set) var energyResetCount = 0
    /// How much charge the battery has lost.
    private var used: UInt8 = 0

    /// What a power meter measures unless it is told otherwise.
    static let usualWatts: Int16 = 200
    private static let fullBattery: UInt8 = 95
    private static let secondsPerPercent = 600.0
    /// How many seconds a thermometer takes.
    static let measuringTime = 5

    /// A sensor that has already measured the first record of its activity, but has not begun to send.
    init(
        name: String, address: String, isPrivate: Bool = false, profile: Profile = .strap, activity: any Activity,
        speed: Double, beginning: Int64? = nil, rate: Double? = nil, watts: Int16 = Peripheral.usualWatts,
        on loop: EventLoop
    ) {
        self.watts = watts
        self.name = name
        self.address = address
        self.isPrivate = isPrivate
        self.profile = profile
        var preview = activity
        temperature = preview.next()?.temperature ?? .notANumber
        temperatureSite = activity.temperatureSite
        replay = Replay(
            activity, speed: speed, beginning: beginning, on: loop, play: { [unowned self] in play($0) },
            finish: { [unowned self] in onEnd?() }
        )
        pulse = rate.map { rate in Ticker(every: .seconds(1 / rate), on: loop) { [unowned self] in beat() } }
        thermometer = Ticker(every: .seconds(1 / speed), on: loop) { [unowned self] in measureTemperature() }
    }

    /// Ends the activity where it is.
    func stop() {
        replay?.cancel()
        pulse?.cancel()
        thermometer?.cancel()
    }

    // MARK: Its address

    /// What it advertises under: its identity address, or a random one whose two top bits are 01 (Core Specification,
    /// Vol 6, Part B, 1.3.2.2). It is derived from the identity, so two runs are the same.
    var airAddress: String {
        guard isPrivate else { return address }
        var random = SplitMix64(seed: (UInt64(address.filter { $0 != ":" }, radix: 16) ?? 0) &+ addressCount << 48)
        return addressText(random.next() & 0x3FFF_FFFF_FFFF | 0x4000_0000_0000)
    }

    /// It advertises under another address from now on.
    func renewAddress() { addressCount += 1 }

    // MARK: What a client may do

    /// The value of a characteristic that can be read.
    func read(_ uuid: String) throws(ATTError) -> [UInt8] {
        guard let characteristic = profile.characteristic(uuid) else { throw .invalidHandle }
        guard characteristic.access.contains(.read) else { throw .readNotPermitted }
        switch uuid {
        case GATT.bodySensorLocation: return BodySensorLocation.chest.gatt
        case GATT.batteryLevel: return [battery]
        case GATT.manufacturerName: return Array("Vitals".utf8)
        case GATT.modelNumber: return Array(profile.model.utf8)
        case GATT.serialNumber: return Array(address.filter { $0 != ":" }.utf8)
        case GATT.firmwareRevision: return Array("1.0.0".utf8)
        case GATT.pnpID: return PnPID(source: .bluetoothSIG, vendor: 0xFFFF, product: 1, version: 0x0100).gatt
        case Profile.runningFeature: return [0b111, 0]  // Stride length, distance, walking or running.
        case Profile.cyclingFeature: return [0b11, 0]  // Wheel, crank.
        case Profile.powerFeature: return [0b1000, 0, 0, 0]  // Crank.
        case Profile.steps: return littleEndian(steps)
        case Profile.temperature: return littleEndian(currentTemperature.float)
        default: throw .invalidHandle
        }
    }

    /// Writes to a characteristic.
    func write(_ bytes: [UInt8], to uuid: String) throws(ATTError) {
        guard let characteristic = profile.characteristic(uuid) else { throw .invalidHandle }
        guard characteristic.access.contains(.write) else { throw .writeNotPermitted }
        // Only the Heart Rate Control Point can be written.
        guard bytes.count == 1 else { throw .invalidLength }
        guard bytes == [1] else { throw .application(ATTError.controlPointNotSupported) }
        energy.reset()
        energyResetCount += 1
    }

    /// Somebody listens to a characteristic from now on.
    func listen(to uuid: String) {
        guard listened.insert(uuid).inserted else { return }
        if profile.beginning.contains(uuid) { replay?.begin() }
        switch uuid {
        case GATT.heartRateMeasurement: pulse?.begin()
        case GATT.temperatureMeasurement, GATT.intermediateTemperature:
            if isThermometer { thermometer?.begin() } else { sendTemperature(only: uuid) }
        default: break
        }
    }

    /// Nobody listens to a characteristic any more.
    func stopListening(to uuid: String) {
        listened.remove(uuid)
        if !listened.contains(GATT.heartRateMeasurement) { pulse?.cancel() }
        if listened.isDisjoint(with: Self.temperatures) {
            thermometer?.cancel()
            measuring = 0
        }
    }

    private static let temperatures = [GATT.temperatureMeasurement, GATT.intermediateTemperature]
    private var isThermometer: Bool { profile.beginning.contains(GATT.temperatureMeasurement) }

    // MARK: What people command

    /// Measures a heart rate, now.
    func measure(beatsPerMinute: UInt16) { sendHeartRate(Record(elapsed: 0, beatsPerMinute: beatsPerMinute)) }

    /// Sets the step counter; the activity's steps are added to it.
    func set(steps: UInt32) { self.steps = steps }

    /// Sets the temperature for good; nil goes back to the activity's.
    func set(temperature: MedicalFloat?) {
        fixedTemperature = temperature
        if !isThermometer { sendTemperature() }
    }

    /// Sets the battery's level; it continues to lose what the activity takes.
    func set(battery level: UInt8) {
        guard level != battery else { return }
        battery = level
        send(GATT.batteryLevel, [level])
        onBattery?()
    }

    /// The temperature as it would be read.
    var currentTemperature: MedicalFloat { fixedTemperature ?? temperature }

    // MARK: The activity

    private func play(_ record: Record) {
        if let recorded = record.steps {
            steps &+= recorded &- recordedSteps
            recordedSteps = recorded
        }
        if let measured = record.temperature { temperature = measured }
        energy.add(until: record.elapsed, beatsPerMinute: record.beatsPerMinute)
        if record.beatsPerMinute != nil, pulse == nil {
            heartRateCount += 1
            sendHeartRate(record)
        }
        if record.temperature != nil, !isThermometer { sendTemperature() }
        if let speed = record.metresPerSecond { move(speed, record) }
        let used = UInt8(min(Double(Self.fullBattery) - 1, record.elapsed / Self.secondsPerPercent))
        set(battery: battery - min(battery, used - min(used, self.used)))
        self.used = used
    }

    /// The battery's level has changed.
    var onBattery: (() -> Void)?

    private func sendHeartRate(_ record: Record) {
        beatsPerMinute = record.beatsPerMinute ?? beatsPerMinute
        // The Heart Rate Service recommends the energy in every tenth measurement (3.1.1.3).
        measurements += 1
        // A strap that measures what no heart does is not worn.
        let isWorn = HeartRateSamples.plausible.contains(Int(beatsPerMinute))
        let measurement = HeartRateMeasurement(
            beatsPerMinute: beatsPerMinute, contact: isWorn ? .detected : .notDetected,
            energyKilojoules: measurements % 10 == 1 ? energy.kilojoules : nil, rrIntervals: record.rrIntervals)
        if let malformed, listened.contains(GATT.heartRateMeasurement), !isSilent {
            self.malformed = nil
            return send(GATT.heartRateMeasurement, malformed)
        }
        send(GATT.heartRateMeasurement, measurement.gatt)
    }

    /// A heart rate at a fixed rate. Only those that go to a listener are counted.
    private func beat() {
        guard listened.contains(GATT.heartRateMeasurement), !isSilent else { return }
        counter = counter == .max ? 1 : counter + 1
        heartRateCount += 1
        sendHeartRate(Record(elapsed: 0, beatsPerMinute: counter))
    }

    /// A thermometer's second: it closes on the temperature from below, a tenth of a degree in each, and reaches it in
    /// the end.
    private func measureTemperature() {
        measuring += 1
        let rest = Int64(Self.measuringTime - measuring)
        var value = currentTemperature
        if rest > 0, let thousandths = try? value.thousandths() {
            value = .number(mantissa: Int32((Int64(thousandths) - 100 * rest) / 10), exponent: -2)
        }
        let measurement = TemperatureMeasurement(value: value, site: temperatureSite).gatt
        send(GATT.intermediateTemperature, measurement)
        guard rest == 0 else { return }
        measuring = 0
        send(GATT.temperatureMeasurement, measurement)
    }

    private func sendTemperature(only wanted: String? = nil) {
        let measurement = TemperatureMeasurement(value: currentTemperature, site: temperatureSite)
        for uuid in [GATT.temperatureMeasurement, GATT.intermediateTemperature] where wanted == nil || wanted == uuid {
            send(uuid, measurement.gatt)
        }
    }

    /// What a foot pod, a bicycle and a power meter send for a speed. A foot pod reports the steps of both feet.
    private func move(_ metresPerSecond: Double, _ record: Record) {
        let cadence = record.cadencePerMinute ?? 0
        let stepsPerMinute = UInt8(min(255, 2 * cadence))
        let hasStride = stepsPerMinute > 0 && profile.characteristic(Profile.runningFeature) != nil
        let running = RunningSpeedAndCadence(
            speed256ths: UInt16(min(65_535, (metresPerSecond * 256).rounded())), cadencePerMinute: stepsPerMinute,
            strideCentimetres: hasStride
                ? UInt16(min(65_535, (metresPerSecond * 6000 / Double(stepsPerMinute)).rounded())) : nil,
            distanceDecimetres: record.distance.map { UInt32(min(4e9, $0 * 10)) }, isRunning: metresPerSecond > 2)
        send(GATT.runningSpeedAndCadenceMeasurement, running.gatt)
        bicycle.ride(until: record.elapsed, metresPerSecond: metresPerSecond, cadencePerMinute: cadence)
        send(GATT.cyclingSpeedAndCadenceMeasurement, bicycle.gatt)
        // No recording has power: the rider pushes evenly, and rests where the bicycle stands.
        send(GATT.cyclingPowerMeasurement, bicycle.power(metresPerSecond > 0 ? watts : 0))
    }

    private func send(_ uuid: String, _ bytes: [UInt8]) {
        if !isSilent, listened.contains(uuid) { onValue?(uuid, bytes) }
    }
}
