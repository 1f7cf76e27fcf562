/// What went wrong with compressed bytes: what was attempted, and what zstd said. Never any of the bytes.
public struct CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What a caller may want to tell apart.
    public enum Reason: Hashable, Sendable {
        /// The bytes are not a frame, or more than one, or a damaged one.
        case malformed
        /// There would be more bytes than the caller allows.
        case tooLong
        /// zstd refused for another reason, such as a lack of memory.
        case failed
    }

    /// What was attempted, to follow "could not": `compress`.
    public let attempted: String
    /// What to tell apart.
    public let reason: Reason
    /// What zstd said, or what this library found.
    public let said: String

    /// One line for a log.
    public var description: String { "could not \(attempted): \(said)" }
}
