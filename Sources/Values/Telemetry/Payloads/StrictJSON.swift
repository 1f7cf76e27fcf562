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
    private var rest: ArraySlice<UInt8>

    /// The value that all of the bytes spell.
    /// - Parameter maximumDepth: how deeply arrays and objects may be nested.
    public static func value(_ bytes: [UInt8], maximumDepth: Int = JSON.maximumDepth) throws(Fault) -> JSON {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
        var reader = StrictJSON(maximumDepth: maximumDepth, rest: bytes[...])
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.rest.isEmpty else { throw .notJSON }
        return value
    }

    private mutating func value(depth: Int) throws(Fault) -> JSON {
        skipSpace()
        switch rest.first {
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
        rest.removeFirst()
        var members: [JSON.Member] = []
        if takes("}") { return [] }
        repeat {
            skipSpace()
            let name = try string()
            guard takes(":") else { throw .notJSON }
            members.append(JSON.Member(name, try value(depth: depth)))
        } while takes(",")
        guard takes("}") else { throw .notJSON }
        members.sort { $0.name < $1.name }
        // Names are compared as Unicode does, where canonically equivalent names are the same: stricter than by bytes.
        guard zip(members, members.dropFirst()).allSatisfy({ $0.name != $1.name }) else { throw .duplicateName }
        return members
    }

    private mutating func elements(depth: Int) throws(Fault) -> [JSON] {
        guard depth <= maximumDepth else { throw .tooDeep }
        rest.removeFirst()
        if takes("]") { return [] }
        var elements: [JSON] = []
        repeat { elements.append(try value(depth: depth)) } while takes(",")
        guard takes("]") else { throw .notJSON }
        return elements
    }

    private mutating func word(_ word: String, _ value: JSON) throws(Fault) -> JSON {
        guard rest.starts(with: word.utf8) else { throw .notJSON }
        rest.removeFirst(word.utf8.count)
        return value
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    /// Skips white space and `character`; if another character follows, it skips the white space only and returns
    /// false.
    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }
}

// MARK: Numbers

extension StrictJSON {
    private mutating func number() throws(Fault) -> JSON {
        let start = rest
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let whole = try digits()
        guard whole.count == 1 || whole.first != UInt8(ascii: "0") else { throw .notJSON }
        var isWhole = true
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            _ = try digits()
            isWhole = false
        }
        if let exponent = rest.first, exponent == UInt8(ascii: "e") || exponent == UInt8(ascii: "E") {
            rest.removeFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest.removeFirst() }
            _ = try digits()
            isWhole = false
        }
        let text = String(decoding: start[..<rest.startIndex], as: UTF8.self)
        if isWhole, let number = Int64(text) { return .integer(number) }
        guard let number = Double(text), number.isFinite else { throw .notJSON }
        // 1.0 and 1e3 are whole, and so is 12340917852036854.5, as in Foundation's reader, because a Double cannot hold
        // its fraction.
        return Int64(exactly: number).map(JSON.integer) ?? .number(number)
    }

    private mutating func digits() throws(Fault) -> ArraySlice<UInt8> {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard !digits.isEmpty else { throw .notJSON }
        rest = rest[digits.endIndex...]
        return digits
    }
}

// MARK: Strings

extension StrictJSON {
    private mutating func string() throws(Fault) -> String {
        guard rest.popFirst() == UInt8(ascii: "\"") else { throw .notJSON }
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            // The bytes were found to be UTF-8 as a whole, and an escape appends whole characters.
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case 0..<0x20: throw .notJSON
            case UInt8(ascii: "\\"): text += Array(String(try escaped()).utf8)
            default: text.append(byte)
            }
        }
        throw .notJSON
    }

    private mutating func escaped() throws(Fault) -> Unicode.Scalar {
        switch rest.popFirst() {
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
        guard UTF16.isLeadSurrogate(unit), rest.starts(with: "\\u".utf8) else { throw .notJSON }
        rest.removeFirst(2)
        let trail = try codeUnit()
        guard UTF16.isTrailSurrogate(trail) else { throw .notJSON }
        let value = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(trail) - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw .notJSON }
        return scalar
    }

    /// Four hexadecimal digits.
    private mutating func codeUnit() throws(Fault) -> UInt16 {
        let digits = rest.prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw .notJSON }
        rest.removeFirst(4)
        return unit
    }
}
