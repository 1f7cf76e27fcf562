/// What is checked of a document's bytes before libxml2 sees them: what takes it a time that grows with the square of
/// what was sent (libxml2 2.9.14, parser.c; pinned by HostileDocumentTests).
///
/// - It compares each attribute of a tag with all before it, and a tag may have 10 MB: 100,000 of them take 3.4 s, and
///   ten times as many a hundred times as long. So they are counted: each has an equals sign and a quotation mark, and
///   between it and the first attribute there is no `<`, which no value may have.
/// - That holds where a byte below 0x80 is what it is in ASCII. In UTF-16, UTF-7 or ISO-2022-JP it may be a part of
///   anything, and libxml2 reads whatever iconv knows. So only encodings that contain ASCII are allowed.
public struct XMLGuard {
    /// Attributes of a tag: those that we read have 15 at most.
    private static let mostAttributes = 1000
    /// Bytes in which the declaration of a document has to end, with spaces before it.
    public static let longestDeclaration = 4096

    private var attributes = 0
    private var isAfterEquals = false

    /// The next bytes of a document; false where a tag has too many attributes.
    mutating func allows(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "<"): (attributes, isAfterEquals) = (0, false)
            case UInt8(ascii: "="): isAfterEquals = true
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard isAfterEquals else { break }
                isAfterEquals = false
                attributes += 1
                guard attributes <= Self.mostAttributes else { return false }
            case 0x20, 0x0A, 0x0D, 0x09: break
            default: isAfterEquals = false
            }
        }
        return true
    }

    /// What is wrong with the encoding of a document, by its first bytes; nil where nothing is.
    public static func faultOfEncoding(_ head: [UInt8]) -> String? {
        var begin = head.drop { [0x20, 0x0A, 0x0D, 0x09].contains($0) }
        guard !begin.isEmpty || head.count < longestDeclaration else { return "nothing but spaces" }
        // UTF-16 and UTF-32 begin with FE FF, FF FE or zeros; EBCDIC has another `<?xm`.
        let first = begin.prefix(4)
        guard !first.contains(0), !first.starts(with: [0xFE, 0xFF]), !first.starts(with: [0xFF, 0xFE]),
            !first.elementsEqual([0x4C, 0x6F, 0xA7, 0x94])
        else { return "an encoding that does not contain ASCII" }
        if begin.starts(with: [0xEF, 0xBB, 0xBF]) { begin = begin.dropFirst(3) }
        guard begin.starts(with: "<?xml".utf8), let after = begin.dropFirst(5).first, after <= 0x20
        else { return nil }
        guard let end = begin.firstIndex(of: UInt8(ascii: ">")) else {
            return "a declaration without an end"
        }
        let declaration = String(decoding: begin[..<end], as: UTF8.self).lowercased()
        let parts = declaration.split(separator: "encoding", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return nil }
        let value = parts[1].drop { $0.isWhitespace || $0 == "=" }
        guard parts.count == 2, let quote = value.first, quote == "\"" || quote == "'",
            let length = value.dropFirst().firstIndex(of: quote)
        else { return "a declaration that tells no encoding" }
        let name = value[value.index(after: value.startIndex)..<length]
        let isKnown =
            ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) || name.hasPrefix("iso-8859-")
            || name.hasPrefix("windows-125")
        return isKnown ? nil : "an encoding that is not read"
    }
}
