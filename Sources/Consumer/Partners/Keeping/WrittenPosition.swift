// What people write of where they train is for everybody to find. It should be the name of a neighbourhood, and not a position that leads to
// a door. This finds positions in the forms in which maps and phones write them. It does not find all: see deploy/groups.md.

import Telemetry

/// Looks for positions in what somebody has written.
struct WrittenPosition {
    private enum Token: Equatable {
        case number(digits: String)
        /// In lower case.
        case word(String)
        case space
        case mark(Character)
    }

    private let tokens: [Token]

    /// What is written, in lower case, without spaces: addresses of maps are looked for in it.
    private let solid: String

    init(in text: String) {
        var tokens: [Token] = []
        var solid = ""
        for character in Self.folded(text) {
            if !character.isWhitespace { solid.append(character) }
            if character.isWhitespace {
                if tokens.last != .space { tokens.append(.space) }
            } else if character.isASCII, character.isNumber {
                var digits = String(character)
                if case .number(let before)? = tokens.last {
                    digits = before + digits
                    tokens.removeLast()
                }
                tokens.append(.number(digits: digits))
            } else if character.isLetter {
                var letters = String(character)
                if case .word(let before)? = tokens.last {
                    letters = before + letters
                    tokens.removeLast()
                }
                tokens.append(.word(letters))
            } else {
                tokens.append(.mark(character))
            }
        }
        self.tokens = tokens
        self.solid = solid
    }

    /// What a reader makes of a text: in lower case, digits and marks of all scripts and forms as those of ASCII, and nothing that
    /// cannot be seen or that only decorates what is before it. (NFKC, Unicode Standard Annex 15, would do more for letters.)
    private static func folded(_ text: String) -> String {
        var result = ""
        for scalar in text.lowercased().unicodeScalars {
            let properties = scalar.properties
            switch properties.generalCategory {
            case .nonspacingMark, .enclosingMark: continue
            case _ where properties.isDefaultIgnorableCodePoint || scalar.isHarmful && !properties.isWhitespace: continue
            default: result += plain(scalar)
            }
        }
        return result
    }

