// Integers in as many bytes as they need. What is kept on disks and sent in blocks is full of them, so there is one
// codec for all of it.
//
// Telemetry.docc/Blocks.md, "Numbers", says what is accepted: forms that are longer than needed, with groups of zero at
// their end, are, but never more than ten bytes or 64 bits.

/// LEB128: groups of seven bits, the least significant first, and the top bit set in each byte except the last.
public enum Varint {
    /// Why there is no integer.
    public enum Fault: Error, Hashable, Sendable {
        /// The bytes end within it.
        case truncated
        /// It has more than ten bytes.
        case tooLong
        /// It has more than 64 bits.
        case tooLarge
    }

    /// Reads an integer from some bytes, and moves the position past it. After a fault the position is anywhere up to
    /// the end.
    @inlinable
    public static func take<Bytes: RandomAccessCollection>(
        from bytes: Bytes, at position: inout Int
    ) throws(Fault) -> UInt64 where Bytes.Element == UInt8, Bytes.Index == Int {
        guard position < bytes.endIndex else { throw .truncated }
        var value = UInt64(bytes[position])
        position += 1
        // Nearly all have one byte, and a curve is made of hundreds of thousands.
        guard value & 0x80 != 0 else { return value }
        value &= 0x7F
        var shift: UInt64 = 7
        while true {
            guard position < bytes.endIndex else { throw .truncated }
            let byte = bytes[position]
            position += 1
            guard shift < 63 || byte & 0x7F <= 1 else { throw .tooLarge }
            value |= UInt64(byte & 0x7F) &<< shift
            guard byte & 0x80 != 0 else { return value }
            guard shift < 63 else { throw .tooLong }
            shift += 7
        }
    }
}

extension [UInt8] {
    /// Appends an integer as a varint, in as few bytes as it takes.
    @inlinable
    public mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a signed integer as the varint of its zigzag.
    @inlinable
    public mutating func appendZigzag(_ value: Int64) { appendVarint(value.zigzag) }
}

extension Int64 {
    /// The integer as an unsigned one that is small if the integer is near 0: 0, -1, 1, -2 become 0, 1, 2, 3.
    @inlinable
    public var zigzag: UInt64 { UInt64(bitPattern: self << 1 ^ self >> 63) }

    /// The integer that has this zigzag.
    @inlinable
    public init(zigzag: UInt64) { self = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1) }
}
