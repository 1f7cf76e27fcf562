/// Bytes or text that do not say what they should: what was being read, and what is wrong with it.
///
/// The only error of this library.
public struct MalformedValue: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Fault: Hashable, Sendable {
        /// The bytes end before the last declared field.
        case truncated
        /// This many bytes follow where nothing may follow.
        case trailingBytes(Int)
        /// A version, type, flag or encoding that this library does not know; the text names it.
        case unsupported(String)
        /// A field outside its range; the text names the field and what is allowed.
        case outOfRange(String)
        /// The sensor says, in a well-formed way, that it has no value (NaN, "not known", nothing at all).
        case noValue
        /// Text outside its grammar; the text says what is allowed.
        case notAllowed(String)
    }

    /// What was being read, such as `heart rate measurement`.
    public let subject: String
    /// What is wrong with it.
    public let fault: Fault

    /// A fault found in `subject`.
    public init(_ subject: String, _ fault: Fault) {
        self.subject = subject
        self.fault = fault
    }

    /// One line for a log or a reply. It never repeats the bytes, which may be a person's.
    public var description: String {
        switch fault {
        case .truncated: "\(subject): truncated"
        case .trailingBytes(let count): "\(subject): \(count) bytes too many"
        case .unsupported(let what): "\(subject): unsupported \(what)"
        case .outOfRange(let what): "\(subject): out of range: \(what)"
        case .noValue: "\(subject): the sensor has no value"
        case .notAllowed(let what): "\(subject): \(what)"
        }
    }
}
