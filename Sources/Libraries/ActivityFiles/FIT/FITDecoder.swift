// The protocol of FIT, below what messages mean. A file is a header, messages and a checksum; several such files may
// follow each other in one. Messages are either definitions, which say how those of one of 16 local types are laid out,
// or data. So nothing can be skipped: once a definition is wrong, all that follows it is noise, and reading ends there.
//
// Nothing is allocated by what the bytes say, but for definitions: 16 of them exist at once, of 510 fields at most, and
// at most 65,536 descriptions of developers' fields.

/// Takes what a file says.
protocol FITReader: AnyObject {
    /// The next file of a chain begins.
    func begin(at offset: Int)
    /// A message with data.
    func take(_ message: FITMessage) throws(ActivityFileError)
}

/// A description of a developer's field (message 206).
private struct FITDescription {
    var type: FITBaseType
    var name: String
    var nativeMessage: UInt16?
    var nativeField: UInt8?
    var scale: Bool
}

/// Reads the messages of some bytes.
struct FITDecoder {
    private let bytes: UnsafeRawBufferPointer
    private let limits: Limits
    private var definitions: [FITDefinition?] = Array(repeating: nil, count: 16)
    private var descriptions: [UInt16: FITDescription] = [:]
    private var lastTime: UInt32?
    private var messageCount = 0
    private var definitionCount = 0

