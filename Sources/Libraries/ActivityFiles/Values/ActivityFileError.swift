/// What is wrong with a file: in which format, where, and what. The only error of this library.
///
/// It never repeats what the file says about a person. Names of elements and numbers of fields may be in it.
public struct ActivityFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What a caller may want to tell apart.
    public enum Reason: Hashable, Sendable {
        /// The file is in no format that this library reads.
        case unknownFormat
        /// The file breaks its format's rules.
        case malformed
        /// The file ends too early.
        case truncated
        /// There is more than the caller allows, or it costs more than it may.
        case tooMuch
        /// It uses a part of its format that is not read: a document type, encryption.
        case unsupported
        /// The file is sound, and has nothing in it that was recorded.
        case empty
        /// The kernel could not read it.
        case unreadable
        /// The activity cannot be written in this format.
        case notRepresentable
    }

    /// Where it is wrong.
    public enum Position: Hashable, Sendable {
        /// The offset of a byte, from 0.
        case byte(Int)
        /// A line, from 1.
        case line(Int)
    }

    /// The format that was read or written: `FIT`, `GPX`, `ZIP`.
    public let format: String
    /// What to tell apart.
    public let reason: Reason
    /// Where; nil where it is about the whole.
    public let position: Position?
    /// What is wrong.
    public let said: String

    /// An error from its parts.
    public init(_ format: String, _ reason: Reason, at position: Position? = nil, _ said: String) {
        self.format = format
        self.reason = reason
        self.position = position
        self.said = said
    }

    /// One line for a log: `FIT, byte 1024: the file ends within a message`.
    public var description: String {
        switch position {
        case .byte(let offset): "\(format), byte \(offset): \(said)"
        case .line(let line): "\(format), line \(line): \(said)"
        case nil: "\(format): \(said)"
        }
    }
}

/// What goes wrong in what is done; nil where nothing does.
func fault(of body: () throws(ActivityFileError) -> Void) -> ActivityFileError? {
    do throws(ActivityFileError) {
        try body()
        return nil
    } catch { return error }
}
