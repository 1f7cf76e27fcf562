/// Takes fields off the front of some bytes. Every step checks what is left first, so no input can make it trap.
///
/// GATT fields are little-endian (`…Little`), our own headers big-endian (`…Big`); columns use variable-length integers
/// (`Varint`).
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

    /// Three bytes, two's complement.
    mutating func int24Little() throws(MalformedValue) -> Int32 {
        Int32(bitPattern: try uint24Little() << 8) >> 8
    }

    mutating func uint32Little() throws(MalformedValue) -> UInt32 {
        guard remaining >= 4 else { throw malformed(.truncated) }
        return UInt32(try uint16Little()) | UInt32(try uint16Little()) << 16
    }

    mutating func uint64Big() throws(MalformedValue) -> UInt64 {
        guard remaining >= 8 else { throw malformed(.truncated) }
        defer { position += 8 }
        return bytes[position..<position + 8].withUnsafeBytes {
            UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self))
        }
    }

    mutating func int64Big() throws(MalformedValue) -> Int64 {
        Int64(bitPattern: try uint64Big())
    }

    /// See `Varint`.
    mutating func varint() throws(MalformedValue) -> UInt64 {
        do throws(Varint.Fault) { return try Varint.take(from: bytes, at: &position) } catch {
            switch error {
            case .truncated: throw malformed(.truncated)
            case .tooLong: throw malformed(.outOfRange("an integer of more than ten bytes"))
            case .tooLarge: throw malformed(.outOfRange("an integer of more than 64 bits"))
            }
        }
    }

    /// A signed integer, whose zigzag is a varint.
    mutating func zigzag() throws(MalformedValue) -> Int64 { Int64(zigzag: try varint()) }

    /// A count that must be in `range`, checked before anything is allocated for it.
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
