// JSONDecoder says that a text is no JSON5, but not where. This follows the text's structure (strings, comments, brackets,
// commas, colons) just far enough to name the line on which it first goes wrong. It is asked first, for on three things
// JSONDecoder does not refuse but ends the process: a number like 0x0x14, a name with bytes that are not UTF-8, and, in the
// version of Swift 6.0, a name that is no string for any other reason, such as an escape that does not exist
// (swift-foundation, pull request 1043). Those it finds; all else that it does not see the decoder judges.

/// Finds the line of a mistake in JSON5.
struct JSON5Fault {
    private var bytes: [UInt8]
    private var index = 0
    private var line = 1

    private struct Fault: Error {
        let line: Int
        let problem: String
    }

    /// ` (line 3: a comma is missing)`, or nothing where no mistake was found.
    static func place(in bytes: [UInt8]) -> String {
        guard String(validating: bytes, as: UTF8.self) != nil else { return " (not UTF-8)" }
        var reader = JSON5Fault(bytes: bytes)
        do throws(Fault) {
            try reader.value(depth: 0)
            guard try reader.next() == nil else { throw reader.fault("something follows the last }") }
            return ""
        } catch {
            return " (line \(error.line): \(error.problem))"
        }
    }

    private init(bytes: [UInt8]) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]  // a byte order mark
        self.bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(3)) : bytes
    }

    private func fault(_ problem: String) -> Fault {
        Fault(line: line, problem: problem)
    }

    private mutating func value(depth: Int) throws(Fault) {
        // JSONDecoder's work grows with the cube of the depth.
        guard depth < 32 else { throw fault("nested too deeply") }
        guard let start = try next() else { throw fault("the text ends where a value is expected") }
        switch start {
        case UInt8(ascii: "{"): try members(closing: UInt8(ascii: "}"), depth: depth, haveKeys: true)
        case UInt8(ascii: "["): try members(closing: UInt8(ascii: "]"), depth: depth, haveKeys: false)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): try string()
        default:
            let found = word()
            guard Self.isNumber(found) || ["true", "false", "null"].contains(found) else {
                throw fault(found.isEmpty ? "a value is missing" : "\(quoted(found)) is no value; does it need quotes?")
            }
        }
    }

    /// Whether a word is a number of JSON5's: decimal or hexadecimal, with a sign or without.
    private static func isNumber(_ word: String) -> Bool {
        var rest = word[...]
        if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
        if rest == "Infinity" || rest == "NaN" { return true }
        if rest.hasPrefix("0x") || rest.hasPrefix("0X") {
            // What is longer fits in no integer.
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
        index += 1
        while true {
            guard let start = try next() else {
                throw Fault(line: opening, problem: "what begins here has no \(end)")
            }
            if start == closing { break }
            if haveKeys { try key() }
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

    private mutating func key() throws(Fault) {
        if bytes[index] == UInt8(ascii: "\"") || bytes[index] == UInt8(ascii: "'") {
            try string()
        } else {
            let found = word()
            guard let first = found.first, !first.isNumber, found.allSatisfy(Self.isInNames) else {
                throw fault(found.isEmpty ? "a key is missing" : "the key \(quoted(found)) needs quotes")
            }
        }
        guard try next() == UInt8(ascii: ":") else { throw fault("a colon is missing after the key") }
        index += 1
    }

    private static func isInNames(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "$"
    }

    private mutating func string() throws(Fault) {
        let quote = bytes[index]
        index += 1
        while index < bytes.count, bytes[index] != quote {
            switch bytes[index] {
            case UInt8(ascii: "\n"): throw fault("the string has no closing quote")
            case 0..<0x20: throw fault("a control character in a string")
            case UInt8(ascii: "\\"): try escape()
            default: index += 1
            }
        }
        guard index < bytes.count else { throw fault("the string has no closing quote") }
        index += 1
    }

    private mutating func escape() throws(Fault) {
        guard index + 1 < bytes.count else { throw fault("the string has no closing quote") }
        let letter = bytes[index + 1]
        index += 2
        switch letter {
        case UInt8(ascii: "\n"): line += 1  // A backslash before the end of a line continues the string on the next.
        case UInt8(ascii: "\r"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "/"): break
        case UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): break
        case UInt8(ascii: "u"):
            // Half of a pair (D800 to DFFF) is no character; whoever wants the pair writes the character itself.
            let digits = String(decoding: bytes[index...].prefix(4), as: UTF8.self)
            guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit), let code = UInt32(digits, radix: 16),
                Unicode.Scalar(code) != nil
            else { throw fault("\\u\(escaped(digits)) is no character") }
            index += 4
        default: throw fault("\\\(escaped(String(Unicode.Scalar(letter)))) is no escape")
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
            guard index < bytes.count else { throw Fault(line: opening, problem: "the comment has no */") }
            if bytes[index] == UInt8(ascii: "\n") { line += 1 }
            index += 1
        }
        index += 2
    }
}
