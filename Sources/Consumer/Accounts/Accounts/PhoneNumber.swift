/// A phone number with its country code: E.164, at most fifteen digits. Countries change the numbers that they hand out
/// by the month, so only the shape is checked; a code that reaches a person shows that the number is theirs.
package struct PhoneNumber: Hashable {
    /// A plus sign and digits only: `+4915123456789`. It distinguishes accounts.
    package let text: String

    /// As people write it, in bytes.
    static let maximumLength = 64

    /// The number that a text spells, with spaces, hyphens, full stops and brackets as people write them; nil if it
    /// is none.
    ///
    /// `+49 (0)151…` is refused: the digit in brackets is not dialled from abroad, but in some countries a zero is, and
    /// only the person knows.
    init?(_ given: String) {
        let written = given.trimmed
        guard written.utf8.count <= Self.maximumLength, written.utf8.first == UInt8(ascii: "+"),
            Self.hasFittingBrackets(written)
        else {
            return nil
        }
        var digits = ""
        for character in written.unicodeScalars.dropFirst() {
            switch character {
            case "0"..."9": digits.unicodeScalars.append(character)
            // The hyphens are those of keyboards and of typesetters; the spaces include the one that does not break.
            case " ", "\u{A0}", "\u{202F}", "-", "\u{2010}", "\u{2011}", "\u{2013}", ".", "(", ")": break
            default: return nil
            }
        }
        guard (8...15).contains(digits.utf8.count), digits.first != "0" else { return nil }
        text = "+" + digits
    }

    /// Each bracket that opens closes before the next one, with something in between that is not just a zero.
    private static func hasFittingBrackets(_ text: String) -> Bool {
        var inside: String?
        for character in text {
            switch (character, inside) {
            case ("(", nil): inside = ""
            case ("(", _?), (")", nil): return false
            case (")", let content?):
                guard content.contains(where: { ("1"..."9").contains($0) }) else { return false }
                inside = nil
            default: inside?.append(character)
            }
        }
        return inside == nil
    }
}
