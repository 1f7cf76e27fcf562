/// Why a calendar server did not do what was asked: what was attempted, what it or libcurl said, and what a person can
/// check.
public struct CalDAVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What a caller may want to tell apart.
    public enum Reason: Hashable, Sendable {
        /// The address is not one that is spoken to.
        case address
        /// The address leads into a network that is not public, and not allowed.
        case notPublic
        /// No name, no route, no connection, or a broken one.
        case unreachable
        /// The server is not the one that it claims to be, or cannot speak TLS 1.2.
        case untrusted
        /// It took too long.
        case timeout
        /// The answer, or what is in it, is more than is allowed.
        case tooLarge
        /// The server does not take the user's name and password (401).
        case unauthorized
        /// The user may not do this (403).
        case forbidden
        /// There is nothing at this address (404, 410).
        case gone
        /// It is not as it was expected to be, because somebody else changed it (412).
        case conflict
        /// The server does not know the token any more, or never did: read everything.
        case tokenExpired
        /// The server leads to a place where nobody may be asked.
        case redirected
        /// The answer is not what CalDAV says it is.
        case malformed
        /// The server answered with another status.
        case status(Int)
        /// The client was told to stop.
        case cancelled
    }

    /// What was attempted, to follow "could not": `read the changes of https://…`.
    public let attempted: String
    /// What to tell apart.
    public let reason: Reason
    /// What libcurl or the server said.
    public let said: String

    init(_ attempted: String, _ reason: Reason, said: String) {
        self.attempted = attempted
        self.reason = reason
        self.said = said
    }

    /// One line for a log.
    public var description: String {
        let line = "could not \(attempted): \(said)"
        return hint.map { "\(line); \($0)" } ?? line
    }

    /// What to check or to do; nil if nobody can do anything.
    public var hint: String? {
        switch reason {
        case .address: "give a whole https address, such as https://cloud.example.com"
        case .notPublic: "allow it, if that is meant"
        case .unreachable: "check the name and the network"
        case .untrusted: "check the server's certificate"
        case .timeout: "the server may be slow or gone"
        case .unauthorized: "check the user's name, and make a new app password"
        case .forbidden: "check what the user may do there"
        case .redirected: "give the address where the calendar server is"
        case .malformed: "check the address: a calendar server that speaks CalDAV is needed"
        case .tooLarge, .gone, .conflict, .tokenExpired, .status, .cancelled: nil
        }
    }
}

extension CalDAVError {
    /// Whether the server has said something, and may say more to another question.
    public var isAnAnswer: Bool {
        switch reason {
        case .forbidden, .gone, .conflict, .tokenExpired, .malformed, .tooLarge, .status: true
        case .address, .notPublic, .unreachable, .untrusted, .timeout, .unauthorized, .redirected, .cancelled: false
        }
    }
}
