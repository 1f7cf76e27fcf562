// The first bytes of a document: enough to know what it is.
enum XMLBeginning {
    /// The local name of the root; nil where these bytes are no beginning of a document, or do not reach that far.
    static func root(_ head: [UInt8]) -> String? {
        var at = 0
        if head.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
        while at < head.count {
            if [0x20, 0x0A, 0x0D, 0x09].contains(head[at]) {
                at += 1
                continue
            }
            guard head[at] == UInt8(ascii: "<"), at + 1 < head.count else { return nil }
            switch head[at + 1] {
            case UInt8(ascii: "?"):
                guard let end = find("?>", head, at) else { return nil }
                at = end
            case UInt8(ascii: "!"):
                if head[at...].starts(with: "<!--".utf8) {
                    guard let end = find("-->", head, at + 4) else { return nil }
                    at = end
                } else {
                    // A document type; that of Apple is longer than any look, but it says the root's name.
                    guard head[at...].starts(with: "<!DOCTYPE".utf8) else { return nil }
                    return name(head, at + 9)
                }
            default: return name(head, at + 1)
            }
        }
        return nil
    }

    /// The same document in UTF-8, where it begins as UTF-16 does; nil where it does not. Some programs of Windows write it. What
    /// says its encoding, which is another one now, has become spaces.
    static func utf8(ofUTF16 bytes: [UInt8]) -> [UInt8]? {
        let isBig = bytes.starts(with: [0xFE, 0xFF])
        guard isBig || bytes.starts(with: [0xFF, 0xFE]) else { return nil }
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { at -> UInt16 in
            let (high, low) = isBig ? (bytes[at], bytes[at + 1]) : (bytes[at + 1], bytes[at])
            return UInt16(high) << 8 | UInt16(low)
        }
        var text = Array(String(decoding: units, as: UTF16.self).utf8)
        if text.starts(with: "<?xml".utf8), let end = find("?>", text, 0) {
            for index in 0..<end where text[index] != 0x0A { text[index] = 0x20 }
        }
        return text
    }

    /// Without its document type, where that is written out in these bytes and has no entities: spaces stand in its
    /// place, so lines keep their numbers. An export of Apple Health begins with one, which has mistakes in some
    /// versions (iOS 16).
    static func withoutDocumentType(_ head: [UInt8]) -> [UInt8] {
        guard let begin = find("<!DOCTYPE", head, 0).map({ $0 - 9 }),
            let opening = head[begin...].firstIndex(of: UInt8(ascii: "[")),
            !head[begin..<opening].contains(UInt8(ascii: ">"))
        else { return head }
        var end = opening
        repeat {
            guard let bracket = head[(end + 1)...].firstIndex(of: UInt8(ascii: "]")) else { return head }
            end = bracket
            let next = head[(end + 1)...].firstIndex { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }
            if let next, head[next] == UInt8(ascii: ">") {
                end = next
                break
            }
        } while end + 1 < head.count
        guard head[end] == UInt8(ascii: ">"), find("<!ENTITY", head, begin).map({ $0 > end }) ?? true else {
            return head
        }
        var bytes = head
        for index in begin...end where bytes[index] != 0x0A { bytes[index] = 0x20 }
        return bytes
    }

    private static func name(_ head: [UInt8], _ start: Int) -> String? {
        let rest = head[start...].drop { [0x20, 0x0A, 0x0D, 0x09].contains($0) }
        let whole = rest.prefix { ![0x20, 0x0A, 0x0D, 0x09, 0x3E, 0x2F, 0x5B].contains($0) }
        let local = whole.lastIndex(of: UInt8(ascii: ":")).map { whole[($0 + 1)...] } ?? whole
        return local.isEmpty || local.count > 100 ? nil : String(decoding: local, as: UTF8.self)
    }

    /// Where a text ends that comes first from a place on.
    private static func find(_ text: String, _ bytes: [UInt8], _ start: Int) -> Int? {
        let wanted = Array(text.utf8)
        guard bytes.count - start >= wanted.count else { return nil }
        for at in start...(bytes.count - wanted.count) where bytes[at] == wanted[0] {
            if bytes[at..<at + wanted.count].elementsEqual(wanted) { return at + wanted.count }
        }
        return nil
    }
}
