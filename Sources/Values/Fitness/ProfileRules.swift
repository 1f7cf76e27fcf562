/// What a profile may say. The consumer decides by these rules; a program that asks a person for a profile can check
/// each answer by them before it sends anything.
public enum ProfileRules {
    /// What a person says, or does not. Formulas that were fitted for two sexes go without the sex if it is neither.
    public enum Gender: String, CaseIterable, Sendable {
        /// One of the two that formulas know.
        case female
        /// The other of the two.
        case male
        /// Neither.
        case other
        /// The person does not say.
        case undisclosed
    }

    /// Kilograms.
    public static let weights = 2.0...500
    /// Centimetres.
    public static let heights = 40.0...275
    /// Years.
    public static let oldest = 130
    /// Characters.
    public static let longestName = 100

    /// Whether a name can be seen, is on one line and not too long.
    public static func isName(_ text: String) -> Bool {
        let isSeen = text.unicodeScalars.contains { scalar in
            !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
        }
        return isSeen && isKeptName(text)
    }

    /// Whether what is kept is a name: on one line, and not too long. Nobody may be able to see it, because earlier versions took those, too.
    public static func isKeptName(_ text: String) -> Bool {
        guard !text.isEmpty, text.count <= longestName, text.utf8.count <= 4 * longestName else { return false }
        // No controls, and nothing that separates lines or paragraphs.
        return text.unicodeScalars.allSatisfy { scalar in
            !(0...0x1F).contains(scalar.value) && !(0x7F...0x9F).contains(scalar.value)
                && !(0x2028...0x2029).contains(scalar.value)
        }
    }

    /// Whether `day` can be a person's date of birth, seen from `today`.
    public static func isDateOfBirth(_ day: CalendarDay, on today: CalendarDay) -> Bool {
        day <= today && day.age(on: today) <= oldest
    }

    /// Whether a text has the shape of a language tag (RFC 5646, 2.1): a language of two or three letters, then subtags
    /// of up to eight letters and digits. It does not check whether such a language exists.
    public static func isLanguageTag(_ text: String) -> Bool {
        let subtags = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard text.utf8.count <= 35, let language = subtags.first, (2...3).contains(language.count) else {
            return false
        }
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        guard language.allSatisfy(isLetter), subtags.last.map({ $0.count > 1 }) == true else { return false }
        return subtags.dropFirst().allSatisfy { subtag in
            (1...8).contains(subtag.count) && subtag.allSatisfy { isLetter($0) || isDigit($0) }
        }
    }

    /// Whether a text has the shape of a time zone's name in the IANA database, such as `Europe/Berlin`, and would stay
    /// within its folder: `right/…` counts leap seconds, `posix/…` repeats the whole database.
    public static func isZoneName(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard name.utf8.count <= 64, (1...3).contains(parts.count), !["right", "posix"].contains(parts[0]) else {
            return false
        }
        return parts.allSatisfy { part in
            guard let first = part.utf8.first, (0x41...0x5A).contains(first) else { return false }
            return part.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "_+-".utf8.contains(byte)
            }
        }
    }
}
