/// What is asked of a web server.
public struct WebRequest: Sendable {
    /// `GET`, `PUT`, `PROPFIND`.
    public var method: String
    /// Of what it is asked.
    public var address: WebAddress
    /// Header lines, such as `Depth: 1`: of callers' own words, without line breaks.
    public var headers: [String]
    /// What is sent along; nil for nothing.
    public var body: [UInt8]?
    /// As whom it is asked.
    public var credentials: Credentials?

    /// A name and a password.
    public struct Credentials: Sendable {
        /// How they are sent.
        public enum Scheme: Sendable {
            /// As they are (RFC 7617).
            case basic
            /// As a digest of both and of what the server draws for it (RFC 7616), which takes one more request.
            case digest
        }

        /// The name, without a colon.
        public var user: String
        /// The password.
        public var password: String
        /// How they are sent.
        public var scheme: Scheme

        /// Credentials from their parts.
        public init(user: String, password: String, scheme: Scheme = .basic) {
            self.user = user
            self.password = password
            self.scheme = scheme
        }
    }

    /// A request from its parts.
    public init(
        _ method: String, _ address: WebAddress, headers: [String] = [], body: [UInt8]? = nil,
        credentials: Credentials? = nil
    ) {
        self.method = method
        self.address = address
        self.headers = headers
        self.body = body
        self.credentials = credentials
    }

    /// What is attempted, to follow "could not".
    var attempted: String { "\(method == "GET" ? "fetch" : method) \(address)" }
}

/// What a web server answers.
public struct WebAnswer: Sendable {
    /// The status: 200 for "here it is".
    public let status: Int
    /// The values of header lines, by their names in lower case; of several with a name, the last one. Only of
    /// `www-authenticate`, all are there, with commas between them.
    public let headers: [String: String]
    /// What came along.
    public let body: [UInt8]
}

/// The header lines of an answer, as they come.
struct AnswerHeaders {
    private(set) var values: [String: String] = [:]

    mutating func take(_ line: String) {
        // Answers that only announce another one (100, 103) have lines of their own.
        if line.hasPrefix("HTTP/") { values = [:] }
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return }
        let value = line[colon...].dropFirst().drop { $0 == " " || $0 == "\t" }
        // A line ends with CR LF, which is one character.
        let end = value.lastIndex { !$0.isWhitespace }
        let (name, text) = (line[..<colon].lowercased(), end.map { String(value[...$0]) } ?? "")
        // A server names each way of signing in on a line of its own.
        if name == "www-authenticate", let earlier = values[name] {
            values[name] = "\(earlier), \(text)"
        } else {
            values[name] = text
        }
    }
}
