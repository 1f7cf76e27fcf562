/// A line of text, of one part or several that follow each other.
public struct Text: Hashable, Sendable {
    /// A part that looks the same.
    public struct Run: Hashable, Sendable {
        /// What is written, without anything that could be more than a text: see `harmless`.
        public let words: String
        /// How high a line is, in pixels.
        public let size: Double
        /// Whether its strokes are thick.
        public let isBold: Bool
        /// Its colour.
        public let colour: Colour

        /// A part of a text.
        public init(_ words: String, size: Double, isBold: Bool = false, _ colour: Colour) {
            self.words = harmless(words)
            (self.size, self.isBold, self.colour) = (size, isBold, colour)
        }
    }

    /// Which part of the text is at its place.
    public enum Anchor: Hashable, Sendable, CaseIterable {
        /// Its left end.
        case start
        /// Its middle.
        case middle
        /// Its right end.
        case end
    }

    /// How many parts a text has at most.
    public static let mostRuns = 8
    /// How long a part is at most, in bytes of UTF-8.
    public static let longestBytes = 1000
    /// How high a line may be.
    static let sizes = 1.0...1000.0

    /// In order.
    public let runs: [Run]
    /// The line on which the letters stand, at `anchor`.
    public let at: Point
    /// Which part of the text is at `at`.
    public let anchor: Anchor

    /// A text of several parts.
    public init(_ runs: [Run], at point: Point, anchor: Anchor = .start) {
        (self.runs, at, self.anchor) = (runs, point, anchor)
    }
}

/// How many scalars a character may have: letters with accents and families of emoji have fewer, and a tower of accents
/// would cover what is drawn above and below.
private let mostScalars = 10

/// A text that is nothing but a text: controls, marks that change the direction of what follows, line ends, and what
/// XML does not allow are replaced by U+FFFD.
func harmless(_ text: String) -> String {
    var result = ""
    for character in text {
        let scalars = character.unicodeScalars
        result.unicodeScalars.append(contentsOf: scalars.prefix(mostScalars).map { isHarmless($0) ? $0 : "\u{FFFD}" })
    }
    return result
}

private func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Controls.
    case 0...0x1F, 0x7F...0x9F: false
    // What changes the direction, separates lines or paragraphs, or annotates; tags, which nobody sees.
    case 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFFF9...0xFFFB, 0xE0000...0xE007F: false
    // No characters at all.
    case 0xFDD0...0xFDEF: false
    case let value where value & 0xFFFE == 0xFFFE: false
    default: true
    }
}

/// About how wide a text is, for a line of a height: rather too wide. Fonts differ, so what stands beside a text never
/// relies on it; it says how much of a long name there is room for.
func roughWidth(_ text: some StringProtocol, size: Double, isBold: Bool) -> Double {
    let ems = text.reduce(0.0) { sum, character in
        guard let scalar = character.unicodeScalars.first else { return sum }
        switch scalar {
        case "i", "l", "j", "I", "'", "|", ".", ",", ":", ";", "!", " ": return sum + 0.38
        case "m", "w", "M", "W", "@", "%": return sum + 1.06
        default: return sum + (scalar.value < 0x1100 ? scalar.properties.isUppercase ? 0.8 : 0.66 : 1.1)
        }
    }
    return ems * size * (isBold ? 1.06 : 1)
}

/// As much of a text as there is room for, with an ellipsis where something is missing.
func cut(_ text: String, to width: Double, size: Double, isBold: Bool) -> String {
    guard roughWidth(text, size: size, isBold: isBold) > width else { return text }
    var left = text.prefix(200)
    while !left.isEmpty, roughWidth(left + "…", size: size, isBold: isBold) > width { left.removeLast() }
    while left.last == " " { left.removeLast() }
    return left + "…"
}
