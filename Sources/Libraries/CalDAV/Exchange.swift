import Fetch
import Synchronization

/// A request to a calendar server, and what comes of it: redirections are followed, and what is wrong becomes an error.
struct Exchange {
    /// No more redirections are followed for a request.
    private static let mostRedirections = 3

    /// As whom it asks.
    let account: CalDAVAccount
    /// To where they may lead.
    let trust: ServerTrust
    /// For addresses that are the operator's own network, if that is allowed.
    let ownFetcher: Fetcher
    /// For all others.
    let publicFetcher: Fetcher
    /// When the conversation is over.
    let end: ContinuousClock.Instant
    /// Whether the server was found to take the password in no other way.
    private let wantsDigest = Flag()

    private final class Flag: Sendable { let isSet = Atomic(false) }

    init(
        account: CalDAVAccount, trust: ServerTrust, ownFetcher: Fetcher, publicFetcher: Fetcher,
        end: ContinuousClock.Instant
    ) {
        self.account = account
        self.trust = trust
        self.ownFetcher = ownFetcher
        self.publicFetcher = publicFetcher
        self.end = end
    }

    /// What a server has answered, and where.
    struct Answer {
        let address: WebAddress
        let status: Int
        let headers: [String: String]
        let body: [UInt8]
    }

    /// Sends a request.
    /// - Parameter attempted: what this is for, to follow "could not".
    /// - Returns: an answer whose status is one of success (2xx).
    func send(_ request: WebRequest, _ attempted: String) throws(CalDAVError) -> Answer {
        var request = request
        for _ in 0...Self.mostRedirections {
            guard trust.covers(request.address) else {
                throw CalDAVError(attempted, .redirected, said: "the server leads to \(request.address)")
            }
            let answer = try signedIn(request, attempted)
            switch answer.status {
            case 200..<300:
                return Answer(
                    address: request.address, status: answer.status, headers: answer.headers,
                    body: answer.body)
            case 301, 302, 307, 308:
                guard let reference = answer.headers["location"] else {
                    throw CalDAVError(attempted, .malformed, said: "the server leads to nowhere")
                }
                request.address = try followed(request.address, reference, attempted)
            default: throw refused(answer, attempted)
            }
        }
        throw CalDAVError(attempted, .redirected, said: "the server leads from one address to the next")
    }

    /// The answer to a request in the account's name. Servers that take no password as it is say so.
    private func signedIn(_ request: WebRequest, _ attempted: String) throws(CalDAVError) -> WebAnswer {
        var request = request
        let isKnown = wantsDigest.isSet.load(ordering: .relaxed)
        request.credentials = WebRequest.Credentials(
            user: account.user, password: account.password, scheme: isKnown ? .digest : .basic)
        let answer = try sent(request, attempted)
        guard !isKnown, answer.status == 401, Self.asksForDigest(answer) else { return answer }
        wantsDigest.isSet.store(true, ordering: .relaxed)
        request.credentials?.scheme = .digest
        return try sent(request, attempted)
    }

    /// Whether a server takes a password by Digest, and not as it is.
    private static func asksForDigest(_ answer: WebAnswer) -> Bool {
        let ways = answer.headers["www-authenticate"]?.lowercased() ?? ""
        return ways.contains("digest ") && !ways.contains("basic ")
    }

    private func sent(_ request: WebRequest, _ attempted: String) throws(CalDAVError) -> WebAnswer {
        let left = ContinuousClock.now.duration(to: end)
        // A request that used up the time may have ended a little before it: its limit is whole milliseconds of
        // libcurl's clock, which does not run exactly as this one does. What little is left is not worth a request.
        guard left > .milliseconds(10) else {
            throw CalDAVError(attempted, .timeout, said: "the server has had its time")
        }
        let fetcher = trust.allowsPrivate(request.address) ? ownFetcher : publicFetcher
        do throws(FetchError) { return try fetcher.send(request, within: left) } catch {
            throw CalDAVError(attempted, error)
        }
    }

    private func followed(
        _ address: WebAddress, _ reference: String, _ attempted: String
    ) throws(CalDAVError) -> WebAddress {
        do throws(FetchError) { return try address.following(reference) } catch {
            throw CalDAVError(attempted, .redirected, said: error.said)
        }
    }

    /// The error that an answer without success is.
    private func refused(_ answer: WebAnswer, _ attempted: String) -> CalDAVError {
        let reason: CalDAVError.Reason =
            switch answer.status {
            case 401: .unauthorized
            case 403: isAboutToken(answer) ? .tokenExpired : .forbidden
            case 404, 410: .gone
            case 409: isAboutToken(answer) ? .tokenExpired : .status(409)
            case 412: .conflict
            case 413: .tooLarge
            case 507: isAboutToken(answer) ? .tokenExpired : .status(507)
            default: .status(answer.status)
            }
        return CalDAVError(attempted, reason, said: "the server answered with status \(answer.status)")
    }

    /// Whether a server says that it does not know a token (RFC 6578, 3.2: the precondition DAV:valid-sync-token).
    private func isAboutToken(_ answer: WebAnswer) -> Bool {
        (try? DAVErrorReader.conditions(of: answer.body))?.contains(.validSyncToken) ?? false
    }
}

extension CalDAVError {
    init(_ attempted: String, _ error: FetchError) {
        let reason: Reason =
            switch error.reason {
            case .address: .address
            case .notPublic: .notPublic
            case .unreachable, .failed: .unreachable
            case .untrusted: .untrusted
            case .timeout: .timeout
            case .tooLarge: .tooLarge
            case .status(let status): .status(status)
            case .cancelled: .cancelled
            }
        self.init(attempted, reason, said: error.said)
    }
}
