import CCurl
import Glibc
import Synchronization

// Documents from the web.
//
// What is fetched here decides whom we trust, so little is allowed: https, a certificate that the machine's authorities
// vouch for, TLS 1.2 or newer, one answer of status 200, small and fast. Redirections are not followed: an operator who
// names an address is asked for the real one. Plain http is allowed only for loopback addresses, written as addresses:
// a name could lead anywhere.

/// Fetches small documents over https, one at a time. `get` blocks: call it on a thread that has nothing else to do.
public final class Fetcher: Sendable {
    /// What a fetcher allows.
    public struct Limits: Hashable, Sendable {
        /// No answer is longer, in bytes. Its header lines have 64 KiB of their own.
        public var length: Int
        /// No fetch takes longer.
        public var duration: Duration
        /// No connection takes longer to be made.
        public var connecting: Duration

        /// Limits; the defaults are what a set of keys needs.
        public init(
            length: Int = 256 * 1024, duration: Duration = .seconds(10), connecting: Duration = .seconds(5)
        ) {
            self.length = length
            self.duration = duration
            self.connecting = connecting
        }
    }

    private let limits: Limits
    private let authorities: String?
    private let isCancelled = Atomic(false)

    /// A fetcher.
    /// - Parameter authorities: a file with the certificates (PEM) of the authorities to trust, instead of the
    ///   machine's.
    public init(_ limits: Limits = Limits(), authorities: String? = nil) {
        self.limits = limits
        self.authorities = authorities
    }

    /// Ends the fetch that is under way, within about a second, and refuses those that follow. Call it from any thread.
    public func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// The document at `address`: what an answer of status 200 carried. Blocks.
    public func get(_ address: String) throws(FetchError) -> [UInt8] {
        let isSecure = try WebAddress(address).isSecure
        // The environment (http_proxy and similar variables) is read as curl reads it, but a loopback address has no
        // proxy in front of it.
        let transfer = try Transfer(address, limits, isCancelled: { [self] in isCancelled.load(ordering: .relaxed) })
        try transfer.prepare(isSecure: isSecure, authorities)
        return try transfer.run()
    }
}

/// One use of libcurl: its handle, and what its callbacks leave.
private final class Transfer {
    private static let maximumHeader = 64 * 1024
    // curl_global_init must be called once, before anything else (libcurl(3)); a static property ensures that.
    private static let isStarted = vitals_curl_start() == CURLE_OK

    private let attempted: String
    private let address: String
    private let limits: Fetcher.Limits
    private let isCancelled: () -> Bool
    private let handle: UnsafeMutableRawPointer
    private var body: [UInt8] = []
    private var headerLength = 0
    private var isTooLarge = false

    init(_ address: String, _ limits: Fetcher.Limits, isCancelled: @escaping () -> Bool) throws(FetchError) {
        attempted = "fetch \(address)"
        self.address = address
        self.limits = limits
        self.isCancelled = isCancelled
        guard Self.isStarted, let handle = curl_easy_init() else {
            throw FetchError("fetch \(address)", .failed, said: "libcurl does not start")
        }
        self.handle = handle
    }

    deinit { curl_easy_cleanup(handle) }

    func prepare(isSecure: Bool, _ authorities: String?) throws(FetchError) {
        try check(vitals_curl_set_text(handle, CURLOPT_URL, address))
        try check(vitals_curl_allow_only(handle, isSecure ? 1 : 0))
        try check(vitals_curl_set_number(handle, CURLOPT_FOLLOWLOCATION, 0))
        // Without it libcurl uses signals for its time limits, in a process with threads.
        try check(vitals_curl_set_number(handle, CURLOPT_NOSIGNAL, 1))
        try check(vitals_curl_set_number(handle, CURLOPT_SSL_VERIFYPEER, 1))
        try check(vitals_curl_set_number(handle, CURLOPT_SSL_VERIFYHOST, 2))
        try check(vitals_curl_require_tls12(handle))
        if let authorities {
            try check(vitals_curl_set_text(handle, CURLOPT_CAINFO, authorities))
            // Debian's libcurl would also trust the machine's folder of certificates.
            try check(vitals_curl_set_text(handle, CURLOPT_CAPATH, nil))
        }
        if !isSecure { try check(vitals_curl_set_text(handle, CURLOPT_PROXY, "")) }
        try check(vitals_curl_set_number(handle, CURLOPT_TIMEOUT_MS, limits.duration.milliseconds))
        try check(vitals_curl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, limits.connecting.milliseconds))
        try check(vitals_curl_set_large(handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(limits.length)))
        try check(vitals_curl_set_text(handle, CURLOPT_USERAGENT, "vitals"))
        // libcurl keeps no reference: `self` lives until `run` is over, which is the only time that it calls back.
        let me = Unmanaged.passUnretained(self).toOpaque()
        try check(vitals_curl_set_body(handle, { Transfer.taking($0, $1 * $2, $3) { $0.take(body: $1) } }, me))
        try check(vitals_curl_set_header(handle, { Transfer.taking($0, $1 * $2, $3) { $0.take(header: $1) } }, me))
        try check(
            vitals_curl_set_progress(
                handle,
                { me, _, _, _, _ in
                    guard let me else { return 1 }
                    return Unmanaged<Transfer>.fromOpaque(me).takeUnretainedValue().isCancelled() ? 1 : 0
                }, me))
    }

    func run() throws(FetchError) -> [UInt8] {
        let code = withExtendedLifetime(self) { curl_easy_perform(handle) }
        if isTooLarge || code == CURLE_FILESIZE_EXCEEDED {
            throw FetchError(attempted, .tooLarge, said: "the answer is longer than \(limits.length) bytes")
        }
        try check(code)
        var status = 0
        try check(vitals_curl_status(handle, &status))
        guard status == 200 else {
            throw FetchError(attempted, .status(status), said: "the server answered with status \(status)")
        }
        return body
    }

    /// Gives bytes to the transfer that `me` is; libcurl goes on if the result says that all of them were taken.
    private static func taking(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ me: UnsafeMutableRawPointer?,
        _ take: (Transfer, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let me else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(me).takeUnretainedValue()
        guard take(transfer, UnsafeRawBufferPointer(start: bytes, count: count)) else {
            transfer.isTooLarge = true
            return 0
        }
        return count
    }

    private func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= limits.length else { return false }
        body += bytes
        return true
    }

    private func take(header bytes: UnsafeRawBufferPointer) -> Bool {
        headerLength += bytes.count
        return headerLength <= Self.maximumHeader
    }

    private func check(_ code: CURLcode) throws(FetchError) {
        guard code != CURLE_OK else { return }
        let reason: FetchError.Reason =
            switch code {
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .address
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_GOT_NOTHING,
                CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE:
                .unreachable
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,
                CURLE_SSL_ISSUER_ERROR:
                .untrusted
            case CURLE_OPERATION_TIMEDOUT: .timeout
            case CURLE_ABORTED_BY_CALLBACK: .cancelled
            default: .failed
            }
        throw FetchError(attempted, reason, said: String(cString: curl_easy_strerror(code)))
    }
}

extension Duration {
    /// Whole milliseconds, at least one: libcurl takes 0 for "no limit".
    fileprivate var milliseconds: Int { max(1, Int(clamping: Int64(self / .milliseconds(1)))) }
}
