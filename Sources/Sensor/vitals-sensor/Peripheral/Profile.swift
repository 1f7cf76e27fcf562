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

/// What kind of sensor it is, and what it has.
struct Profile: Sendable {
    /// The word for it on the command line.
    let word: String
    /// The name under which it advertises if it was given none.
    let name: String
    let model: String
    /// As in Assigned Numbers, 2.6.
    let appearance: UInt16
    /// In the order of their handles.
    var services: [Service]
    /// What the advertisement names.
    let advertised: [String]
    /// The activity begins when somebody first listens to one of these.
    let beginning: Set<String>

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
}

/// Which characteristics need an encrypted link.
enum EncryptedPart: String, CaseIterable, Sendable {
    /// The maker's own: steps and temperature. The heart rate stays open to everybody.
    case vendor
    /// Everything that is measured; battery and device information stay open to everybody.
    case measurements

    func includes(_ service: String) -> Bool {
        switch self {
        case .vendor: service == Profile.vendorService
        case .measurements: service != GATT.batteryService && service != GATT.deviceInformationService
        }
    }
}
