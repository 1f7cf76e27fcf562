/// A battery's charge (Battery Level, 2A19): one byte, 0 to 100.
public struct BatteryLevel: Hashable, Sendable {
    /// Percent of full charge, 0 to 100.
    public let percent: UInt8

    /// A level; refuses more than 100.
    public init(percent: UInt8) throws(MalformedValue) {
        guard percent <= 100 else { throw MalformedValue("battery level", .outOfRange("percent, 0 to 100")) }
        self.percent = percent
    }

    /// What the characteristic says; more than 100 is reserved and refused.
    public init(gatt bytes: [UInt8]) throws(MalformedValue) {
        var reader = ByteReader(bytes, of: "battery level")
        try self.init(percent: try reader.byte())
    }

    /// The characteristic that says this.
    public var gatt: [UInt8] { [percent] }
}
