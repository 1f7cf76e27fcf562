/// A text from a file, as it is kept: at most so many characters, without control characters, without spaces at its
/// ends; nil where nothing is left. What is not UTF-8 becomes U+FFFD.
///
/// Of the characters without a shape only the joiners stay, between two others: emoji are made of several characters
/// with them, and Persian and Indic words are spelled with them. All others may hide what a name is.
func kept(_ bytes: some BidirectionalCollection<UInt8>, _ limit: Int) -> String? {
    // No more than this is decoded, however long it is: a character has four bytes at most, or many code points.
    var scalars = String.UnicodeScalarView()
    for scalar in String(decoding: bytes.wholeScalars(limit * 8), as: UTF8.self).unicodeScalars {
        switch scalar.properties.generalCategory {
        case .format where scalar.isJoiner:
            if let last = scalars.last, last != " " { scalars.append(scalar) }
        case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate, .unassigned: scalars.append(" ")
        default: scalars.append(scalar)
        }
    }
    let words = String(scalars).split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    var cut = words.cut(limit).unicodeScalars
    while let last = cut.last, last == " " || last.isJoiner { cut.removeLast() }
    return cut.isEmpty ? nil : String(cut)
}

extension String {
    /// Its first characters, at most so many, and twice as many code points; of a character that alone has more code
    /// points, the first of them.
    fileprivate func cut(_ limit: Int) -> String {
        var (text, count) = ("", 0)
        for character in prefix(limit) {
            count += character.unicodeScalars.count
            guard count <= limit * 2 else { break }
            text.append(character)
        }
        return text.isEmpty ? String(unicodeScalars.prefix(limit * 2)) : text
    }
}

extension Unicode.Scalar {
    /// Whether it is the zero-width joiner or non-joiner.
    fileprivate var isJoiner: Bool { value == 0x200D || value == 0x200C }
}

extension BidirectionalCollection<UInt8> {
    /// The first bytes of UTF-8, at most so many, without a part of a code point at their end.
    func wholeScalars(_ most: Int) -> SubSequence {
        guard let limit = index(startIndex, offsetBy: most, limitedBy: endIndex) else { return self[...] }
        var end = limit
        // A code point has up to three bytes that continue it; where there are more, it is none.
        for _ in 0..<3 where end != endIndex && end != startIndex && self[end] & 0xC0 == 0x80 {
            formIndex(before: &end)
        }
        return self[..<end]
    }
}