    private init(_ bytes: UnsafeRawBufferPointer, _ limits: Limits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// Whether bytes begin as a FIT file does.
    static func isFIT(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.dropFirst(8).starts(with: [0x2E, 0x46, 0x49, 0x54])
    }

    /// Hands every message to a reader.
    /// - Throws: what is wrong, after all messages before it were handed over.
    static func read(
        _ bytes: UnsafeRawBufferPointer, _ limits: Limits, _ reader: some FITReader
    ) throws(ActivityFileError) {
        guard bytes.count <= limits.fileBytes else {
            throw fault(.tooMuch, nil, "\(bytes.count) bytes; \(limits.fileBytes) are allowed")
        }
        var decoder = FITDecoder(bytes, limits)
        var offset = 0
        // A wrong checksum is reported at the end: most of what it is about was read all the same.
        var checksumFault: ActivityFileError?
        repeat {
            let (next, wrong) = try decoder.readFile(at: offset, reader)
            if let wrong, checksumFault == nil { checksumFault = wrong }
            offset = next
        } while offset < bytes.count
        if let checksumFault { throw checksumFault }
    }

    /// Reads one file of a chain.
    /// - Returns: where the next begins, and what is wrong with a checksum.
    private mutating func readFile(
        at start: Int, _ reader: some FITReader
    ) throws(ActivityFileError) -> (next: Int, wrong: ActivityFileError?) {
        let rest = bytes.count - start
        guard rest >= 12 else {
            let said = start == 0 ? "\(rest) bytes, and a header has 12 or 14" : "\(rest) bytes follow the last file"
            throw Self.fault(start == 0 ? .truncated : .malformed, start, said)
        }
        guard Self.isFIT(bytes[start..<start + 12]) else {
            let said = start == 0 ? "no FIT file: `.FIT` is not there" : "what follows the file is none of FIT"
            throw Self.fault(start == 0 ? .unknownFormat : .malformed, start + 8, said)
        }
        let headerSize = Int(bytes[start])
        guard headerSize == 12 || headerSize == 14, headerSize <= rest else {
            throw Self.fault(.malformed, start, "a header of \(headerSize) bytes; 12 and 14 are known")
        }
        // The major version of the protocol; FIT has 1 and 2.
        guard bytes[start + 1] >> 4 <= 2 else {
            throw Self.fault(.unsupported, start + 1, "version \(bytes[start + 1] >> 4) of the protocol; 2 is known")
        }
        var wrong: ActivityFileError?
        if headerSize == 14 {
            let told = little16(start + 12)
            let counted = FITChecksum.of(UnsafeRawBufferPointer(rebasing: bytes[start..<start + 12]))
            // 0 means that there is no checksum.
            if told != 0, told != counted {
                wrong = Self.fault(.malformed, start + 12, "the header's checksum is wrong")
            }
        }
        let told = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)))
        let begin = start + headerSize
        let end = begin + told
        // A length of 0 is that of an empty file, or of one that was never finished.
        let isWhole = end + 2 <= bytes.count && (told > 0 || rest == headerSize + 2)
        if isWhole {
            let counted = FITChecksum.of(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            if counted != little16(end), wrong == nil {
                wrong = Self.fault(.malformed, end, "the checksum of the file is wrong: some of it may be, too")
            }
        }
        definitions = Array(repeating: nil, count: 16)
        descriptions = [:]
        lastTime = nil
        reader.begin(at: start)
        try readMessages(begin, isWhole ? end : bytes.count, reader)
        guard isWhole else {
            // A device that lost its power has not come back to write how long the file is.
            throw Self.fault(
                .truncated, bytes.count, "the header says \(told) bytes of messages; there are \(bytes.count - begin)")
        }
        return (end + 2, wrong)
    }

    private mutating func readMessages(
        _ begin: Int, _ end: Int, _ reader: some FITReader
    ) throws(ActivityFileError) {
        var at = begin
        while at < end {
            messageCount += 1
            guard messageCount <= limits.messages else {
                throw Self.fault(.tooMuch, at, "more than \(limits.messages) messages")
            }
            let header = bytes[at]
            if header & 0xC0 == 0x40 {
                at = try readDefinition(header, at, end)
                continue
            }
            let isCompressed = header & 0x80 != 0
            let local = Int(isCompressed ? header >> 5 & 3 : header & 0x0F)
            guard let definition = definitions[local] else {
                throw Self.fault(.malformed, at, "a message of local type \(local), which no definition describes")
            }
            guard at + 1 + definition.size <= end else {
                throw Self.fault(.truncated, at, "the file ends within a message")
            }
            var headerTime: UInt32?
            if isCompressed, let last = lastTime {
                // Five bits of the time; smaller than the last ones means that they went round.
                headerTime = last &+ (UInt32(header & 0x1F) &- last) & 0x1F
                lastTime = headerTime
            }
            guard let base = bytes.baseAddress else { return }
            let message = FITMessage(
                definition: definition, bytes: base + at + 1, offset: at, headerTime: headerTime)
            if let time = message.integer(253).flatMap({ UInt32(exactly: $0) }) { lastTime = time }
            if definition.number == 206 { describe(message) }
            try reader.take(message)
            at += 1 + definition.size
        }
    }

    /// - Returns: where the next message begins.
    private mutating func readDefinition(
        _ header: UInt8, _ start: Int, _ end: Int
    ) throws(ActivityFileError) -> Int {
        definitionCount += 1
        guard definitionCount <= limits.definitions else {
            throw Self.fault(.tooMuch, start, "more than \(limits.definitions) definitions")
        }
        guard start + 6 <= end else { throw Self.fault(.truncated, start, "the file ends within a definition") }
        let architecture = bytes[start + 2]
        guard architecture <= 1 else {
            throw Self.fault(.malformed, start + 2, "an order of bytes \(architecture); 0 and 1 are known")
        }
        let raw = bytes.loadUnaligned(fromByteOffset: start + 3, as: UInt16.self)
        let number = architecture == 1 ? UInt16(bigEndian: raw) : UInt16(littleEndian: raw)
        let count = Int(bytes[start + 5])
        var at = start + 6
        guard at + count * 3 <= end else { throw Self.fault(.truncated, start, "the file ends within a definition") }
        var fields: [(number: UInt8, field: FITField)] = []
        fields.reserveCapacity(count)
        var offset = 0
        for _ in 0..<count {
            let size = Int(bytes[at + 1])
            // What is no whole number of values cannot be read, nor what has an unknown type: both are skipped.
            if let type = FITBaseType(definition: bytes[at + 2]), size > 0, size % type.size == 0 {
                fields.append((bytes[at], FITField(offset: offset, size: size, type: type)))
            }
            offset += size
            at += 3
        }
        var steps: FITField?
        var milliseconds: FITField?
        if header & 0x20 != 0 {
            guard at < end, at + 1 + Int(bytes[at]) * 3 <= end else {
                throw Self.fault(.truncated, start, "the file ends within a definition")
            }
            let developers = Int(bytes[at])
            at += 1
            for _ in 0..<developers {
                let size = Int(bytes[at + 1])
                let key = UInt16(bytes[at + 2]) << 8 | UInt16(bytes[at])
                if let known = descriptions[key], size > 0, size % known.type.size == 0 {
                    let field = FITField(offset: offset, size: size, type: known.type, isPlain: true)
                    if known.name == FITOwn.steps { steps = field }
                    if known.name == FITOwn.milliseconds { milliseconds = field }
                    // What a developer measures better than the device stands in for a field of the profile that the
                    // device has not filled.
                    if known.nativeMessage == number, let native = known.nativeField, native < 250, !known.scale {
                        fields.append((native, field))
                    }
                }
                offset += size
                at += 3
            }
        }
        definitions[Int(header & 0x0F)] = FITDefinition(
            number: number, isBigEndian: architecture == 1, size: offset, fields: fields, steps: steps,
            milliseconds: milliseconds)
        return at
    }

    private mutating func describe(_ message: FITMessage) {
        guard let developer = message.integer(0).flatMap({ UInt8(exactly: $0) }),
            let field = message.integer(1).flatMap({ UInt8(exactly: $0) }),
            let type = message.integer(2).flatMap({ UInt8(exactly: $0) }).flatMap({ FITBaseType(definition: $0) })
        else { return }
        let scale = message.integer(6) ?? 1
        let offset = message.integer(7) ?? 0
        descriptions[UInt16(developer) << 8 | UInt16(field)] = FITDescription(
            type: type, name: (message.text(3, atMost: 64) ?? "").lowercased(),
            nativeMessage: message.integer(14).flatMap { UInt16(exactly: $0) },
            nativeField: message.integer(15).flatMap { UInt8(exactly: $0) }, scale: scale > 1 || offset != 0)
    }

    private func little16(_ offset: Int) -> UInt16 {
        UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    private static func fault(
        _ reason: ActivityFileError.Reason, _ offset: Int?, _ said: String
    ) -> ActivityFileError {
        ActivityFileError("FIT", reason, at: offset.map { .byte($0) }, said)
    }
}

/// The names of our own developer's fields. Others may have a field of steps, too, and it is taken for the same.
enum FITOwn {
    static let steps = "steps"
    static let milliseconds = "vitals_ms"
    /// Which application the fields are of: 16 bytes that no other application has.
    static let application: [UInt8] = [
        0x7B, 0x1C, 0x52, 0x0E, 0xA4, 0x3D, 0x4F, 0x66, 0x91, 0x08, 0x6D, 0x2F, 0xC5, 0x77, 0x3A, 0xE1,
    ]
}
