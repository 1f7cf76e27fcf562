/// An error of the Attribute Protocol (Core Specification, Vol 3, Part F, 3.4.1.1).
enum ATTError: Error, Equatable {
    case invalidHandle
    case readNotPermitted
    case writeNotPermitted
    case invalidOffset
    case invalidLength
    /// 0E: what the stack reports for a link that has ended.
    case unlikely
    /// 80 to 9F: defined by the service's own specification.
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

func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
}
