// Payloads come from anybody who may publish, and Foundation's parser trusts them more than it should. The parser of
// Swift 6.0, which Debian 13 ships, ends the process if the name of a member is no string: bytes that are not UTF-8,
// a control character, an escape that does not exist, half a surrogate pair (swift-foundation, pull request 1043). And
// its time for a value grows with the cube of the nesting depth: 600 bytes of brackets take it seconds. So payloads are
// checked before it sees them.

extension JSON {
    /// No payload that we read is nested more deeply.
    public static let maximumDepth = 16

    /// Refuses what is not UTF-8, what is nested too deeply, and whatever begins with a quotation mark but is no string
    /// (RFC 8259, 7). The parser decides whether the rest is JSON.
    static func checkLimits(_ payload: [UInt8], of subject: String) throws(MalformedValue) {
        guard payload.count <= maximumLength else {
            throw MalformedValue(subject, .outOfRange("more than \(maximumLength) bytes"))
        }
        guard String(validating: payload, as: UTF8.self) != nil else { throw MalformedValue(subject, notJSON) }
        var depth = 0
        var rest = payload[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: "\""): guard skipString(&rest) else { throw MalformedValue(subject, notJSON) }
            default: break
            }
            guard depth <= maximumDepth else {
                throw MalformedValue(subject, .outOfRange("nested more than \(maximumDepth) deep"))
            }
        }
    }

    static let notJSON = MalformedValue.Fault.notAllowed("not JSON")
}

/// Skips to what follows the closing quotation mark; false if there is none, or if something before it is not
/// allowed.
private func skipString(_ rest: inout ArraySlice<UInt8>) -> Bool {
    while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "\""): return true
        case 0..<0x20: return false
        case UInt8(ascii: "\\"): if !skipEscape(&rest) { return false }
        default: break
        }
    }
    return false
}

private func skipEscape(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard let letter = rest.popFirst() else { return false }
    guard letter == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(letter) }
    guard let unit = codeUnit(&rest) else { return false }
    guard UTF16.isSurrogate(unit) else { return true }
    guard UTF16.isLeadSurrogate(unit), rest.starts(with: "\\u".utf8) else { return false }
    rest.removeFirst(2)
    return codeUnit(&rest).map(UTF16.isTrailSurrogate) ?? false
}

/// Four hexadecimal digits.
private func codeUnit(_ rest: inout ArraySlice<UInt8>) -> UInt16? {
    guard let value = bytes(hexadecimal: String(decoding: rest.prefix(4), as: UTF8.self)), value.count == 2 else {
        return nil
    }
    rest.removeFirst(4)
    return UInt16(value[0]) << 8 | UInt16(value[1])
}
