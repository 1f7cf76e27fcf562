public import Fetch

/// Speaks CalDAV (RFC 4791) with a server. Every call blocks: call it on a thread that has nothing else to do, one call at
/// a time.
///
/// What it asks is spread over files: `Discovery.swift` finds and makes calendars, `Resources.swift` reads and changes what is
/// in them.
public final class CalDAVClient: Sendable {
    /// What a client allows.
    public struct Limits: Hashable, Sendable {
        /// No answer is longer, in bytes.
        public var answer: Int
        /// No resource is longer, in bytes.
        public var resource: Int
        /// A calendar has at most so many resources.
        public var resources: Int
        /// No request takes longer.
        public var duration: Duration
        /// No connection takes longer to be made.
        public var connecting: Duration
        /// A client speaks with its server for no longer than this, however many requests that takes: a server that answers
        /// each of them just in time would keep its thread for hours.
        public var conversation: Duration
        /// What is not in the public internet, and where the server that the person has named may be all the same.
        public var privateHosts: [NetworkRange]

        /// Limits; the defaults are what a calendar of reminders needs.
        public init(
            answer: Int = 4 << 20, resource: Int = 64 << 10, resources: Int = 1000,
            duration: Duration = .seconds(30),
            connecting: Duration = .seconds(10), conversation: Duration = .seconds(300),
            privateHosts: [NetworkRange] = []
        ) {
            self.answer = answer
            self.resource = resource
            self.resources = resources
            self.duration = duration
            self.connecting = connecting
            self.conversation = conversation
            self.privateHosts = privateHosts
        }
    }

    /// What a calendar has, and how it differs from what it had.
    public struct Changes: Hashable, Sendable {
        /// The ETags of resources that were made or changed, by name.
        public var changed: [String: String] = [:]
        /// The names of resources that are gone; empty where `isWhole`.
        public var deleted: Set<String> = []
        /// What the next call begins with; nil if the server knows no tokens.
        public var token: String?
        /// Whether `changed` is all that the calendar has.
        public var isWhole = false

        /// Nothing.
        public init() {}
    }

    /// A resource of a calendar.
    public struct Resource: Hashable, Sendable {
        /// Its name in the calendar.
        public let name: String
        /// What changes whenever it does.
        public let etag: String
        /// What is in it.
        public let bytes: [UInt8]

        /// A resource from its parts.
        public init(name: String, etag: String, bytes: [UInt8]) {
            self.name = name
            self.etag = etag
            self.bytes = bytes
        }
    }

    /// On what condition something is written.
    public enum Match: Hashable, Sendable {
        /// That nothing has this name yet.
        case none
        /// That it is still as it was with this ETag.
        case etag(String)
    }

    let exchange: Exchange
    let limits: Limits

    /// A client, whose conversation begins now.
    /// - Parameter authorities: a file with the certificates (PEM) of the authorities to trust, instead of the machine's.
    public init(_ account: CalDAVAccount, limits: Limits = Limits(), authorities: String? = nil) {
        self.limits = limits
        var fetching = Fetcher.Limits(
            length: limits.answer, duration: limits.duration, connecting: limits.connecting,
            reach: Reach(), keepsConnections: true)
        let publicFetcher = Fetcher(fetching, authorities: authorities)
        fetching.reach = Reach(privateHosts: limits.privateHosts)
        exchange = Exchange(
            account: account, trust: ServerTrust(account.address),
            ownFetcher: Fetcher(fetching, authorities: authorities), publicFetcher: publicFetcher,
            end: .now + limits.conversation)
    }

    /// Ends the call that is under way, within about a second, and refuses those that follow. Call it from any thread.
    public func cancel() {
        exchange.ownFetcher.cancel()
        exchange.publicFetcher.cancel()
    }
}
