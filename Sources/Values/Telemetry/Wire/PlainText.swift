/// Texts that people write and others read.
public enum PlainText {
    /// Whether a text is one line that others can be shown: something can be seen, it is not too long, and nothing in it does harm.
    public static func isLine(_ text: String, atMost longest: (characters: Int, bytes: Int)) -> Bool {
        text.utf8.count <= longest.bytes && text.count <= longest.characters && text.unicodeScalars.contains(where: \.isVisible)
            && !text.unicodeScalars.contains(where: \.isHarmful)
    }

    /// Whether a text is one that others can be shown and that may have several lines, or none: like a line in everything
    /// else.
    public static func isText(_ text: String, atMost longest: (characters: Int, bytes: Int)) -> Bool {
        text.utf8.count <= longest.bytes && text.count <= longest.characters
            && text.unicodeScalars.allSatisfy { !$0.isHarmful || $0 == "\n" }
    }
}
