/// The attributes we speak to, each as the lower-case 128-bit UUID that BlueZ uses.
///
/// Numbers from the Bluetooth SIG's Assigned Numbers.
public enum GATT {
    /// Service 180D.
    public static let heartRateService = uuid(0x180D)
    /// Characteristic 2A37, notify: `HeartRateMeasurement`.
    public static let heartRateMeasurement = uuid(0x2A37)
    /// Characteristic 2A38, read: `BodySensorLocation`.
    public static let bodySensorLocation = uuid(0x2A38)
    /// Characteristic 2A39, write: one byte, 01 resets the energy expended.
    public static let heartRateControlPoint = uuid(0x2A39)

    /// Service 1809.
    public static let healthThermometerService = uuid(0x1809)
    /// Characteristic 2A1C, indicate: `TemperatureMeasurement`.
    public static let temperatureMeasurement = uuid(0x2A1C)
    /// Characteristic 2A1E, notify: `TemperatureMeasurement`.
    public static let intermediateTemperature = uuid(0x2A1E)
    /// Characteristic 2A1D, read: one byte, a `TemperatureSite`.
    public static let temperatureType = uuid(0x2A1D)
    /// Characteristic 2A6E, read: hundredths of a degree Celsius.
    public static let temperature = uuid(0x2A6E)

    /// Service 1814.
    public static let runningSpeedAndCadenceService = uuid(0x1814)
    /// Characteristic 2A53, notify: `RunningSpeedAndCadence`.
    public static let runningSpeedAndCadenceMeasurement = uuid(0x2A53)
    /// Service 1816.
    public static let cyclingSpeedAndCadenceService = uuid(0x1816)
    /// Characteristic 2A5B, notify: `CyclingSpeedAndCadence`.
    public static let cyclingSpeedAndCadenceMeasurement = uuid(0x2A5B)

    /// Service 1818.
    public static let cyclingPowerService = uuid(0x1818)
    /// Characteristic 2A63, notify: `CyclingPower`.
    public static let cyclingPowerMeasurement = uuid(0x2A63)
    /// Service 1819.
    public static let locationAndNavigationService = uuid(0x1819)
    /// Characteristic 2A67, notify: `LocationAndSpeed`.
    public static let locationAndSpeed = uuid(0x2A67)

    /// Service 183E.
    public static let physicalActivityMonitorService = uuid(0x183E)
    /// Characteristic 2B40, indicate or notify: `StepCounterSummary`.
    public static let stepCounterActivitySummary = uuid(0x2B40)

    /// Service 180F.
    public static let batteryService = uuid(0x180F)
    /// Characteristic 2A19, read and notify: `BatteryLevel`.
    public static let batteryLevel = uuid(0x2A19)

    /// Service 180A.
    public static let deviceInformationService = uuid(0x180A)
    /// Characteristic 2A24, read: `DeviceInformationString`.
    public static let modelNumber = uuid(0x2A24)
    /// Characteristic 2A25, read: `DeviceInformationString`.
    public static let serialNumber = uuid(0x2A25)
    /// Characteristic 2A26, read: `DeviceInformationString`.
    public static let firmwareRevision = uuid(0x2A26)
    /// Characteristic 2A29, read: `DeviceInformationString`.
    public static let manufacturerName = uuid(0x2A29)
    /// Characteristic 2A50, read: `PnPID`.
    public static let pnpID = uuid(0x2A50)

    /// Descriptor 2902, Client Characteristic Configuration.
    public static let clientCharacteristicConfiguration = uuid(0x2902)

    /// No attribute value is longer (Core Specification, Vol 3, Part F, 3.2.9).
    public static let maximumValueLength = 512

    /// A 16-bit UUID in full: put into the Bluetooth base UUID (Core Specification, Vol 3, Part B, 2.5.1).
    public static func uuid(_ short: UInt16) -> String {
        let digits = hexadecimal([UInt8(short >> 8), UInt8(short & 0xFF)])
        return "0000\(digits)-0000-1000-8000-00805f9b34fb"
    }

    /// A UUID as it may be written in settings (`2A37`, `0x2a37` or all 36 characters, either case) in the form used
    /// here, or nil if the text is no UUID.
    public static func uuid(_ text: String) -> String? {
        let lower = text.lowercased()
        let short = lower.hasPrefix("0x") ? lower.dropFirst(2) : lower[...]
        if short.utf8.count == 4, let value = bytes(hexadecimal: short) {
            return uuid(UInt16(value[0]) << 8 | UInt16(value[1]))
        }
        let groups = lower.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
        return groups.allSatisfy { bytes(hexadecimal: $0) != nil } ? lower : nil
    }
}
