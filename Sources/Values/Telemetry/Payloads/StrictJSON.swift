// JSON, read without Foundation.
//
// Two readers that take the same bytes for different things are how tokens are forged: one that keeps the first of two
// members of the same name, and one that keeps the last. RFC 7515, 4 and RFC 7519, 4 leave the choice between refusing
// such an object and keeping the last; here it is refused, at every level, and names are compared after their escapes
// are resolved. Foundation's parser does not report a second member. Exactly RFC 8259 is accepted: no byte order mark,
// no extra comma, no comment, no number with a leading zero or beyond a Double, no half of a surrogate pair.
//
// It is also what reads requests. Foundation's decoder, asked for a value of unknown type, tries each type in turn,
// with an error thrown for each that it is not: a request of 18 KB of nothing but empty objects took it fifty times as
// long as it takes this one.

/// Reads one JSON value. Its objects have each name once, and are sorted by name.
public struct StrictJSON {
    /// Why bytes are not read.
    public enum Fault: Error, Hashable {
        /// The bytes are not UTF-8.
        case notUTF8
        /// The text is not JSON, or something follows the value.
        case notJSON
        /// An object has two members with the same name.
        case duplicateName
        /// Arrays and objects are nested more deeply than allowed.
        case tooDeep
    }

    private let maximumDepth: Int
    private let bytes: [UInt8]
    /// How many of the bytes have been read.
    private var position = 0

    private init(_ bytes: [UInt8], maximumDepth: Int) {
        self.maximumDepth = maximumDepth
        self.bytes = bytes
    }

    /// The value that all of the bytes spell.
    /// - Parameter maximumDepth: how deeply arrays and objects may be nested.
    public static func value(_ bytes: [UInt8], maximumDepth: Int = JSON.maximumDepth) throws(Fault) -> JSON {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
        var reader = StrictJSON(bytes, maximumDepth: maximumDepth)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.next == nil else { throw .notJSON }
        return value
    }

    /// The byte that is read next; nil at the end.
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func value(depth: Int) throws(Fault) -> JSON {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .object(try members(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try elements(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func members(depth: Int) throws(Fault) -> [JSON.Member] {
        guard depth <= maximumDepth else { throw .tooDeep }
        position += 1
        var members: [JSON.Member] = []
        if takes("}") { return [] }
        var isSorted = true
        repeat {
            skipSpace()
            let name = try string()
            guard takes(":") else { throw .notJSON }
            if let last = members.last, last.name >= name { isSorted = false }
            members.append(JSON.Member(name, try value(depth: depth)))
        } while takes(",")
        guard takes("}") else { throw .notJSON }
        // Names in order have no two the same; what we wrote after having read it is in order.
        if isSorted { return members }
        members.sort { $0.name < $1.name }
        // Names are compared as Unicode does, where canonically equivalent names are the same: stricter than by bytes.
        guard zip(members, members.dropFirst()).allSatisfy({ $0.name != $1.name }) else { throw .duplicateName }
        return members
    }

    private mutating func elements(depth: Int) throws(Fault) -> [JSON] {
        guard depth <= maximumDepth else { throw .tooDeep }
        position += 1
        if takes("]") { return [] }
        var elements: [JSON] = []
        repeat { elements.append(try value(depth: depth)) } while takes(",")
        guard takes("]") else { throw .notJSON }
        return elements
    }

    private mutating func word(_ word: String, _ value: JSON) throws(Fault) -> JSON {
        guard skips(word) else { throw .notJSON }
        return value
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    /// Skips white space and `character`; if another character follows, it skips the white space only and returns
    /// false.
    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        return skips { $0 == UInt8(ascii: character) }
    }

    /// Skips one byte if it is one of those; false if it is not.
    private mutating func skips(where isMeant: (UInt8) -> Bool) -> Bool {
        guard let byte = next, isMeant(byte) else { return false }
        position += 1
        return true
    }

    /// Skips a word; if something else follows, it skips nothing and returns false.
    private mutating func skips(_ word: String) -> Bool {
        guard bytes[position...].starts(with: word.utf8) else { return false }
        position += word.utf8.count
        return true
    }
}

// MARK: Numbers

extension StrictJSON {
    private mutating func number() throws(Fault) -> JSON {
        let start = position
        _ = skips { $0 == UInt8(ascii: "-") }
        let startsWithZero = next == UInt8(ascii: "0")
        let digits = try digits()
        guard digits == 1 || !startsWithZero else { throw .notJSON }
        var isWhole = true
        if skips(where: { $0 == UInt8(ascii: ".") }) {
            _ = try self.digits()
            isWhole = false
        }
        if skips(where: { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }) {
            _ = skips { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
            _ = try self.digits()
            isWhole = false
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let number = Int64(text) { return .integer(number) }
        guard let number = Double(text), number.isFinite else { throw .notJSON }
        // 1.0 and 1e3 are whole, and so is 12340917852036854.5, as in Foundation's reader, because a Double cannot hold
        // its fraction.
        return Int64(exactly: number).map(JSON.integer) ?? .number(number)
    }

    /// Skips digits, and returns how many there were.
    private mutating func digits() throws(Fault) -> Int {
        let start = position
        while skips(where: { UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") }) {}
        guard position > start else { throw .notJSON }
        return position - start
    }
}

// MARK: Strings

extension StrictJSON {
    private mutating func string() throws(Fault) -> String {
        guard skips(where: { $0 == UInt8(ascii: "\"") }) else { throw .notJSON }
        // The bytes were found to be UTF-8 as a whole, and an escape stands for whole characters.
        var text = ""
        while true {
            let start = position
            while skips(where: { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {}
            let plain = String(decoding: bytes[start..<position], as: UTF8.self)
            if skips(where: { $0 == UInt8(ascii: "\"") }) { return text.isEmpty ? plain : text + plain }
            guard skips(where: { $0 == UInt8(ascii: "\\") }) else { throw .notJSON }
            text += plain
            text.unicodeScalars.append(try escaped())
        }
    }

    private mutating func escaped() throws(Fault) -> Unicode.Scalar {
        guard let letter = next else { throw .notJSON }
        position += 1
        switch letter {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try scalar()
        default: throw .notJSON
        }
    }

    private mutating func scalar() throws(Fault) -> Unicode.Scalar {
        let unit = try codeUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard UTF16.isLeadSurrogate(unit), skips("\\u") else { throw .notJSON }
        let trail = try codeUnit()
        guard UTF16.isTrailSurrogate(trail) else { throw .notJSON }
        let value = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(trail) - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw .notJSON }
        return scalar
    }

    /// Four hexadecimal digits.
    private mutating func codeUnit() throws(Fault) -> UInt16 {
        let digits = bytes[position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw .notJSON }
        position += 4
        return unit
    }
}
