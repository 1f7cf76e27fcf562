// Foundation's parser of Swift 6.0, which Debian 13 ships, ends the process where the name of a member is no string: bytes that
// are not UTF-8, a control character, an escape that does not exist, half a surrogate pair (swift-foundation, pull request
// 1043). Payloads come from anybody who may publish, so their strings are looked at before it sees them.

/// Whether a payload is UTF-8 and everything in it that begins with a quotation mark is a string (RFC 8259, 7). Whether the rest
/// is JSON, the parser says.
func hasOnlySoundStrings(_ payload: [UInt8]) -> Bool {
    guard String(validating: payload, as: UTF8.self) != nil else { return false }
    var rest = payload[...]
    while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "\""), !skipString(&rest) { return false }
    }
    return true
}

/// Goes to what follows the closing quotation mark; false where there is none, or something before it is not allowed.
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
