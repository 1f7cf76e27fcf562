// What is checked of a resource's bytes before libical sees them. A resource is a list of lines, `NAME;PARAMETER=VALUE:VALUE`,
// and a line that begins with a space continues the one before (RFC 5545, 3.1). libical builds a tree of all of them: each
// component, property, parameter, and each value behind a comma, takes it some hundred bytes, and finding one of them takes a
// time that grows with their number. So they are counted, and their number has limits.

/// The limits of a resource.
struct CalendarGuard {
    /// Bytes of a resource, and of one of its lines with all that continues it.
    static let longest = (resource: 64 << 10, line: 16 << 10)
    /// How many components are within each other: a calendar, an event, an alarm.
    static let deepest = 4
    /// Components, of which a time zone has one for each time that its clocks were changed.
    static let mostComponents = 300
    /// Lines, continued ones counted once.
    static let mostLines = 2000
    /// What may separate parameters and values, in all lines.
    static let mostSeparators = 8000
    /// Bytes of a rule of recurrence.
    static let longestRule = 512

    /// With spaces in place of the controls that no resource may have (RFC 5545, 3.1), such as a carriage return within a line:
    /// libical keeps some of them when it reads, and drops them when it reads what it has written itself.
    static func withoutControls(_ bytes: [UInt8]) -> [UInt8] {
        var clean = bytes
        for index in clean.indices where clean[index] < 0x20 || clean[index] == 0x7F {
            switch clean[index] {
            case 0x00, 0x09, 0x0A: break
            case 0x0D where index + 1 < clean.endIndex && clean[index + 1] == 0x0A: break
            default: clean[index] = 0x20
            }
        }
        return clean
    }

    /// Refuses what libical is not given.
    static func check(_ bytes: [UInt8]) throws(CalendarFileError) {
        guard bytes.count <= longest.resource else { throw .tooLarge }
        guard !bytes.contains(0) else { throw .damaged("it has a byte that no text has") }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw .damaged("it is not in UTF-8")
        }
        var counts = CalendarGuard()
        var line: [UInt8] = []
        for physical in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
            let isContinued = physical.first == 0x20 || physical.first == 0x09
            if !isContinued {
                try counts.take(line)
                line.removeAll(keepingCapacity: true)
            }
            line += isContinued ? physical.dropFirst() : physical
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            guard line.count <= longest.line else { throw .tooLarge }
        }
        try counts.take(line)
    }

    private var depth = 0
    private var components = 0
    private var lines = 0
    private var separators = 0

    private mutating func take(_ line: [UInt8]) throws(CalendarFileError) {
        guard !line.isEmpty else { return }
        lines += 1
        separators += line.reduce(0) {
            $0 + ($1 == UInt8(ascii: ",") || $1 == UInt8(ascii: ";") ? 1 : 0)
        }
        let name = line.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: ";") }
        switch String(decoding: name.prefix(8), as: UTF8.self).lowercased() {
        case "begin": (depth, components) = (depth + 1, components + 1)
        case "end":
            depth -= 1
            // libical would print a complaint to standard error.
            guard depth >= 0 else { throw .damaged("a part of it ends that has not begun") }
        case "rrule", "exrule": guard line.count <= Self.longestRule else { throw .tooLarge }
        default: break
        }
        guard lines <= Self.mostLines, separators <= Self.mostSeparators,
            components <= Self.mostComponents,
            depth <= Self.deepest
        else { throw .tooLarge }
    }
}
