import Fitness

/// A language in which workouts are spoken of. Its words are for a voice: there are no symbols and no abbreviations, and a number has
/// no separators of thousands.
public enum SpokenLanguage: String, CaseIterable, Hashable, Sendable {
    /// English.
    case english = "en"
    /// German.
    case german = "de"

    /// One of two texts.
    func callAsFunction(_ english: String, _ german: String) -> String { self == .english ? english : german }

    /// A number with at most one decimal, which is left out if it is 0.
    func number(_ tenths: Int) -> String {
        tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10)\(self(".", ","))\(tenths % 10)"
    }

    /// What is counted, with a number before it.
    func counted(_ count: Int, _ words: Counted) -> String { "\(count) \(self.words(words, isOne: count == 1))" }

    /// The same with tenths.
    func counted(tenths: Int, _ words: Counted) -> String {
        "\(number(tenths)) \(self.words(words, isOne: tenths == 10))"
    }

    private func words(_ words: Counted, isOne: Bool) -> String {
        switch self {
        case .english: isOne ? words.english.one : words.english.many
        case .german: isOne ? words.german.one : words.german.many
        }
    }

    /// Something that is counted, as one and as many.
    struct Counted {
        let english: (one: String, many: String)
        let german: (one: String, many: String)

        static let hours = Counted(english: ("hour", "hours"), german: ("Stunde", "Stunden"))
        static let minutes = Counted(english: ("minute", "minutes"), german: ("Minute", "Minuten"))
        static let seconds = Counted(english: ("second", "seconds"), german: ("Sekunde", "Sekunden"))
        static let kilometres = Counted(english: ("kilometre", "kilometres"), german: ("Kilometer", "Kilometer"))
        static let metres = Counted(english: ("metre", "metres"), german: ("Meter", "Meter"))
        static let miles = Counted(english: ("mile", "miles"), german: ("Meile", "Meilen"))
        static let feet = Counted(english: ("foot", "feet"), german: ("Fuß", "Fuß"))
        static let steps = Counted(english: ("step", "steps"), german: ("Schritt", "Schritte"))
        static let kilocalories = Counted(
            english: ("kilocalorie", "kilocalories"), german: ("Kilokalorie", "Kilokalorien"))
    }
}
