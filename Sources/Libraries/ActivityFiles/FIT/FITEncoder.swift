/// Makes a FIT file of messages: a header of 14 bytes, least significant bytes first, both checksums.
struct FITEncoder {
    /// A field of a definition.
    struct Field {
        var number: UInt8
        var type: FITBaseType
        /// Bytes; those of one value unless it is a text or an array.
        var size: Int
        /// For a developer's field, whose it is.
        var developer: UInt8?

        init(_ number: UInt8, _ type: FITBaseType, size: Int? = nil, developer: UInt8? = nil) {
            self.number = number
            self.type = type
            self.size = size ?? type.size
            self.developer = developer
        }
    }

    /// What a field of a message holds.
    enum Value {
        case none
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
    }

    private var bytes: [UInt8]

    init(capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
        // The header's place: its length and checksum come at the end. Version 2.0 of the protocol, since there are
        // developers' fields; version 21.200 of the profile.
        bytes = [14, 0x20, UInt8(21_200 & 0xFF), UInt8(21_200 >> 8), 0, 0, 0, 0, 0x2E, 0x46, 0x49, 0x54, 0, 0]
    }

    /// Says how the messages of a local type, 0 to 15, are laid out.
    mutating func define(_ local: UInt8, _ number: UInt16, _ fields: [Field]) {
        let (own, developers) = (fields.filter { $0.developer == nil }, fields.filter { $0.developer != nil })
        bytes += [0x40 | (developers.isEmpty ? 0 : 0x20) | local, 0, 0, UInt8(number & 0xFF), UInt8(number >> 8)]
        bytes.append(UInt8(own.count))
        for field in own { bytes += [field.number, UInt8(field.size), field.type.rawValue] }
        guard !developers.isEmpty else { return }
        bytes.append(UInt8(developers.count))
        for field in developers { bytes += [field.number, UInt8(field.size), field.developer ?? 0] }
    }

    /// The header of a message, whose fields follow.
    mutating func begin(_ local: UInt8) { bytes.append(local) }

    /// A message with a definition of its own, for what comes once. Fields without a value are left out.
    mutating func message(_ local: UInt8, _ number: UInt16, _ fields: [(Field, Value)]) {
        var kept: [(Field, Value)] = []
        for (field, value) in fields {
            var field = field
            switch value {
            case .none: continue
            case .integer: break
            case .text(let text): field.size = text.utf8.wholeScalars(254).count + 1
            case .bytes(let bytes): field.size = min(bytes.count, 255)
            }
            kept.append((field, value))
        }
        define(local, number, kept.map(\.0))
        begin(local)
        // Developers' fields come last in the message as in its definition.
        for (field, value) in kept.filter({ $0.0.developer == nil }) + kept.filter({ $0.0.developer != nil }) {
            switch value {
            case .none: break
            case .integer(let integer): append(integer, field.type)
            case .text(let text):
                bytes += text.utf8.prefix(field.size - 1)
                bytes.append(0)
            case .bytes(let value): bytes += value.prefix(field.size)
            }
        }
    }

    /// A value of an integer type; what the type cannot hold, and nil, is the value that means none.
    mutating func append(_ value: Int64?, _ type: FITBaseType) {
        switch type {
        case .enumeration, .uint8, .byte, .string: append(value.flatMap { UInt8(exactly: $0) } ?? .max)
        case .sint8: append(value.flatMap { Int8(exactly: $0) } ?? .max)
        case .sint16: append(value.flatMap { Int16(exactly: $0) } ?? .max)
        case .uint16: append(value.flatMap { UInt16(exactly: $0) } ?? .max)
        case .sint32: append(value.flatMap { Int32(exactly: $0) } ?? .max)
        case .uint32: append(value.flatMap { UInt32(exactly: $0) } ?? .max)
        case .uint8z: append(value.flatMap { UInt8(exactly: $0) } ?? 0)
        case .uint16z: append(value.flatMap { UInt16(exactly: $0) } ?? 0)
        case .uint32z: append(value.flatMap { UInt32(exactly: $0) } ?? 0)
        case .sint64: append(value ?? .max)
        case .uint64: append(value.flatMap { UInt64(exactly: $0) } ?? .max)
        case .uint64z: append(value.flatMap { UInt64(exactly: $0) } ?? 0)
        case .float32: append((value.map { Float($0) } ?? .nan).bitPattern)
        case .float64: append((value.map { Double($0) } ?? .nan).bitPattern)
        }
    }

    /// An integer as it is.
    mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// The whole file.
    func finished() -> [UInt8] {
        var file = bytes
        let length = UInt32(clamping: file.count - 14)
        for place in 0..<4 { file[4 + place] = UInt8(truncatingIfNeeded: length >> UInt32(8 * place)) }
        let header = file.withUnsafeBytes { FITChecksum.of(UnsafeRawBufferPointer(rebasing: $0[..<12])) }
        file[12] = UInt8(header & 0xFF)
        file[13] = UInt8(header >> 8)
        let whole = file.withUnsafeBytes { FITChecksum.of($0) }
        file.append(UInt8(whole & 0xFF))
        file.append(UInt8(whole >> 8))
        return file
    }
}
