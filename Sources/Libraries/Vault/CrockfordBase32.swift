/// Crockford's base32: digits and letters that people can read to each other, without I, L, O and U, five bits each.
enum CrockfordBase32 {
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The digits of the lowest `5 * count` bits of a number, the highest first.
    static func text(_ number: UInt64, count: Int) -> String {
        let text = (0..<count).reversed().map { digits[Int(truncatingIfNeeded: number >> (5 * UInt64($0))) & 31] }
        return String(decoding: text, as: UTF8.self)
    }

    /// The number that at most twelve digits spell.
    static func number(_ values: some Sequence<UInt8>) -> UInt64 { values.reduce(0) { $0 << 5 | UInt64($1) } }

    /// The values of the digits in a text as people type it: either case, O for 0, I and L for 1, with spaces and
    /// hyphens anywhere. Nil if there is anything else.
    static func values(in text: String) -> [UInt8]? {
        var values: [UInt8] = []
        for character in text.utf8 {
            switch character {
            case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                continue
            case UInt8(ascii: "o"), UInt8(ascii: "O"): values.append(0)
            case UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "l"), UInt8(ascii: "L"): values.append(1)
            default:
                let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character) ? character - 32 : character
                guard let value = digits.firstIndex(of: upper) else { return nil }
                values.append(UInt8(value))
            }
        }
        return values
    }

    /// Groups of digits with a separator between them.
    static func grouped(_ text: String, by size: Int, _ separator: String) -> String {
        let digits = Array(text)
        return stride(from: 0, to: digits.count, by: size)
            .map { String(digits[$0..<min($0 + size, digits.count)]) }.joined(separator: separator)
    }
}
