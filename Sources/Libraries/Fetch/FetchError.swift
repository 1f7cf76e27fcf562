/// Why a document was not fetched: what was attempted, what libcurl or the server said, and what an operator can check.
public struct FetchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What a caller may want to tell apart.
    public enum Reason: Hashable, Sendable {
        /// The address is not one that may be fetched from.
        case address
        /// No name, no route, no connection, or a broken one.
        case unreachable
        /// The server is not the one that it claims to be, or cannot speak TLS 1.2.
        case untrusted
        /// The server is at an address that is not a public one, and only those are allowed.
        case notPublic
        /// It took too long.
        case timeout
        /// The answer is too long.
        case tooLarge
        /// The server answered with a status that is not 200.
        case status(Int)
        /// The fetcher was told to stop.
        case cancelled
        /// libcurl refused for another reason.
        case failed
    }

    /// What was attempted, to follow "could not": `fetch https://…`.
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

    /// What to check or to run; nil if an operator can do nothing.
    public var hint: String? {
        switch reason {
        case .address: "give a whole https address, such as https://www.example.com/keys"
        case .unreachable:
            "check the name, the network, and the environment's https_proxy: try it with curl -v"
        case .untrusted: "check the machine's clock and its certificates (ca-certificates)"
        case .notPublic: "give an address that everybody can reach"
        case .timeout: "check the network; the server may be slow or gone"
        case .status(300..<400): "the address has moved: set the new one, redirections are not followed"
        case .status: "check the address: open it in a browser"
        case .tooLarge: "check the address: what is there is not a small document"
        case .cancelled, .failed: nil
        }
    }
}
