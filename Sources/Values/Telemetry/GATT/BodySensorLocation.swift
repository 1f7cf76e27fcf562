/// Where a heart-rate sensor is worn (Body Sensor Location, 2A38): one byte.
public enum BodySensorLocation: UInt8, CaseIterable, Sendable, CustomStringConvertible {
    /// Somewhere not listed.
    case other = 0
    /// On the chest.
    case chest
    /// On the wrist.
    case wrist
    /// On a finger.
    case finger
    /// On the hand.
    case hand
    /// On an ear lobe.
    case earLobe
    /// On the foot.
    case foot

    /// What the characteristic says. Values from 7 are reserved and refused.
    public init(gatt bytes: [UInt8]) throws(MalformedValue) {
        var reader = ByteReader(bytes, of: "body sensor location")
        let value = try reader.byte()
        guard let location = Self(rawValue: value) else { throw reader.malformed(.unsupported("location \(value)")) }
        self = location
    }

    /// The characteristic that says this.
    public var gatt: [UInt8] { [rawValue] }

    /// The name used in payloads.
    public var description: String {
        switch self {
        case .other: "other"
        case .chest: "chest"
        case .wrist: "wrist"
        case .finger: "finger"
        case .hand: "hand"
        case .earLobe: "ear-lobe"
        case .foot: "foot"
        }
    }
}
