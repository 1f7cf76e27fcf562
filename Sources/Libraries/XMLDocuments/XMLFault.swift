/// What is wrong with a document, and where.
public struct XMLFault: Error, Hashable, Sendable {
    /// What a caller may want to tell apart.
    public enum Reason: Hashable, Sendable {
        /// It breaks the rules of XML.
        case malformed
        /// It ends too early.
        case truncated
        /// There is more in it than is allowed.
        case tooMuch
        /// It uses what is not read: a document type, a rare encoding.
        case unsupported
        /// libxml2 has no memory.
        case unreadable
    }

    /// What to tell apart.
    public let reason: Reason
    /// The line, from 1; nil where it is about the whole.
    public let line: Int?
    /// What is wrong. Words of libxml2's may have a name of the document in them, of any length and any characters.
    public let said: String

    /// A fault from its parts.
    public init(_ reason: Reason, line: Int?, _ said: String) {
        self.reason = reason
        self.line = line
        self.said = said
    }
}

/// Why a document was not read to its end.
public enum XMLFailure<Failure: Error>: Error {
    /// The document is wrong.
    case document(XMLFault)
    /// Its reader does not want more of it, and the line at which that was.
    case reader(Failure, line: Int?)
}
