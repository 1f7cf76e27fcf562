// The emulated sensor itself: what it measures, what its characteristics say, and how it misbehaves on command.
//
// It knows nothing of D-Bus or links. A form (the stand-in for BlueZ, or a real adapter) asks it for values, tells it
// which characteristics somebody listens to, and carries what `onValue` says. The activity begins when somebody first
// listens to the heart rate, so that its first record is not missed, and then goes on whether anybody listens or not.

import Reactor
import Telemetry

/// One emulated sensor. Belongs to its loop.
final class Peripheral {
    let name: String
    /// Its identity address, such as `C0:FF:EE:00:00:01`.
    let address: String
    let profile: Profile
    /// Whether it advertises under resolvable private addresses, which only a bond shows to be the same sensor.
    let isPrivate: Bool
    /// How many addresses it has given up.
    private var addressCount: UInt64 = 0
    /// Whether links come about, and are ended at once.
    var isRefusing = false
    /// Whether it is near enough to be heard.
    var isReachable = true
    /// Whether it has gone for good: it advertises no more.
    var hasVanished = false
    /// Whether it remembers a central: the bond's keys are on both sides.
    var hasBond = false

    /// A value of a characteristic somebody listens to.
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
    private var running = RunningSpeedAndCadence(speed256ths: 0, cadencePerMinute: 0)
    private var replay: Replay?

    private static let fullBattery: UInt8 = 95
    private static let secondsPerPercent = 600.0

    /// A sensor that has measured the first record of its activity already, but not begun to send.
    init(
        name: String, address: String, isPrivate: Bool = false, profile: Profile = .strap, activity: any Activity,
        speed: Double,
        on loop: EventLoop
    ) {
        self.name = name
        self.address = address
        self.isPrivate = isPrivate
        self.profile = profile
        var preview = activity
        temperature = preview.next()?.temperature ?? .notANumber
        temperatureSite = activity.temperatureSite
        replay = Replay(
            activity, speed: speed, on: loop, play: { [unowned self] in play($0) },
            finish: { [unowned self] in onEnd?() }
        )
    }

    /// Ends the activity where it is.
    func stop() { replay?.cancel() }

    // MARK: Its address

