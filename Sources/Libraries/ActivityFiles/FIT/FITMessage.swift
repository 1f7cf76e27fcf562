/// A field of a definition: where its bytes are in each message.
struct FITField {
    /// Where it begins, behind the header of the message.
    var offset: Int
    /// How many bytes it has.
    var size: Int
    /// What they are.
    var type: FITBaseType
    /// Whether a value is in its unit, without a scale and an offset: those of developers' fields are.
    var isPlain = false
}

/// What the messages of one local type are like, until the next definition.
final class FITDefinition {
    /// The number of the message in FIT's profile.
    let number: UInt16
    /// Whether the most significant byte comes first.
    let isBigEndian: Bool
    /// Bytes of a message, without its header.
    let size: Int
    /// Developers' fields that this library knows.
    let steps: FITField?
    let milliseconds: FITField?

    private let fields: [FITField]
    /// For each number of a field, its index in `fields`; `none` where there is no such field.
    private let places: [UInt16]
    /// Developers' fields that stand in for fields of the profile that are there, too.
    private let standIns: [UInt8: FITField]
    private static let none = UInt16.max

    init(
        number: UInt16, isBigEndian: Bool, size: Int, fields: [(number: UInt8, field: FITField)], steps: FITField?,
        milliseconds: FITField?
    ) {
        self.number = number
        self.isBigEndian = isBigEndian
        self.size = size
        self.steps = steps
        self.milliseconds = milliseconds
        self.fields = fields.map(\.field)
        var places = [UInt16](repeating: Self.none, count: 256)
        var standIns: [UInt8: FITField] = [:]
        // Of two fields with one number, the first counts.
        for (index, entry) in fields.enumerated() {
            if places[Int(entry.number)] == Self.none {
                places[Int(entry.number)] = UInt16(index)
            } else if entry.field.isPlain {
                standIns[entry.number] = standIns[entry.number] ?? entry.field
            }
        }
        (self.places, self.standIns) = (places, standIns)
    }

    /// The developer's field that counts where the field of a number has no value.
    func standIn(_ number: UInt8) -> FITField? { standIns.isEmpty ? nil : standIns[number] }

    /// The field of a number.
    func field(_ number: UInt8) -> FITField? {
        let place = places[Int(number)]
        return place == Self.none ? nil : fields[Int(place)]
    }
}

/// A message, for as long as the decoder calls with it.
struct FITMessage {
    let definition: FITDefinition
    /// Its first byte behind the header; `definition.size` bytes are there.
    let bytes: UnsafeRawPointer
    /// Where it begins in the file.
    let offset: Int
    /// The time in its header, where that has one.
    let headerTime: UInt32?

    /// The message's number in FIT's profile.
    var number: UInt16 { definition.number }

    /// An integer; nil where there is none, or the value that means none.
    func integer(_ number: UInt8) -> Int64? {
        guard let field = definition.field(number) else { return nil }
        return integer(field, at: 0) ?? definition.standIn(number).flatMap { integer($0, at: 0) }
    }

    /// A number in its unit that cannot be below 0: what is there, divided by `scale`.
    func amount(_ number: UInt8, scale: Double = 1) -> Double? { value(number, scale: scale)?.amount }

    /// A number in its unit: what is there, divided by `scale`, less `offset`.
    func value(_ number: UInt8, scale: Double = 1, offset: Double = 0) -> Double? {
        guard let field = definition.field(number) else { return nil }
        return value(field, scale, offset) ?? definition.standIn(number).flatMap { value($0, scale, offset) }
    }

    private func value(_ field: FITField, _ scale: Double, _ offset: Double) -> Double? {
        if field.isPlain { return plain(field) }
        if field.type == .float32 || field.type == .float64 { return plain(field).map { $0 / scale - offset } }
        return integer(field, at: 0).map { Double($0) / scale - offset }
    }

