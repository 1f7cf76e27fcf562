package import Fitness

/// A language, and how it writes numbers and days. Its words are in the phrases: see `Phrase`.
package struct Language: Sendable {
    /// A language tag's first part.
    package let tag: String
    /// January to December.
    package let months: [String]
    /// Between thousands.
    let thousands: String
    /// Before decimals.
    package let decimal: String
    /// Its words of a phrase.
    package let words: @Sendable (Phrase) -> String

    package static let english = Language(
        tag: "en",
        months: [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ],
        thousands: ",", decimal: ".", words: \.english)

    package static let german = Language(
        tag: "de",
        months: [
            "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
            "Dezember",
        ],
        thousands: ".", decimal: ",", words: \.german)

    package static let all = [english, german]

    /// The language of a profile's locale, such as `de-AT`; English where there is none of ours.
    package static func of(locale: String) -> Language {
        let tag = locale.split(separator: "-").first.map { $0.lowercased() }
        return all.first { $0.tag == tag } ?? english
    }

    /// A phrase with all values filled in. Braces in a value are left alone.
    package func callAsFunction(_ phrase: Phrase, _ values: KeyValuePairs<String, String> = [:]) -> String {
        var text = ""
        var rest = Substring(words(phrase))
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = rest[rest.index(after: open)..<close]
            text += rest[..<open] + (values.first { $0.key == name }?.value ?? "")
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }

    /// A number with this many decimals: `10,000`, `8.5`.
    package func number(_ value: Double, decimals: Int = 0) -> String {
        // No goal is near that, and a number that is not finite has no digits.
        guard value.isFinite, abs(value) < 1e15 else { return "–" }
        let scale = (0..<decimals).reduce(Int64(1)) { scale, _ in scale * 10 }
        let whole = Int64((abs(value) * Double(scale)).rounded())
        var digits = "\(whole / scale)"
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.insert(digits.suffix(3), at: 0)
            digits = String(digits.dropLast(3))
        }
        let fraction = String("\(whole % scale + scale)".dropFirst())
        let sign = value < 0 && whole > 0 ? "−" : ""
        return sign + ([digits] + groups.map(String.init)).joined(separator: thousands)
            + (decimals > 0 ? decimal + fraction : "")
    }

    /// A number with its unit: `8.50 km`, `5,28 mi`.
    package func text(_ quantity: Quantity) -> String {
        "\(number(quantity.value, decimals: quantity.decimals)) \(quantity.unit.rawValue)"
    }

    /// A day as people write it: `21 November 2026`.
    package func date(_ day: CalendarDay) -> String {
        self(.date, ["day": "\(day.day)", "month": months[day.month - 1], "year": "\(day.year)"])
    }
}
