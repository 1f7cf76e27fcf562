// A catalogue may be far longer than any payload that is read as one JSON value. So the list is taken apart here, exercise
// by exercise: only brackets and quotation marks are looked at, and each exercise then meets the reader of JSON on its
// own, with that reader's limits.

/// The exercises in a file, one after the other: the bytes that spell each, and the line on which it begins.
struct ExerciseLines {
    private let bytes: [UInt8]
    private var position = 0
    /// The line of `position`, counted from 1.
    private var line = 1
    private var isFirst = true

    /// The exercises in the list that a file spells.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next exercise; nil after the last one.
    mutating func next() throws(CatalogueProblem) -> (line: Int, bytes: ArraySlice<UInt8>)? {
        if isFirst { try expect("[", "a list of exercises, which begins with [, is expected") }
        skipSpace()
        if byte == UInt8(ascii: "]") {
            position += 1
            skipSpace()
            guard position == bytes.count else { throw problem("nothing may follow the end of the list") }
            return nil
        }
        if !isFirst {
            try expect(",", "a comma or ] is expected after an exercise")
            skipSpace()
        }
        isFirst = false
        guard byte == UInt8(ascii: "{") else { throw problem("an exercise, which begins with {, is expected") }
        return (line, try exercise())
    }

    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func problem(_ reason: String) -> CatalogueProblem { CatalogueProblem(line: line, reason: reason) }

    private mutating func expect(_ character: Unicode.Scalar, _ reason: String) throws(CatalogueProblem) {
        skipSpace()
        guard byte == UInt8(ascii: character) else { throw problem(reason) }
        position += 1
    }

    private mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            if byte == 0x0A { line += 1 }
            position += 1
        }
    }

    /// From the brace at `position` to the one that closes it.
    private mutating func exercise() throws(CatalogueProblem) -> ArraySlice<UInt8> {
        let (start, first) = (position, line)
        var (depth, isInText) = (0, false)
        while let byte, position - start < ExerciseCatalogue.longestExercise {
            position += 1
            switch byte {
            case 0x0A: line += 1
            case UInt8(ascii: "\""): isInText.toggle()
            case UInt8(ascii: "\\") where isInText: position += 1
            case UInt8(ascii: "{") where !isInText, UInt8(ascii: "[") where !isInText: depth += 1
            case UInt8(ascii: "}") where !isInText, UInt8(ascii: "]") where !isInText: depth -= 1
            default: break
            }
            if depth == 0 { return bytes[start..<position] }
        }
        let reason =
            position < bytes.count
            ? "an exercise is longer than \(ExerciseCatalogue.longestExercise) bytes, or lacks a bracket or a quotation mark"
            : "an exercise does not end: a bracket or a quotation mark is missing"
        throw CatalogueProblem(line: first, reason: reason)
    }
}
