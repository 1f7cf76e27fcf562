// JSONDecoder says that a text is not JSON5, but not where. This follows the text's structure (strings, comments,
// brackets, commas, colons) just far enough to name the line on which it first goes wrong. It is asked first, because
// three things JSONDecoder does not refuse but ends the process over: a number like 0x0x14, a name with bytes that are
// not UTF-8, and, in the version of Swift 6.0, a name that is no string for any other reason, such as an escape that
// does not exist (swift-foundation, pull request 1043). It finds those; the decoder judges everything else that it does
// not see. It also finds a key that an object has twice, which is valid JSON5 and still a mistake: one of the two
// values would silently do nothing.

/// Finds the line of a mistake in JSON5.
struct JSON5Fault {
    private var bytes: [UInt8]
    private var index = 0
    private var line = 1

    /// A mistake.
    struct Fault: Error, CustomStringConvertible {
        /// Whether the text is not JSON5, rather than JSON5 that nobody can have meant.
        var isSyntax = true
        /// `not valid JSON5 (line 3: a comma is missing)`
        let description: String
    }

    /// The first mistake; nil if none was found.
    static func find(in bytes: [UInt8]) -> Fault? {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            return Fault(description: "not valid JSON5 (not UTF-8)")
        }
        var reader = JSON5Fault(bytes: bytes)
        do throws(Fault) {
            try reader.value(depth: 0)
            guard try reader.next() == nil else { throw reader.fault("something follows the last }") }
            return nil
        } catch {
            return error
        }
    }

    private init(bytes: [UInt8]) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]  // a byte order mark
        self.bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(3)) : bytes
    }

    private func fault(_ problem: String, line: Int? = nil) -> Fault {
        Fault(description: "not valid JSON5 (line \(line ?? self.line): \(problem))")
    }

    private mutating func value(depth: Int) throws(Fault) {
        // JSONDecoder's work grows with the cube of the depth.
        guard depth < 32 else { throw fault("nested too deeply") }
        guard let start = try next() else { throw fault("the text ends where a value is expected") }
        switch start {
        case UInt8(ascii: "{"): try members(closing: UInt8(ascii: "}"), depth: depth, haveKeys: true)
        case UInt8(ascii: "["): try members(closing: UInt8(ascii: "]"), depth: depth, haveKeys: false)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = try string()
        default:
            let found = word()
            guard Self.isNumber(found) || ["true", "false", "null"].contains(found) else {
                throw fault(
                    found.isEmpty ? "a value is missing" : "\(quoted(found)) is not a value; does it need quotes?")
            }
        }
    }

    /// Whether a word is a number of JSON5's: decimal or hexadecimal, with a sign or without.
    private static func isNumber(_ word: String) -> Bool {
        var rest = word[...]
        if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
        if rest == "Infinity" || rest == "NaN" { return true }
        if rest.hasPrefix("0x") || rest.hasPrefix("0X") {
            // A longer one fits in no integer.
            return (1...16).contains(rest.count - 2) && rest.dropFirst(2).allSatisfy { $0.isASCII && $0.isHexDigit }
        }
        func takeDigits() -> Int {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest.removeFirst(digits.count)
            return digits.count
        }
        var digits = takeDigits()
        if rest.first == "." {
            rest.removeFirst()
            digits += takeDigits()
        }
        guard digits > 0 else { return false }
        guard rest.first == "e" || rest.first == "E" else { return rest.isEmpty }
        rest.removeFirst()
        if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
        return takeDigits() > 0 && rest.isEmpty
    }

    private mutating func members(closing: UInt8, depth: Int, haveKeys: Bool) throws(Fault) {
        let opening = line
        let end = String(decoding: [closing], as: UTF8.self)
        /// The lines of the keys so far.
        var lines: [String: Int] = [:]
        index += 1
        while true {
            guard let start = try next() else { throw fault("what begins here has no \(end)", line: opening) }
            if start == closing { break }
            if haveKeys {
                let here = line
                let key = try key()
                if let first = lines.updateValue(here, forKey: key) {
                    let places = first == here ? "on line \(here)" : "on lines \(first) and \(here)"
                    throw Fault(isSyntax: false, description: "the key \(quoted(key)) appears twice, \(places)")
                }
            }
            try value(depth: depth + 1)
            let after = try next()
            if after == UInt8(ascii: ",") {
                index += 1
            } else if after != nil, after != closing {
                throw fault("a comma or \(end) is missing")
            }
        }
        index += 1
    }

    /// A key, and the colon after it.
    private mutating func key() throws(Fault) -> String {
        let found: String
        if bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") {
            found = try string()
        } else {
            found = word()
            guard let first = found.first, !first.isNumber, found.allSatisfy(Self.isInNames) else {
                throw fault(found.isEmpty ? "a key is missing" : "the key \(quoted(found)) needs quotes")
            }
        }
        guard try next() == UInt8(ascii: ":") else { throw fault("a colon is missing after the key") }
        index += 1
        return found
    }

    private static func isInNames(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "$"
    }

    /// What a string says, without its quotes and escapes.
    private mutating func string() throws(Fault) -> String {
        let quote = bytes[index]
        var text: [UInt8] = []
        index += 1
        while index < bytes.count, bytes[index] != quote {
            switch bytes[index] {
            case UInt8(ascii: "\n"): throw fault("the string has no closing quote")
            case 0..<0x20: throw fault("a control character in a string")
            case UInt8(ascii: "\\"): text += try escape()
            default:
                text.append(bytes[index])
                index += 1
            }
        }
        guard index < bytes.count else { throw fault("the string has no closing quote") }
        index += 1
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that an escape stands for.
    private mutating func escape() throws(Fault) -> [UInt8] {
        guard index + 1 < bytes.count else { throw fault("the string has no closing quote") }
        let letter = bytes[index + 1]
        index += 2
        switch letter {
        case UInt8(ascii: "\n"):  // A backslash before the end of a line continues the string on the next.
            line += 1
            return []
        case UInt8(ascii: "\r"): return []
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            // Half of a pair (D800 to DFFF) is no character; a file that means the pair has to hold the character
            // itself.
            let digits = String(decoding: bytes[index...].prefix(4), as: UTF8.self)
            guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit), let code = UInt32(digits, radix: 16),
                let scalar = Unicode.Scalar(code)
            else { throw fault("\\u\(escaped(digits)) is not a character") }
            index += 4
            return Array(String(Character(scalar)).utf8)
        default: throw fault("\\\(escaped(String(Unicode.Scalar(letter)))) is not an escape")
        }
    }

    /// A number, a name or an unquoted key: everything up to a delimiter.
    private mutating func word() -> String {
        let start = index
        let delimiters = Set(" \t\r\n{}[]:,\"'/".utf8)
        while index < bytes.count, !delimiters.contains(bytes[index]) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// The next byte after white space and comments; nil at the end.
    private mutating func next() throws(Fault) -> UInt8? {
        while index < bytes.count {
            let rest = bytes[index...]
            if rest.starts(with: "//".utf8) {
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
            } else if rest.starts(with: "/*".utf8) {
                try skipBlockComment()
            } else if " \t\r\n".utf8.contains(bytes[index]) {
                if bytes[index] == UInt8(ascii: "\n") { line += 1 }
                index += 1
            } else {
                return bytes[index]
            }
        }
        return nil
    }

    private mutating func skipBlockComment() throws(Fault) {
        let opening = line
        index += 2
        while !bytes[min(index, bytes.count)...].starts(with: "*/".utf8) {
            guard index < bytes.count else { throw fault("the comment has no */", line: opening) }
            if bytes[index] == UInt8(ascii: "\n") { line += 1 }
            index += 1
        }
        index += 2
    }
}
