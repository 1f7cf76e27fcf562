import Features
import Fitness
package import Telemetry

/// A sentence to begin a day with, in each of our languages.
package struct Quote: Hashable, Sendable {
    package let id: ID
    package let english: String
    package let german: String

    /// No text is longer, in characters and in bytes.
    package static let longestText = (characters: 200, bytes: 600)

    /// In that language.
    func text(in language: Language) -> String { language.words(Phrase(read: english, german: german)) }

    /// Whether a text may be shown as a quote: something on one line, without characters that do harm.
    static func isText(_ text: String) -> Bool { PlainText.isLine(text, atMost: longestText) }

    /// What the reply and the topic have.
    /// - Parameter isLiked: whether their person likes it.
    func json(on day: CalendarDay, in language: Language, isLiked: Bool) -> JSON {
        [
            "day": .string("\(day)"), "quote": .string(id.text), "text": .string(text(in: language)),
            "language": .string(language.tag), "liked": .bool(isLiked),
        ]
    }
}
