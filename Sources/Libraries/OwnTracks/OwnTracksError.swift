/// What went wrong with a message of OwnTracks, or with something for the app: what was attempted, and which field is
/// wrong. It never repeats what a field holds, which may be where somebody is.
public struct OwnTracksError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What a caller may want to tell apart.
    public enum Reason: Hashable, Sendable {
        /// The bytes are not the JSON or the Base64 that they should be.
        case malformed
        /// A field that has to be there is not.
        case missing
        /// A field is of a type that it never has.
        case wrongType
        /// A field holds what it cannot hold.
        case outOfRange
        /// There is more than is allowed: bytes, fields, or elements of a field.
        case tooLong
        /// The secret does not open the message, or somebody changed the message on the way.
        case notOpened
        /// The C library failed.
        case failed
    }

    /// What was attempted, to follow "could not": `read a location`.
    public let attempted: String
    /// The field that is wrong, as it is spelt in the JSON; nil if it is the whole.
    public let field: String?
    /// What to tell apart.
    public let reason: Reason
    /// What is wrong, in words.
    public let said: String

    init(_ attempted: String, _ reason: Reason, field: String? = nil, _ said: String) {
        self.attempted = attempted
        self.reason = reason
        self.field = field
        self.said = said
    }

    /// One line for a log.
    public var description: String {
        let what = field.map { "\"\($0)\" " } ?? ""
        return "could not \(attempted): \(what)\(said)"
    }
}
