import Synchronization

// Documents from the web.
//
// What is fetched here decides whom we trust, so little is allowed: https, a certificate that the machine's authorities
// vouch for, TLS 1.2 or newer, one answer, small and fast. Redirections are not followed: an operator who names an address
// is asked for the real one, and a caller that sends requests decides for itself. Plain http is allowed only for loopback
// addresses, written as addresses: a name could lead anywhere.
//
// An address that an operator gives may lead into their own network. One that a person gives, or another server, must not:
// then `Limits.reach` has each address looked at that libcurl is about to connect to, whatever a name server said.

/// Fetches small documents over https, one at a time. Its calls block: make them on a thread that has nothing else to do.
public final class Fetcher: Sendable {
    /// What a fetcher allows.
    public struct Limits: Hashable, Sendable {
        /// No answer is longer, in bytes. Its header lines have 64 KiB of their own.
        public var length: Int
        /// No fetch takes longer.
        public var duration: Duration
        /// No connection takes longer to be made.
        public var connecting: Duration
        /// What may be connected to; nil for everything. If it is limited, no proxy is used, either: it would look up names
        /// by itself.
        public var reach: Reach?
        /// Whether a connection is kept for the next request to the same server, as long as the fetcher lives.
        public var keepsConnections: Bool

        /// Limits; the defaults are what a set of keys needs.
        public init(
            length: Int = 256 * 1024, duration: Duration = .seconds(10),
            connecting: Duration = .seconds(5),
            reach: Reach? = nil, keepsConnections: Bool = false
        ) {
            self.length = length
            self.duration = duration
            self.connecting = connecting
            self.reach = reach
            self.keepsConnections = keepsConnections
        }
    }

    private let limits: Limits
    private let authorities: String?
    private let connections: KeptConnections?
    private let isCancelled = Atomic(false)

    /// A fetcher.
    /// - Parameter authorities: a file with the certificates (PEM) of the authorities to trust, instead of the
    ///   machine's.
    public init(_ limits: Limits = Limits(), authorities: String? = nil) {
        self.limits = limits
        self.authorities = authorities
        connections = limits.keepsConnections ? KeptConnections() : nil
    }

    /// Ends the fetch that is under way, within about a second, and refuses those that follow. Call it from any thread.
    public func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// The document at `address`: what an answer of status 200 carried. Blocks.
    public func get(_ address: String) throws(FetchError) -> [UInt8] {
        let request = WebRequest("GET", try WebAddress(address))
        let answer = try send(request)
        guard answer.status == 200 else {
            throw FetchError(
                request.attempted, .status(answer.status),
                said: "the server answered with status \(answer.status)")
        }
        return answer.body
    }

    /// What a server answers, whatever its status is. Blocks.
    /// - Parameter time: what is left for it, if that is less than any fetch may take.
    public func send(_ request: WebRequest, within time: Duration = .seconds(3600)) throws(FetchError) -> WebAnswer {
        var limits = limits
        limits.duration = min(limits.duration, time)
        guard let connections else { return try transfer(request, limits) }
        return try connections.alone { () throws(FetchError) in try transfer(request, limits) }
    }

    private func transfer(_ request: WebRequest, _ limits: Limits) throws(FetchError) -> WebAnswer {
        let transfer = try Transfer(
            request, limits, connections, isCancelled: { [self] in isCancelled.load(ordering: .relaxed) })
        try transfer.prepare(authorities)
        return try transfer.run()
    }
}