    /// What it advertises under: its identity address, or a random one whose two top bits are 01 (Core Specification,
    /// Vol 6, Part B, 1.3.2.2). Drawn from the identity, so that two runs are the same.
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
        case GATT.modelNumber: return Array("Emulated HRM".utf8)
        case GATT.serialNumber: return Array(address.filter { $0 != ":" }.utf8)
        case GATT.firmwareRevision: return Array("1.0.0".utf8)
        case GATT.pnpID: return PnPID(source: .bluetoothSIG, vendor: 0xFFFF, product: 1, version: 0x0100).gatt
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
    }

    /// Somebody listens to a characteristic from now on.
    func listen(to uuid: String) {
        guard listened.insert(uuid).inserted else { return }
        switch uuid {
        case GATT.heartRateMeasurement: replay?.begin()
        case GATT.temperatureMeasurement, GATT.intermediateTemperature: sendTemperature(only: uuid)
        default: break
        }
    }

    /// Nobody listens to a characteristic any more.
    func stopListening(to uuid: String) { listened.remove(uuid) }

    // MARK: What people command

    /// Measures a heart rate, now.
    func measure(beatsPerMinute: UInt16) { sendHeartRate(Record(elapsed: 0, beatsPerMinute: beatsPerMinute)) }

    /// Sets the step counter; the activity's steps are added to it.
    func set(steps: UInt32) { self.steps = steps }

    /// Sets the temperature for good; nil goes back to the activity's.
    func set(temperature: MedicalFloat?) {
        fixedTemperature = temperature
        sendTemperature()
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
        if record.beatsPerMinute != nil {
            heartRateCount += 1
            sendHeartRate(record)
        }
        if record.temperature != nil { sendTemperature() }
        if let speed = record.metresPerSecond { sendSpeed(speed, record) }
        let used = UInt8(min(Double(Self.fullBattery) - 1, record.elapsed / Self.secondsPerPercent))
        if battery != Self.fullBattery - used {
            battery = Self.fullBattery - used
            send(GATT.batteryLevel, [battery])
            onBattery?()
        }
    }

    /// The battery's level has changed.
    var onBattery: (() -> Void)?

    private func sendHeartRate(_ record: Record) {
        beatsPerMinute = record.beatsPerMinute ?? beatsPerMinute
        // The Heart Rate Service recommends the energy in every tenth measurement (3.1.1.3).
        measurements += 1
        let measurement = HeartRateMeasurement(
            beatsPerMinute: beatsPerMinute, contact: .detected,
            energyKilojoules: measurements % 10 == 1 ? energy.kilojoules : nil, rrIntervals: record.rrIntervals)
        if let malformed, listened.contains(GATT.heartRateMeasurement), !isSilent {
            self.malformed = nil
            return send(GATT.heartRateMeasurement, malformed)
        }
        send(GATT.heartRateMeasurement, measurement.gatt)
    }

    private func sendTemperature(only wanted: String? = nil) {
        let measurement = TemperatureMeasurement(value: currentTemperature, site: temperatureSite)
        for uuid in [GATT.temperatureMeasurement, GATT.intermediateTemperature] where wanted == nil || wanted == uuid {
            send(uuid, measurement.gatt)
        }
    }

    private func sendSpeed(_ metresPerSecond: Double, _ record: Record) {
        let cadence = min(255, record.cadencePerMinute ?? 0)
        running = RunningSpeedAndCadence(
            speed256ths: UInt16(min(65_535, (metresPerSecond * 256).rounded())), cadencePerMinute: UInt8(cadence),
            distanceDecimetres: record.distance.map { UInt32(min(4e9, $0 * 10)) }, isRunning: metresPerSecond > 2)
        send(GATT.runningSpeedAndCadenceMeasurement, running.gatt)
    }

    private func send(_ uuid: String, _ bytes: [UInt8]) {
        if !isSilent, listened.contains(uuid) { onValue?(uuid, bytes) }
    }
}

/// The energy that a sensor claims somebody has expended: 70 kg, 35 years, by heart rate alone.
///
/// Source: Keytel and others, "Prediction of energy expenditure from heart rate monitoring during submaximal exercise",
/// Journal of Sports Sciences 23 (2005), the equation without VO2max for men, in kJ/min.
struct EnergyExpended {
    private var total = 0.0
    private var last: Double?

    /// As in 2A37: it stays at 65535 once there.
    var kilojoules: UInt16 { UInt16(min(65_535, total)) }

    mutating func reset() { total = 0 }

    mutating func add(until elapsed: Double, beatsPerMinute: UInt16?) {
        defer { last = elapsed }
        guard let last, let beatsPerMinute else { return }
        let perMinute = -55.0969 + 0.6309 * Double(beatsPerMinute) + 0.1988 * 70 + 0.2017 * 35
        total += max(0, perMinute) * (elapsed - last) / 60
    }
}

/// An error of the Attribute Protocol (Core Specification, Vol 3, Part F, 3.4.1.1).
enum ATTError: Error, Equatable {
    case invalidHandle
    case readNotPermitted
    case writeNotPermitted
    case invalidOffset
    case invalidLength
    /// 0E: what the stack makes of a link that has ended.
    case unlikely
    /// 80 to 9F: what the service's own specification says.
    case application(UInt8)

    /// Heart Rate Service: Control Point value not supported.
    static let controlPointNotSupported: UInt8 = 0x80
}

/// Six pairs of hexadecimal digits.
func addressText(_ number: UInt64) -> String {
    (0..<6).map { index in
        let digits = String(number >> (40 - 8 * index) & 0xFF, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }
    .joined(separator: ":")
}

func littleEndian(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
