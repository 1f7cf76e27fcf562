// A file of data may be far longer than any payload that is read as one JSON value. So the list in it is taken apart here,
// element by element: only brackets, commas and quotation marks are looked at, and each element then meets the reader of JSON
// on its own, with that reader's limits.

/// The elements of a JSON array, one after the other: the bytes that spell each, and the line on which it begins.
public struct JSONElements {
    /// Why it is no array, and where.
    public struct Fault: Error, Hashable, Sendable {
        /// Counted from 1; that on which an element begins, if it is about one.
        public let line: Int
        /// In a line that can be shown.
        public let reason: String

        /// A fault from its parts.
        public init(line: Int, reason: String) { (self.line, self.reason) = (line, reason) }
    }

    private let bytes: [UInt8]
    private let longest: Int
    private var position = 0
    /// The line of `position`, counted from 1.
    private var line = 1
    private var isFirst = true

    /// The elements of the array that `bytes` spell.
    /// - Parameter longest: how many bytes an element may have.
    public init(_ bytes: [UInt8], atMost longest: Int) { (self.bytes, self.longest) = (bytes, longest) }

    /// The next element; nil after the last one.
    public mutating func next() throws(Fault) -> (line: Int, bytes: [UInt8])? {
        if isFirst { try expect("[", "a list, which begins with [, is expected") }
        skipSpace()
        if byte == UInt8(ascii: "]") {
            position += 1
            skipSpace()
            guard position == bytes.count else { throw fault("nothing may follow the end of the list") }
            return nil
        }
        if !isFirst { try expect(",", "a comma or ] is expected after an element") }
        isFirst = false
        skipSpace()
        let line = line
        return (line, try element())
    }

    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func fault(_ reason: String) -> Fault { Fault(line: line, reason: reason) }

    private mutating func expect(_ character: Unicode.Scalar, _ reason: String) throws(Fault) {
        skipSpace()
        guard byte == UInt8(ascii: character) else { throw fault(reason) }
        position += 1
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private mutating func skipSpace() {
        while let byte, Self.isSpace(byte) {
            if byte == 0x0A { line += 1 }
            position += 1
        }
    }

    /// From `position` to the bracket or quotation mark that closes the element; a number or word ends before what follows it.
    private mutating func element() throws(Fault) -> [UInt8] {
        let (start, first) = (position, line)
        var (depth, isInText) = (0, false)
        while let byte, position - start < longest {
            if depth == 0, !isInText, Self.isSpace(byte) || ",]}".utf8.contains(byte) {
                guard position > start else { throw fault("an element is missing") }
                return Array(bytes[start..<position])
            }
            position += 1
            switch byte {
            case 0x0A: line += 1
            case UInt8(ascii: "\""): isInText.toggle()
            case UInt8(ascii: "\\") where isInText: position += 1
            case UInt8(ascii: "{") where !isInText, UInt8(ascii: "[") where !isInText: depth += 1
            case UInt8(ascii: "}") where !isInText, UInt8(ascii: "]") where !isInText: depth -= 1
            default: continue
            }
            if depth == 0, !isInText { return Array(bytes[start..<min(position, bytes.count)]) }
        }
        guard position > start else { throw fault("the list does not end: a ] is missing") }
        let reason =
            position < bytes.count
            ? "an element is longer than \(longest) bytes, or lacks a bracket or a quotation mark"
            : "an element does not end: a bracket or a quotation mark is missing"
        throw Fault(line: first, reason: reason)
    }
}
