// An e-mail address, of the kind that a person's mailbox has: the Mailbox of RFC 5321, 4.1.2, with a dot-string before
// the @ and a domain of at least two labels after it. Left out on purpose: quoted strings, comments, address literals
// and bare host names, which no provider hands out, and non-ASCII addresses (RFC 6531), which few servers deliver; an
// international domain is written in its ASCII form. None of the characters that remain can end a header's line.

/// An e-mail address that mail can be sent to.
package struct EmailAddress: Hashable {
    /// As it was given, without spaces around it: only the receiver decides what the part before the @ means, capitals
    /// included.
    package let text: String

    /// What distinguishes accounts: the whole address in lower case. No provider has two people whose addresses differ
    /// only in capitals, and people write their own sometimes with capitals and sometimes without.
    package var lookup: String { text.lowercased() }

    /// The part before the @.
    var localPart: Substring { text[..<(text.firstIndex(of: "@") ?? text.endIndex)] }

    /// The address that a text spells; nil if it is none.
    init?(_ given: String) {
        let text = given.trimmed
        guard (1...Self.maximumLength).contains(text.utf8.count) else { return nil }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isLocalPart(parts[0].utf8), Self.isDomain(parts[1].utf8) else { return nil }
        self.text = text
    }

    /// The whole (RFC 5321, 4.5.3.1.3, without the angle brackets), and the part before the @ (4.5.3.1.1), in bytes.
    static let maximumLength = 254
    private static let maximumLocalLength = 64
    /// RFC 1035, 2.3.4, without the root's empty label.
    private static let maximumDomainLength = 253

    private static func isLocalPart(_ part: Substring.UTF8View) -> Bool {
        guard part.count <= maximumLocalLength else { return false }
        return part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty && atom.allSatisfy { isLetterOrDigit($0) || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }
        }
    }

    private static func isDomain(_ domain: Substring.UTF8View) -> Bool {
        let labels = domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard domain.count <= maximumDomainLength, labels.count >= 2, let last = labels.last else { return false }
        // Four numbers are an IP address without its brackets, and not a domain.
        guard last.contains(where: { !isDigit($0) }) else { return false }
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
        }
    }
}

func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}
