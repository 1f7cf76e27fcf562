// What people write of where they train is for everybody to find. It should be the name of a neighbourhood, and not a position that leads to
// a door. This finds positions in the forms in which maps and phones write them. It does not find all: see deploy/groups.md.

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

    init(in text: String) {
        var tokens: [Token] = []
        for character in text.lowercased().map(Self.plain) {
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
    }

    /// Digits of all scripts as those of ASCII, and so the forms of full width, which are in the same order.
    private static func plain(_ character: Character) -> Character {
        if let digit = character.wholeNumberValue, (0...9).contains(digit) { return Character("\(digit)") }
        guard let scalar = character.unicodeScalars.first, character.unicodeScalars.count == 1,
            (0xFF01...0xFF5E).contains(scalar.value), let plain = Unicode.Scalar(scalar.value - 0xFEE0)
        else { return character }
        return Character(plain)
    }

    /// Whether it has a number with a fraction, or degrees, of which no name of an area has any.
    var hasFractionOrDegrees: Bool { !fractions.isEmpty || tokens.contains(.mark("°")) }

    /// Whether it has a position: degrees as a number with four digits of a fraction, or two with three next to each other; degrees and
    /// minutes; a latitude and a longitude with their letters; or a plus code.
    var isThere: Bool {
        hasPreciseNumbers || hasMinutes || hasCompassLetters || tokens.indices.contains(where: isPlusCode)
    }

    // MARK: Numbers

    /// Where numbers with a fraction are: the place of the mark, and how many digits follow it.
    private var fractions: [(mark: Int, digits: Int)] {
        tokens.indices.dropFirst().compactMap { index in
            guard tokens[index] == .mark(".") || tokens[index] == .mark(","), index + 1 < tokens.count,
                case .number = tokens[index - 1], case .number(let digits) = tokens[index + 1]
            else { return nil }
            return (index, digits.count)
        }
    }

    private var hasPreciseNumbers: Bool {
        let fractions = fractions
        if fractions.contains(where: { $0.digits >= 4 }) { return true }
        return zip(fractions, fractions.dropFirst()).contains { one, other in
            one.digits >= 3 && other.digits >= 3
                && tokens[(one.mark + 2)..<max(one.mark + 2, other.mark - 1)].allSatisfy(Self.isBetweenNumbers)
        }
    }

    private static func isBetweenNumbers(_ token: Token) -> Bool {
        switch token {
        case .number: false
        case .word(let word): latitudes.contains(word) || longitudes.contains(word)
        case .space: true
        case .mark(let mark): ",;/+-".contains(mark)
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
