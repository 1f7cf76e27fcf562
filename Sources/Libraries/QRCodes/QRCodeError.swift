/// What went wrong with a QR code: what was attempted, and what libqrencode said. Never any of the text, which may be a
/// secret.
public struct QRCodeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What a caller may want to tell apart.
    public enum Reason: Hashable, Sendable {
        /// The text has no bytes.
        case empty
        /// No QR code holds so much.
        case tooLong
        /// libqrencode refused for another reason, such as a lack of memory.
        case failed
    }

    /// What was attempted, to follow "could not": `make a QR code`.
    public let attempted: String
    /// What to tell apart.
    public let reason: Reason
    /// What is wrong, in words.
    public let said: String

    /// One line for a log.
    public var description: String { "could not \(attempted): \(said)" }
}
