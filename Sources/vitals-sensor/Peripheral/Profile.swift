import Telemetry

/// A service of the peripheral.
struct Service: Sendable {
    let uuid: String
    var characteristics: [Characteristic]
}

/// A characteristic of the peripheral, and what may be done with it.
struct Characteristic: Sendable {
    /// What a client may do, spelt as BlueZ spells it in `Flags`; the order is BlueZ's, too.
    enum Access: String, CaseIterable, Sendable {
        case read
        case write
        case notify
        case indicate
    }

    let uuid: String
    let access: Set<Access>
    /// Whether it can be read, written or listened to on an encrypted link only, which takes a bond.
    var needsEncryption = false

    init(_ uuid: String, _ access: Access...) {
        self.uuid = uuid
        self.access = Set(access)
    }

    /// As in BlueZ's `Flags`.
    var flags: [String] { Access.allCases.filter(access.contains).map(\.rawValue) }

    var isSubscribable: Bool { access.contains(.notify) || access.contains(.indicate) }
}

/// What the emulated sensor has.
struct Profile: Sendable {
    static let vendorService = "f1700001-76a1-4c53-9d5b-3f5f0d3c1a00"
    /// uint32, little-endian.
    static let steps = "f1700002-76a1-4c53-9d5b-3f5f0d3c1a00"
    /// IEEE 11073 FLOAT, little-endian, degrees Celsius.
    static let temperature = "f1700003-76a1-4c53-9d5b-3f5f0d3c1a00"

    /// In the order of their handles.
    var services: [Service]
    /// What the advertisement names.
    let advertised: [String]

    func characteristic(_ uuid: String) -> Characteristic? {
        services.lazy.flatMap(\.characteristics).first { $0.uuid == uuid }
    }

    /// The same profile, with some of its characteristics encrypted.
    func encrypting(_ part: EncryptedPart) -> Profile {
        var profile = self
        for index in profile.services.indices where part.includes(profile.services[index].uuid) {
            for place in profile.services[index].characteristics.indices {
                profile.services[index].characteristics[place].needsEncryption = true
            }
        }
        return profile
    }

    /// A chest strap that counts steps and takes temperatures, too.
    static let strap = Profile(
        services: [
            Service(
                uuid: GATT.heartRateService,
                characteristics: [
                    Characteristic(GATT.heartRateMeasurement, .notify),
                    Characteristic(GATT.bodySensorLocation, .read),
                    Characteristic(GATT.heartRateControlPoint, .write),
                ]),
            battery, deviceInformation,
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
        ],
        advertised: [GATT.heartRateService])

    private static let battery = Service(
        uuid: GATT.batteryService, characteristics: [Characteristic(GATT.batteryLevel, .read, .notify)])

    private static let deviceInformation = Service(
        uuid: GATT.deviceInformationService,
        characteristics: [
            Characteristic(GATT.manufacturerName, .read),
            Characteristic(GATT.modelNumber, .read),
            Characteristic(GATT.serialNumber, .read),
            Characteristic(GATT.firmwareRevision, .read),
            Characteristic(GATT.pnpID, .read),
        ])
}

/// Which characteristics need an encrypted link.
enum EncryptedPart: String, CaseIterable, Sendable {
    /// The maker's own: steps and temperature. The heart rate is for everybody.
    case vendor
    /// Everything that is measured; battery and device information are for everybody.
    case measurements

    func includes(_ service: String) -> Bool {
        switch self {
        case .vendor: service == Profile.vendorService
        case .measurements: service != GATT.batteryService && service != GATT.deviceInformationService
        }
    }
}
