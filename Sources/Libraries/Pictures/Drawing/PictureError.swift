/// What went wrong with a picture: what was attempted, and which limit it met or what cairo said. Never any of the words
/// that are drawn.
public struct PictureError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What a caller may want to tell apart.
    public enum Reason: Hashable, Sendable {
        /// The picture would be larger, or hold more, than a picture may.
        case tooLarge
        /// A number is none, or so far off that nobody could see what it draws.
        case outOfRange
        /// Cairo refused, such as for a lack of memory.
        case failed
    }

    /// What was attempted, to follow "could not": `draw a text`.
    public let attempted: String
    /// What to tell apart.
    public let reason: Reason
    /// What is wrong, in words.
    public let said: String

    init(_ attempted: String, _ reason: Reason, _ said: String) {
        (self.attempted, self.reason, self.said) = (attempted, reason, said)
    }

    /// One line for a log.
    public var description: String { "could not \(attempted): \(said)" }
}
