extension Unicode.Scalar {
    /// Whether it could do harm where texts are shown: a control character (C0, DEL and C1), which may move a cursor, a
    /// separator of lines or paragraphs, a mark that changes the direction of writing, or one that is never in a text.
    public var isHarmful: Bool {
        switch value {
        case 0...0x1F, 0x7F...0x9F: true
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x206F: true
        case 0xFDD0...0xFDEF, 0xFFF9...0xFFFB, 0xFFFE, 0xFFFF: true
        default: false
        }
    }

    /// Whether it can be seen by itself: neither a space nor one that only joins, separates or marks others (such as U+200B).
    public var isVisible: Bool {
        // Braille without a dot does not count as a space, and yet there is nothing to see.
        !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint && !isHarmful && value != 0x2800
    }
}
