// One rule for every text that one person writes and another sees. It follows the FreeformClass of PRECIS (RFC 8264, 4.3 and 9), which
// refuses controls, noncharacters, private characters and old Hangul fillers, RFC 5892 (appendix A) for joiners, and Unicode
// Technical Standard 39 for what cannot be seen. Unlike PRECIS, it takes what emoji are made of, and characters that are newer than the tables
// of the Swift runtime, because telephones know new emoji first.

/// Texts that people write and others read.
public enum PlainText {
    /// What a refusal says after what a text is: "a label has at most 64 characters on one line" and so on.
    public static let refused = "without controls, hidden characters and marks that change the direction of text"

    /// Whether a text is one line that others can be shown: something can be seen, it is not too long, and nothing in it does harm.
    public static func isLine(_ text: String, atMost longest: (characters: Int, bytes: Int)) -> Bool {
        text.utf8.count <= longest.bytes && text.count <= longest.characters && text.unicodeScalars.contains(where: \.isVisible)
            && isHarmless(text)
    }

    /// Whether a text is one that others can be shown and that may have several lines, or none: like a line in everything
    /// else.
    public static func isText(_ text: String, atMost longest: (characters: Int, bytes: Int)) -> Bool {
        guard text.utf8.count <= longest.bytes, text.count <= longest.characters else { return false }
        return text.split(separator: "\n", omittingEmptySubsequences: false).allSatisfy { isHarmless($0, mayBreak: true) }
    }

    /// Whether nothing in a line hides, controls or turns round what is shown, however long it is; an empty one is harmless, too.
    /// - Parameter mayBreak: whether it may say where a line may be broken: the keyboards of some scripts write that between words,
    ///   and soft hyphens come with what is pasted.
    public static func isHarmless(_ line: some StringProtocol, mayBreak: Bool = false) -> Bool {
        var before: Unicode.Scalar?
        // Between a black flag and the end of its tags, as in the flag of Scotland.
        var isInFlag = false
        for scalar in line.unicodeScalars {
            if scalar.value == 0x1F3F4 { isInFlag = true } else if !scalar.isTag { isInFlag = false }
            guard scalar.isFit(after: before, isInFlag: isInFlag) || mayBreak && scalar.isBreak(after: before) else {
                return false
            }
            before = scalar
        }
        return true
    }

    /// A text to send where nobody is asked again, such as a notification: what was kept before this rule was there becomes a space if
    /// it is harmful, and is left out if it only hides. Lines may end in it.
    public static func shown(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var before: Unicode.Scalar?
        var isInFlag = false
        for scalar in text.unicodeScalars {
            if scalar.value == 0x1F3F4 { isInFlag = true } else if !scalar.isTag { isInFlag = false }
            let isFit = scalar == "\n" || scalar.isFit(after: before, isInFlag: isInFlag)
            if isFit { result.append(scalar) } else if scalar.isHarmful { result.append(" ") }
            before = scalar
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Whether it is one of the tags that end the flag of a region (Unicode Technical Standard 51, ED-14a).
    fileprivate var isTag: Bool { (0xE0020...0xE007F).contains(value) }

    fileprivate func isFit(after before: Unicode.Scalar?, isInFlag: Bool) -> Bool {
        if isHarmful || properties.isNoncharacterCodePoint || properties.generalCategory == .privateUse { return false }
        switch value {
        // Joiners: what is before them decides, which is a letter or a mark of a script that joins, or a part of an emoji.
        case 0x200C, 0x200D:
            guard let before else { return false }
            return before.value >= 0x590 && (before.isVisible || before.isVariation)
        case 0xE0020...0xE007F: return isInFlag
        case _ where isVariation: return before?.isVisible ?? false
        default: return !properties.isDefaultIgnorableCodePoint
        }
    }

    /// Whether it says where a line may be broken.
    fileprivate func isBreak(after before: Unicode.Scalar?) -> Bool {
        (value == 0xAD || value == 0x200B) && before?.isVisible ?? false
    }

    /// Whether it chooses between forms of what is before it.
    private var isVariation: Bool { properties.isVariationSelector }
}
