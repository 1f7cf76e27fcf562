/// A text to say.
public struct Utterance: Hashable, Sendable {
    /// What else may end it.
    public enum Urgency: Hashable, Sendable {
        /// It is said to its end, and what is like it waits until then.
        case message
        /// It is worth hearing until there is a newer one.
        case progress
    }

    /// The longest text that is said, in bytes of UTF-8: a minute of it.
    public static let longestBytes = 1024

    /// What is said.
    public let text: String
    /// A language tag's first part: `en`.
    public let language: String
    /// What else may end it.
    public let urgency: Urgency

    /// An utterance; nil if the text is blank, longer than 1,024 bytes or has control characters, or the language is not of two or three
    /// letters.
    public init?(_ text: String, language: String, _ urgency: Urgency) {
        guard text.utf8.count <= Self.longestBytes, text.contains(where: { !$0.isWhitespace }),
            text.unicodeScalars.allSatisfy({ !Self.isControl($0.value) }), (2...3).contains(language.utf8.count),
            language.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) })
        else { return nil }
        (self.text, self.language, self.urgency) = (text, language, urgency)
    }

    /// Controls, and what separates lines and paragraphs: a line that speech-dispatcher reads must be one.
    private static func isControl(_ value: UInt32) -> Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || (0x2028...0x2029).contains(value)
    }
}
