/// A text from a file, as it is kept: at most so many characters, without control characters, without spaces at its
/// ends; nil where nothing is left. What is not UTF-8 becomes U+FFFD.
func kept(_ bytes: some Collection<UInt8>, _ limit: Int) -> String? {
    // No more than this is decoded, however long it is: a character has four bytes at most, or many code points.
    var text = ""
    for scalar in String(decoding: bytes.prefix(limit * 8), as: UTF8.self).unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate, .unassigned: text += " "
        default: text.unicodeScalars.append(scalar)
        }
    }
    let words = text.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    let cut = String(words.prefix(limit).unicodeScalars.prefix(limit * 2))
    return cut.isEmpty ? nil : cut
}
