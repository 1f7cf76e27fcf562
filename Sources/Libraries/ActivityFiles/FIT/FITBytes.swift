import Fitness

// How FIT spells values: Garmin's "Flexible and Interoperable Data Transfer (FIT) Protocol", sections on the file
// header, the CRC, and the base types of fields (fit.py of the SDK and the page "FIT Protocol" at developer.garmin.com
// say the same).

/// What the bytes of a field are. The number is the lower five bits of the byte in a definition.
enum FITBaseType: UInt8 {
    case enumeration = 0x00
    case sint8 = 0x01
    case uint8 = 0x02
    case sint16 = 0x83
    case uint16 = 0x84
    case sint32 = 0x85
    case uint32 = 0x86
    case string = 0x07
    case float32 = 0x88
    case float64 = 0x89
    case uint8z = 0x0A
    case uint16z = 0x8B
    case uint32z = 0x8C
    case byte = 0x0D
    case sint64 = 0x8E
    case uint64 = 0x8F
    case uint64z = 0x90

    /// The type of a byte in a definition; nil where FIT has none. The top bit only says whether there is an order of
    /// bytes, and some writers leave it out.
    init?(definition byte: UInt8) {
        let number = byte & 0x1F
        guard let type = FITBaseType(rawValue: number) ?? FITBaseType(rawValue: number | 0x80) else { return nil }
        self = type
    }

    /// Bytes of one value.
    var size: Int {
        switch self {
        case .enumeration, .sint8, .uint8, .string, .uint8z, .byte: 1
        case .sint16, .uint16, .uint16z: 2
        case .sint32, .uint32, .uint32z, .float32: 4
        case .float64, .sint64, .uint64, .uint64z: 8
        }
    }
}

/// The checksum of FIT: CRC-16 with the reflected polynomial 0xA001, begun with 0.
enum FITChecksum {
    // Eight tables of 256: eight bytes at once, as Intel's "Slicing-by-8" has it. A takeout has gigabytes of this.
    private static let tables: [UInt16] = {
        var tables = [UInt16](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var crc = UInt16(byte)
            for _ in 0..<8 { crc = crc & 1 != 0 ? crc >> 1 ^ 0xA001 : crc >> 1 }
            tables[byte] = crc
        }
        for place in 1..<8 {
            for byte in 0..<256 {
                let before = tables[(place - 1) * 256 + byte]
                tables[place * 256 + byte] = before >> 8 ^ tables[Int(before & 0xFF)]
            }
        }
        return tables
    }()

    /// The checksum of some bytes.
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt16 {
        tables.withUnsafeBufferPointer { tables in
            var crc: UInt16 = 0
            var at = 0
            while at + 8 <= bytes.count {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)) ^ UInt64(crc)
                crc = 0
                for place in 0..<8 {
                    let byte = Int(truncatingIfNeeded: word &>> UInt64(place * 8)) & 0xFF
                    crc ^= tables[(7 - place) * 256 + byte]
                }
                at += 8
            }
            while at < bytes.count {
                crc = crc >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[at])]
                at += 1
            }
            return crc
        }
    }
}

/// Times of FIT: seconds since 1989-12-31T00:00:00Z, in 32 bits.
enum FITTime {
    /// That moment in Unix seconds.
    static let epoch: Int64 = 631_065_600
    /// What is below is no date, but seconds since the device was switched on.
    static let firstDate: UInt32 = 0x1000_0000

    /// Unix milliseconds; nil for what is no date.
    static func unixMilliseconds(_ seconds: Int64?) -> Int64? {
        guard let seconds, seconds >= Int64(firstDate), seconds < 0xFFFF_FFFF else { return nil }
        return (seconds + epoch) * 1000
    }

    /// The second, rounded down, and the milliseconds beyond it; nil for what FIT cannot spell.
    static func split(_ unixMilliseconds: Int64) -> (second: UInt32, milliseconds: UInt16)? {
        // Farther away than any date; so nothing below overflows.
        guard unixMilliseconds.magnitude < 1 << 50 else { return nil }
        let second = unixMilliseconds.floorDivided(by: 1000) - epoch
        guard let second = UInt32(exactly: second), second >= firstDate, second < .max else { return nil }
        return (second, UInt16(unixMilliseconds.floorRemainder(by: 1000)))
    }
}
