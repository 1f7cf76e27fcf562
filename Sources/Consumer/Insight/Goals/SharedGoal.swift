import Features
import Fitness

// What a person shows of a day: a sentence, and a small picture of a ring that closes as the goal comes near. Neither
// says whose it is; what is filled in is escaped, even if it needs no escaping today.

/// A goal of a day, to be shown to others.
struct SharedGoal {
    let goal: Goal
    let day: CalendarDay
    let value: Double
    /// Nil if there is no such goal.
    let target: Double?
    let isReached: Bool
    let language: Language
    /// Those of the person who shares it.
    let units: Units

    private var percent: Double? { target.map { 100 * value / $0 } }

    /// Whole percents, rounded down: nobody who has not reached the goal is told 100.
    private var percentText: String { language.number((percent ?? 0).rounded(.down)) }

    private func amount(_ value: Double) -> String {
        switch goal {
        case .steps: language(.steps, ["number": language.number(value)])
        case .distance: language.text(units.ways(value, decimals: 2))
        case .energy: language(.kilocalories, ["number": language.number(value)])
        }
    }

    /// `12,345 steps on 21 November 2026: I have reached my goal of 10,000 steps!`
    var text: String {
        let (value, day) = (amount(value), language.date(day))
        guard let target else { return language(.shareValue, ["value": value, "day": day]) }
        return language(
            isReached ? .shareReached : .shareGoal,
            ["value": value, "day": day, "percent": percentText, "target": amount(target)])
    }

    /// The settings' link; `{day}` and `{goal}` are filled in.
    static func link(_ template: String, day: CalendarDay, goal: Goal) -> String {
        [("{day}", "\(day)"), ("{goal}", goal.rawValue)].reduce(template) { link, filled in
            link.split(separator: filled.0, omittingEmptySubsequences: false).joined(separator: filled.1)
        }
    }
}

// MARK: The picture

extension SharedGoal {
    private static let (size, centre, radius, width) = (480, 240, 168.0, 36)

    /// A square picture, less than 4 KiB.
    var svg: String {
        let length = 2 * Double.pi * Self.radius
        let done = length * min(1, max(0, (percent ?? 0) / 100))
        let number = target == nil ? amount(value) : "\(percentText)\u{202F}%"
        let below = target.map { language(.ofGoal, ["number": amount($0)]) } ?? ""
        // An arc of no length with round ends would be a dot.
        let arc =
            done < 1
            ? ""
            : """
            <circle cx="\(Self.centre)" cy="\(Self.centre)" r="\(Self.decimal(Self.radius))" fill="none" stroke="url(#ring)" \
            stroke-width="\(Self.width)" stroke-linecap="round" transform="rotate(-90 \(Self.centre) \(Self.centre))" \
            stroke-dasharray="\(Self.decimal(done)) \(Self.decimal(length))"/>
            """
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.size) \(Self.size)" width="\(Self.size)" \
            height="\(Self.size)" role="img" font-family="system-ui,-apple-system,Segoe UI,Roboto,sans-serif" \
            text-anchor="middle"><title>\(Self.escaped(text))</title>\
            <defs><linearGradient id="ring" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#2dd4bf"/>\
            <stop offset="1" stop-color="\(isReached ? "#84cc16" : "#3b82f6")"/></linearGradient></defs>\
            <rect width="\(Self.size)" height="\(Self.size)" rx="40" fill="#0f172a"/>\
            <circle cx="\(Self.centre)" cy="\(Self.centre)" r="\(Self.decimal(Self.radius))" fill="none" stroke="#1e293b" \
            stroke-width="\(Self.width)"/>\(arc)\
            \(line(number, y: 216, size: target == nil ? 40 : 72, "#f8fafc", "700"))\
            \(target == nil ? "" : line(amount(value), y: 268, size: 30, "#f8fafc", "600"))\
            \(line(below, y: 304, size: 22, "#94a3b8", "400"))\
            \(line(language.date(day), y: 344, size: 20, "#94a3b8", "400"))\
            \(isReached ? Self.tick : "")</svg>
            """
    }

    /// A mark above the number if the goal is reached.
    private static let tick =
        """
        <path d="M220 122l14 14 28-30" fill="none" stroke="#84cc16" stroke-width="9" stroke-linecap="round" \
        stroke-linejoin="round"/>
        """

    /// A line of text, made smaller if it would not fit into the ring.
    private func line(_ text: String, y: Int, size: Int, _ colour: String, _ weight: String) -> String {
        guard !text.isEmpty else { return "" }
        let fitting = min(size, Int(270.0 / (0.58 * Double(max(1, text.count)))))
        return """
            <text x="\(Self.centre)" y="\(y)" font-size="\(fitting)" font-weight="\(weight)" fill="\(colour)">\
            \(Self.escaped(text))</text>
            """
    }

    /// Two decimals, as SVG has numbers.
    private static func decimal(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

    /// Text in XML (XML 1.0, 2.4); control characters cannot be in it at all.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": break
            default: escaped.unicodeScalars.append(character)
            }
        }
    }
}
