// What people are told, in their language. Each feature has its own phrases, and each phrase has its words in every
// language: without them it does not compile. A test reads the sources and makes sure that all fill in the same values.

/// Words for people, with the values that are filled in, in braces.
package struct Phrase: Hashable, Sendable {
    package let english: String
    package let german: String

    package init(english: String, german: String) {
        self.english = english
        self.german = german
    }

    /// What stands elsewhere, as in a file: its words are not in a phrase of the code, where a test finds those of all others.
    package init(read english: String, german: String) { self.init(english: english, german: german) }
}

extension Phrase {
    /// The name for a person who has not given one.
    package static let somebody = Phrase(
        english: "Somebody",
        german: "Jemand")
    /// What can be said of a notification whose kind nobody knows.
    package static let neutralNews = Phrase(
        english: "Vitals has news for you.",
        german: "Vitals hat Neuigkeiten für dich.")
    /// {day}, {month}, {year}
    package static let date = Phrase(
        english: "{day} {month} {year}",
        german: "{day}. {month} {year}")
}
