/// Takes fields off the front of some bytes. Every step checks what is left first, so no input can make it trap.
///
/// GATT fields are little-endian (`…Little`), our own headers big-endian (`…Big`); columns use LEB128 variable-length integers.
struct ByteReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private let subject: String

    init(_ bytes: [UInt8], of subject: String) {
        self.init(bytes[...], of: subject)
    }

    init(_ bytes: ArraySlice<UInt8>, of subject: String) {
        self.bytes = bytes
        self.position = bytes.startIndex
        self.subject = subject
    }

    var remaining: Int { bytes.endIndex - position }

    mutating func take(_ count: Int) throws(MalformedValue) -> ArraySlice<UInt8> {
        guard count >= 0, count <= remaining else { throw malformed(.truncated) }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func takeRest() -> ArraySlice<UInt8> {
        defer { position = bytes.endIndex }
        return bytes[position...]
    }

    mutating func byte() throws(MalformedValue) -> UInt8 {
        guard remaining >= 1 else { throw malformed(.truncated) }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func uint16Little() throws(MalformedValue) -> UInt16 {
        guard remaining >= 2 else { throw malformed(.truncated) }
        defer { position += 2 }
        return UInt16(bytes[position]) | UInt16(bytes[position + 1]) << 8
    }

    mutating func uint24Little() throws(MalformedValue) -> UInt32 {
        guard remaining >= 3 else { throw malformed(.truncated) }
        return UInt32(try uint16Little()) | UInt32(try byte()) << 16
    }

    mutating func uint32Little() throws(MalformedValue) -> UInt32 {
        guard remaining >= 4 else { throw malformed(.truncated) }
        return UInt32(try uint16Little()) | UInt32(try uint16Little()) << 16
    }

    mutating func uint64Big() throws(MalformedValue) -> UInt64 {
        var value: UInt64 = 0
        for byte in try take(8) { value = value << 8 | UInt64(byte) }
        return value
    }

    mutating func int64Big() throws(MalformedValue) -> Int64 {
        Int64(bitPattern: try uint64Big())
    }

    /// LEB128, at most ten bytes; what does not fit in 64 bits is refused.
    mutating func varint() throws(MalformedValue) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            let group = UInt64(byte & 0x7F)
            guard shift < 63 || group <= 1 else { throw malformed(.outOfRange("an integer of more than 64 bits")) }
            value |= group << shift
            guard byte & 0x80 != 0 else { return value }
            guard shift < 63 else { throw malformed(.outOfRange("an integer of more than ten bytes")) }
            shift += 7
        }
    }

    /// A signed integer mapped to an unsigned one: 0, -1, 1, -2 become 0, 1, 2, 3.
    mutating func zigzag() throws(MalformedValue) -> Int64 {
        let mapped = try varint()
        return Int64(bitPattern: mapped >> 1) ^ -Int64(bitPattern: mapped & 1)
    }

    /// A count that must lie in `range`, checked before anything is allocated for it.
    mutating func count(_ range: ClosedRange<UInt64>, _ field: String) throws(MalformedValue) -> Int {
        let count = try varint()
        guard range.contains(count), let count = Int(exactly: count) else {
            throw malformed(.outOfRange("\(field), \(range.lowerBound) to \(range.upperBound)"))
        }
        return count
    }

    /// Refuses anything that follows.
    func end() throws(MalformedValue) {
        guard remaining == 0 else { throw malformed(.trailingBytes(remaining)) }
    }

    func malformed(_ fault: MalformedValue.Fault) -> MalformedValue {
        MalformedValue(subject, fault)
    }
}
