/// A text of the Device Information service (2A24 model, 2A25 serial, 2A26 firmware, 2A29 manufacturer): UTF-8.
public struct DeviceInformationString: Hashable, Sendable {
    /// The text, fit for a log line: up to the first NUL, repaired if it is not UTF-8, without control characters.
    public let text: String

    /// What the characteristic says. Throws `noValue` if nothing is left of it.
    public init(gatt bytes: [UInt8]) throws(MalformedValue) {
        let decoded = String(decoding: bytes.prefix(GATT.maximumValueLength).prefix { $0 != 0 }, as: UTF8.self)
        var clean = String.UnicodeScalarView()
        for scalar in decoded.unicodeScalars where scalar.properties.generalCategory != .control {
            clean.append(scalar)
        }
        guard clean.contains(where: { !$0.properties.isWhitespace }) else {
            throw MalformedValue("device information", .noValue)
        }
        text = String(clean)
    }
}

/// Who made a device (PnP ID, 2A50): source, one byte; vendor, product and version, two each.
public struct PnPID: Hashable, Sendable {
    /// Who assigned the vendor's number.
    public enum Source: UInt8, Sendable {
        /// The Bluetooth SIG.
        case bluetoothSIG = 1
        /// The USB Implementers Forum.
        case usb = 2
    }

    /// Who assigned `vendor`.
    public var source: Source
    /// The maker.
    public var vendor: UInt16
    /// The maker's number for the product.
    public var product: UInt16
    /// The product's version.
    public var version: UInt16

    /// An id from its parts.
    public init(source: Source, vendor: UInt16, product: UInt16, version: UInt16) {
        self.source = source
        self.vendor = vendor
        self.product = product
        self.version = version
    }

    /// What the characteristic says; refuses reserved sources.
    public init(gatt bytes: [UInt8]) throws(MalformedValue) {
        var reader = ByteReader(bytes, of: "PnP id")
        let number = try reader.byte()
        guard let source = Source(rawValue: number) else { throw reader.malformed(.unsupported("source \(number)")) }
        self.source = source
        vendor = try reader.uint16Little()
        product = try reader.uint16Little()
        version = try reader.uint16Little()
    }

    /// The characteristic that says this.
    public var gatt: [UInt8] {
        var bytes = [source.rawValue]
        bytes.appendLittle(vendor)
        bytes.appendLittle(product)
        bytes.appendLittle(version)
        return bytes
    }
}
