import Bluetooth
import Daemon
import Telemetry

/// When to make a bond with a sensor.
enum Bond: String, CaseIterable, Sendable {
    /// When it is first connected to.
    case always
    /// When a characteristic needs it, as most never do.
    case whenNeeded = "when_needed"
    case never
}

/// One of `sensors`: how to recognise it, and where it keeps values that the standard services do not offer for
/// reading.
struct SensorSettings {
    let id: ID
    /// The name that the sensor itself gives.
    let name: String?
    /// Such as `C0:FF:EE:00:00:01`.
    let address: String?
    let notify: NotifyMethod
    /// How long a connected sensor may send nothing.
    let silence: Duration
    let bond: Bond
    /// How far a bicycle comes with one turn of the wheel.
    let wheelMillimetres: Int
    let steps: (uuid: String, encoding: StepsEncoding)
    let temperature: (uuid: String, encoding: TemperatureEncoding)

    init(id: String, _ section: Section) throws(SettingsError) {
        do { self.id = try ID(id) } catch { throw section.refusal(of: "", "\(error)") }
        name = try section.string("name", default: nil)
        address = try section.string("address", default: nil)?.uppercased()
        guard (name == nil) != (address == nil) else {
            throw section.refusal(
                of: "", "needs either a name or an address",
                hint: "`bluetoothctl scan le` shows both; such as { name: \"Polar H10 12345678\" }")
        }
        notify = try section.choice("notify", default: .signal)
        silence = try section.duration("silence", in: .seconds(1) ... .seconds(3600), default: .seconds(30))
        bond = try section.choice("bond", default: .whenNeeded)
        wheelMillimetres = try section.integer("wheel_mm", in: 500...3500, default: Self.usualWheel)
        let steps = try section.section("steps")
        self.steps = (
            try steps.uuid("uuid", default: GATT.stepCounterActivitySummary),
            try steps.choice("encoding", default: .stepCounterSummary)
        )
        let temperature = try section.section("temperature")
        self.temperature = (
            try temperature.uuid("uuid", default: GATT.temperatureMeasurement),
            try temperature.choice("encoding", default: .temperatureMeasurement)
        )
    }

    /// The settings of a sensor that was added by request: known by its address if that stays the same, otherwise by
    /// its name. Nil if it has neither.
    init?(added entry: SensorMemory.Entry, _ id: ID) {
        guard entry.device != nil || entry.soughtAs != nil else { return nil }
        self.id = id
        (name, address) = (entry.soughtAs, entry.soughtAs == nil ? entry.device?.address : nil)
        (notify, silence, bond) = (.signal, .seconds(30), .whenNeeded)
        wheelMillimetres = Self.usualWheel
        steps = (GATT.stepCounterActivitySummary, .stepCounterSummary)
        temperature = (GATT.temperatureMeasurement, .temperatureMeasurement)
    }

    /// The circumference of a tyre of 25-622 (700 × 25 C), and nearly that of many others.
    private static let usualWheel = 2096

    func matches(_ device: Device) -> Bool {
        if let address { return device.address.uppercased() == address }
        return device.name == name
    }
}

extension Section {
    /// A UUID of 16 or 128 bits, as lower-case 128-bit text.
    fileprivate func uuid(_ key: String, default absent: String) throws(SettingsError) -> String {
        guard let text = try string(key, default: nil) else { return absent }
        guard let uuid = GATT.uuid(text) else {
            throw refusal(
                of: key, "\"\(text)\" is not a UUID",
                hint: "such as \"2a1c\" or \"00030001-78fc-48fe-8e23-433b3a1942d0\"")
        }
        return uuid
    }
}