    private static func plain(_ scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        // Numbers with a full stop or a comma in one character.
        case 0x2488...0x249B: return "\(scalar.value - 0x2487)."
        case 0x1F101...0x1F10A: return "\(scalar.value - 0x1F101),"
        case 0x066B, 0x06D4, 0x2024, 0x2027, 0x2219, 0x22C5, 0x3002, 0xB7, 0xFE52, 0xFF61: return "."
        case 0x060C, 0x066C, 0x201A, 0x3001, 0xFE50, 0xFE51, 0xFF64: return ","
        case 0xBA, 0x02DA: return "°"
        // Full width, in the same order.
        case 0xFF01...0xFF5E: return Unicode.Scalar(scalar.value - 0xFEE0).map { String(Character($0)) } ?? ""
        default: break
        }
        if let number = Character(scalar).wholeNumberValue, (0...99).contains(number) { return "\(number)" }
        return String(Character(scalar))
    }

    /// Whether it has a number with a fraction, or degrees, of which no name of an area has any.
    var hasFractionOrDegrees: Bool { !fractions.isEmpty || tokens.contains(.mark("°")) }

    /// Whether it has a position: degrees as a number with four digits of a fraction, or two with three next to each other, or with two
    /// that cannot be times; degrees and minutes; a latitude and a longitude with their letters; a plus code; or an address of a map.
    var isThere: Bool {
        hasPreciseNumbers || hasPair || hasMinutes || hasCompassLetters || hasAddress || tokens.indices.contains(where: isPlusCode)
    }

    // MARK: Numbers

    private struct Fraction {
        let whole: String
        let digits: String
        /// The tokens of the whole number.
        let range: Range<Int>

        /// Whether it may be a time of day, as in 10.30.
        var isTime: Bool {
            guard digits.count == 2, whole.count <= 2, let hour = Int(whole), let minute = Int(digits) else { return false }
            return hour <= 24 && minute <= 59
        }
    }

    /// Numbers with a fraction. Spaces may be around its mark, except where honest people write them: after a comma in a list, and after
    /// the full stop of a sentence, before a year.
    private var fractions: [Fraction] { tokens.indices.compactMap(fraction) }

    private func fraction(of mark: Int) -> Fraction? {
        guard [.mark("."), .mark(","), .word("punkt"), .word("point"), .word("dot"), .word("komma"), .word("comma")].contains(tokens[mark])
        else { return nil }
        let start = tokens[..<mark].last == .space ? mark - 2 : mark - 1
        let isLoose = mark + 1 < tokens.count && tokens[mark + 1] == .space
        let end = isLoose ? mark + 2 : mark + 1
        guard start >= 0, end < tokens.count, case .number(let whole) = tokens[start], case .number(let digits) = tokens[end] else { return nil }
        if isLoose, start == mark - 1, tokens[mark] == .mark(",") || Self.isYear(digits) || isAmount(after: end) { return nil }
        return isInDate(start, end) ? nil : Fraction(whole: whole, digits: digits, range: start..<(end + 1))
    }

    private static func isYear(_ digits: String) -> Bool {
        digits.count == 4 && (digits.hasPrefix("19") || digits.hasPrefix("20"))
    }

    /// Whether a number's two parts belong to a date such as 28.11.2026.
    private func isInDate(_ start: Int, _ end: Int) -> Bool {
        func number(_ index: Int) -> String? {
            guard tokens.indices.contains(index), case .number(let digits) = tokens[index] else { return nil }
            return digits
        }
        func isDate(_ day: Int) -> Bool {
            guard let first = number(day).flatMap({ Int($0) }), let month = number(day + 2).flatMap({ Int($0) }),
                let year = number(day + 4), tokens[day + 1] == .mark("."), tokens[day + 3] == .mark(".")
            else { return false }
            return (1...31).contains(first) && (1...12).contains(month) && (year.count == 2 || Self.isYear(year))
        }
        return end == start + 2 && (isDate(start) || isDate(start - 2))
    }

    private var hasPreciseNumbers: Bool {
        let fractions = fractions
        if fractions.contains(where: { $0.digits.count >= 4 }) { return true }
        return neighbours(fractions, across: Self.axes).contains { $0.digits.count >= 3 && $1.digits.count >= 3 }
    }

    /// Whether two numbers with two digits of a fraction or more stand next to each other, and can be neither times nor amounts.
    private var hasPair: Bool {
        neighbours(fractions).contains { one, other in
            guard one.digits.count >= 2, other.digits.count >= 2, !(one.isTime && other.isTime) else { return false }
            return !isAmount(after: other.range.upperBound - 1)
        }
    }

    private func isAmount(after number: Int) -> Bool {
        tokens[(number + 1)...].first { $0 != .space }.map(Self.units.contains) ?? false
    }

    private static let units: [Token] =
        ["km", "m", "mi", "h", "min", "kg", "uhr", "eur", "euro", "kmh"].map(Token.word) + [.mark("€"), .mark("$"), .mark("%")]

    /// What may stand before a latitude and a longitude.
    private static let axes: Set<String> = ["lat", "latitude", "lon", "long", "lng", "longitude", "breite", "länge"]

    private func neighbours(_ fractions: [Fraction], across words: Set<String> = []) -> [(Fraction, Fraction)] {
        fractions.enumerated().compactMap { index, one in
            // Parts of one number, such as that of a telephone, do not stand next to each other.
            let next = fractions[(index + 1)...].first { $0.range.lowerBound >= one.range.upperBound }
            guard let next, tokens[one.range.upperBound..<next.range.lowerBound].allSatisfy({ Self.isBetweenNumbers($0, words) })
            else { return nil }
            return (one, next)
        }
    }

    private static func isBetweenNumbers(_ token: Token, _ words: Set<String>) -> Bool {
        switch token {
        case .number: false
        case .word(let word): latitudes.contains(word) || longitudes.contains(word) || words.contains(word)
        case .space: true
        case .mark(let mark): ",;/+-|()[]:=".contains(mark)
        }
    }

    /// Whether a number follows after degrees: a temperature ends with them.
    private var hasMinutes: Bool {
        tokens.indices.contains { index in
            guard tokens[index] == .mark("°"), let next = tokens[(index + 1)...].first(where: { $0 != .space })
            else { return false }
            if case .number = next { return true }
            return false
        }
    }

    // MARK: Addresses

    /// Addresses of maps, which lead to one place, in lower case and without spaces.
    private static let maps = [
        "goo.gl/", "maps.google.", "maps.apple.com", "openstreetmap.org", "osm.org/", "what3words.com", "w3w.co/", "plus.codes/",
        "bing.com/maps", "wego.here.com",
    ]

    /// Whether there is a geo URI (RFC 5870) or an address of a map.
    private var hasAddress: Bool {
        if Self.maps.contains(where: { solid.contains($0) }) || solid.contains(#/google\.[a-z.]{2,7}/maps/#) { return true }
        return tokens.indices.contains { index in
            guard tokens[index] == .word("geo") else { return false }
            let rest = tokens[(index + 1)...].filter { $0 != .space && $0 != .mark("-") && $0 != .mark("+") }
            guard rest.count > 1, rest[0] == .mark(":"), case .number = rest[1] else { return false }
            return true
        }
    }

    // MARK: Letters

    private static let latitudes: Set<String> = ["n", "s"]
    /// In German, east is O.
    private static let longitudes: Set<String> = ["e", "w", "o"]

    private var hasCompassLetters: Bool {
        [Self.latitudes, Self.longitudes].allSatisfy { letters in
            tokens.indices.contains { index in
                guard case .word(let word) = tokens[index], letters.contains(word) else { return false }
                return isNumber(tokens[..<index].reversed()) || isNumber(tokens[(index + 1)...])
            }
        }
    }

    /// Whether the next thing is a number, apart from spaces and signs of degrees, minutes and seconds.
    private func isNumber(_ tokens: some Sequence<Token>) -> Bool {
        for token in tokens {
            switch token {
            case .number: return true
            case .space: continue
            case .mark(let mark) where "°'\"′″’”:".contains(mark): continue
            default: return false
            }
        }
        return false
    }

    /// Whether there is the plus of a plus code, such as 9F4MGC22+22 or, for one near a town, GC22+22.
    private func isPlusCode(_ index: Int) -> Bool {
        guard tokens[index] == .mark("+") else { return false }
        let before = Self.code(tokens[..<index].reversed())
        let after = Self.code(tokens[(index + 1)...])
        guard let before, let after else { return false }
        return [4, 6, 8].contains(before) && (2...7).contains(after)
    }

    /// How many characters come next that a plus code may have; nil if there are any others up to the next space or mark.
    private static func code(_ tokens: some Sequence<Token>) -> Int? {
        var count = 0
        for token in tokens {
            switch token {
            case .number(let text), .word(let text):
                guard text.allSatisfy({ "23456789cfghjmpqrvwx".contains($0) }) else { return nil }
                count += text.count
            case .space, .mark: return count
            }
        }
        return count
    }
}