    /// A number without a scale, of whatever type.
    func plain(_ field: FITField) -> Double? {
        let real: Double
        switch field.type {
        case .float32 where field.size >= 4: real = Double(Float(bitPattern: UInt32(load(4, field.offset))))
        case .float64 where field.size >= 8: real = Double(bitPattern: load(8, field.offset))
        default: return integer(field, at: 0).map { Double($0) }
        }
        return real.measured
    }

    /// All values of an array, those that mean none included as nil.
    func integers(_ number: UInt8) -> [Int64?] {
        guard let field = definition.field(number) else { return [] }
        return (0..<field.size / field.type.size).map { integer(field, at: $0) }
    }

    /// The bytes of a field.
    func rawBytes(_ number: UInt8) -> UnsafeRawBufferPointer {
        guard let field = definition.field(number) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: bytes + field.offset, count: field.size)
    }

    /// A text, up to its first zero; nil where that leaves nothing, or it is no text.
    func text(_ number: UInt8, atMost limit: Int) -> String? {
        guard let field = definition.field(number), field.type == .string else { return nil }
        return kept(UnsafeRawBufferPointer(start: bytes + field.offset, count: field.size).prefix { $0 != 0 }, limit)
    }

    /// The time of the message, in seconds of FIT: field 253, or that in its header.
    var seconds: Int64? { integer(253) ?? headerTime.map { Int64($0) } }

    /// The time in Unix milliseconds, with what our own field says beyond the second.
    var time: Int64? { FITTime.unixMilliseconds(seconds).map { $0 + beyondSecond } }

    /// What is to be added to the message's time, 0 to 999.
    var beyondSecond: Int64 {
        guard let field = definition.milliseconds, let value = integer(field, at: 0) else { return 0 }
        return (0...999).contains(value) ? value : 0
    }

    /// Our own field of steps, and those of others with the same name.
    var steps: Int64? {
        definition.steps.flatMap { plain($0)?.amount }.map { Int64($0) }
    }

    /// One value of a field; nil where it is the value that means none.
    func integer(_ field: FITField, at index: Int) -> Int64? {
        let size = field.type.size
        guard (index + 1) * size <= field.size else { return nil }
        let value = load(size, field.offset + index * size)
        switch field.type {
        case .enumeration, .uint8, .byte: return value == 0xFF ? nil : Int64(value)
        case .sint8: return value == 0x7F ? nil : Int64(Int8(truncatingIfNeeded: value))
        case .sint16: return value == 0x7FFF ? nil : Int64(Int16(truncatingIfNeeded: value))
        case .uint16: return value == 0xFFFF ? nil : Int64(value)
        case .sint32: return value == 0x7FFF_FFFF ? nil : Int64(Int32(truncatingIfNeeded: value))
        case .uint32: return value == 0xFFFF_FFFF ? nil : Int64(value)
        case .uint8z, .uint16z, .uint32z: return value == 0 ? nil : Int64(value)
        case .uint64z where value == 0: return nil
        // No integer of the profile that we read has more than 32 bits; so two of them can be added.
        case .uint64, .uint64z: return value > UInt64(UInt32.max) ? nil : Int64(value)
        case .sint64:
            let signed = Int64(bitPattern: value)
            return signed.magnitude > UInt64(UInt32.max) ? nil : signed
        case .string, .float32, .float64: return nil
        }
    }

    /// Bytes as an unsigned number. The caller has made sure that they are within the message.
    private func load(_ size: Int, _ offset: Int) -> UInt64 {
        let place = bytes + offset
        switch size {
        case 1:
            return UInt64(place.load(as: UInt8.self))
        case 2:
            let value = place.loadUnaligned(as: UInt16.self)
            return UInt64(definition.isBigEndian ? value.bigEndian : value.littleEndian)
        case 4:
            let value = place.loadUnaligned(as: UInt32.self)
            return UInt64(definition.isBigEndian ? value.bigEndian : value.littleEndian)
        default:
            let value = place.loadUnaligned(as: UInt64.self)
            return definition.isBigEndian ? value.bigEndian : value.littleEndian
        }
    }
}
