import Telemetry

/// A service of the peripheral.
struct Service {
    let uuid: String
    let characteristics: [Characteristic]
}

/// A characteristic of the peripheral, and what may be done with it.
struct Characteristic {
    /// What a client may do, spelt as BlueZ spells it in `Flags`; the order is BlueZ's, too.
    enum Access: String, CaseIterable {
        case read
        case write
        case notify
        case indicate
    }

    let uuid: String
    let access: Set<Access>

    init(_ uuid: String, _ access: Access...) {
        self.uuid = uuid
        self.access = Set(access)
    }

    /// As in BlueZ's `Flags`.
    var flags: [String] { Access.allCases.filter(access.contains).map(\.rawValue) }

    var isSubscribable: Bool { access.contains(.notify) || access.contains(.indicate) }
}

/// What the emulated sensor has.
enum Profile {
    static let vendorService = "f1700001-76a1-4c53-9d5b-3f5f0d3c1a00"
    /// uint32, little-endian.
    static let steps = "f1700002-76a1-4c53-9d5b-3f5f0d3c1a00"
    /// IEEE 11073 FLOAT, little-endian, degrees Celsius.
    static let temperature = "f1700003-76a1-4c53-9d5b-3f5f0d3c1a00"

    /// In the order of their handles.
    static let services = [
        Service(
            uuid: GATT.heartRateService,
            characteristics: [
                Characteristic(GATT.heartRateMeasurement, .notify),
                Characteristic(GATT.bodySensorLocation, .read),
                Characteristic(GATT.heartRateControlPoint, .write),
            ]),
        Service(
            uuid: GATT.batteryService,
            characteristics: [Characteristic(GATT.batteryLevel, .read, .notify)]),
        Service(
            uuid: GATT.deviceInformationService,
            characteristics: [
                Characteristic(GATT.manufacturerName, .read),
                Characteristic(GATT.modelNumber, .read),
                Characteristic(GATT.serialNumber, .read),
                Characteristic(GATT.firmwareRevision, .read),
                Characteristic(GATT.pnpID, .read),
            ]),
        Service(
            uuid: GATT.healthThermometerService,
            characteristics: [
                Characteristic(GATT.temperatureMeasurement, .indicate),
                Characteristic(GATT.intermediateTemperature, .notify),
            ]),
        Service(
            uuid: GATT.runningSpeedAndCadenceService,
            characteristics: [Characteristic(GATT.runningSpeedAndCadenceMeasurement, .notify)]),
        Service(
            uuid: vendorService,
            characteristics: [Characteristic(steps, .read), Characteristic(temperature, .read)]),
    ]

    /// What the advertisement names.
    static let advertised = [GATT.heartRateService]

    static func characteristic(_ uuid: String) -> Characteristic? {
        services.flatMap(\.characteristics).first { $0.uuid == uuid }
    }
}
