import CCurl
import Glibc

/// One use of libcurl: its handle, and what its callbacks leave.
final class Transfer {
    private static let maximumHeader = 64 * 1024
    /// So many bytes a second, over so many seconds.
    private static let slowest = (bytes: 100, seconds: 20)
    // curl_global_init must be called once, before anything else (libcurl(3)); a static property ensures that.
    static let isStarted = vitals_curl_start() == CURLE_OK

    private let request: WebRequest
    private let limits: Fetcher.Limits
    private let isCancelled: () -> Bool
    private let handle: UnsafeMutableRawPointer
    private var lines: UnsafeMutablePointer<curl_slist>?
    private var body: [UInt8] = []
    private var headers = AnswerHeaders()
    private var headerLength = 0
    private var isTooLarge = false
    /// Whether an address was not connected to because it is out of reach.
    private var isOutOfReach = false
    /// The networks that this machine is in; empty where nothing is limited.
    private let neighbours: [NetworkRange]

    init(
        _ request: WebRequest, _ limits: Fetcher.Limits, _ connections: KeptConnections?,
        isCancelled: @escaping () -> Bool
    ) throws(FetchError) {
        self.request = request
        self.limits = limits
        self.isCancelled = isCancelled
        guard Self.isStarted, let handle = curl_easy_init() else {
            throw FetchError(request.attempted, .failed, said: "libcurl does not start")
        }
        self.handle = handle
        neighbours = limits.reach == nil ? [] : Reach.neighbours()
        if let connections { try check(vitals_curl_use_share(handle, connections.share)) }
    }

    deinit {
        curl_easy_cleanup(handle)
        curl_slist_free_all(lines)
    }

    func prepare(_ authorities: String?) throws(FetchError) {
        let isSecure = request.address.isSecure
        try check(vitals_curl_set_text(handle, CURLOPT_URL, request.address.text))
        try check(vitals_curl_allow_only(handle, isSecure ? 1 : 0))
        try check(vitals_curl_set_number(handle, CURLOPT_FOLLOWLOCATION, 0))
        // Without it libcurl uses signals for its time limits, in a process with threads.
        try check(vitals_curl_set_number(handle, CURLOPT_NOSIGNAL, 1))
        // A name server that does not answer keeps a thread of libcurl's; nobody waits for that one.
        try check(vitals_curl_leave_resolvers(handle))
        try check(vitals_curl_set_number(handle, CURLOPT_SSL_VERIFYPEER, 1))
        try check(vitals_curl_set_number(handle, CURLOPT_SSL_VERIFYHOST, 2))
        try check(vitals_curl_require_tls12(handle))
        if let authorities {
            try check(vitals_curl_set_text(handle, CURLOPT_CAINFO, authorities))
            // Debian's libcurl would also trust the machine's folder of certificates.
            try check(vitals_curl_set_text(handle, CURLOPT_CAPATH, nil))
        }
        // The environment (http_proxy and similar variables) is read as curl reads it, but a loopback address has no
        // proxy in front of it.
        if !isSecure || limits.reach != nil { try check(vitals_curl_set_text(handle, CURLOPT_PROXY, "")) }
        try check(vitals_curl_set_number(handle, CURLOPT_TIMEOUT_MS, limits.duration.milliseconds))
        try check(
            vitals_curl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, limits.connecting.milliseconds))
        try check(vitals_curl_set_large(handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(limits.length)))
        try check(vitals_curl_set_text(handle, CURLOPT_USERAGENT, "vitals"))
        // Less than this is no answer; where nothing comes at all, the limits of time end it.
        try check(vitals_curl_set_number(handle, CURLOPT_LOW_SPEED_LIMIT, Self.slowest.bytes))
        try check(vitals_curl_set_number(handle, CURLOPT_LOW_SPEED_TIME, Self.slowest.seconds))
        try prepareRequest()
        // libcurl keeps no reference: `self` lives until `run` is over, which is the only time that it calls back.
        let me = Unmanaged.passUnretained(self).toOpaque()
        if limits.reach != nil {
            try check(
                vitals_curl_set_open_socket(
                    handle,
                    { me, _, address in
                        guard let me, let address else { return CURL_SOCKET_BAD }
                        return Unmanaged<Transfer>.fromOpaque(me).takeUnretainedValue().open(address)
                    }, me))
        }
        try check(
            vitals_curl_set_body(handle, { Transfer.taking($0, $1 * $2, $3) { $0.take(body: $1) } }, me))
        try check(
            vitals_curl_set_header(
                handle, { Transfer.taking($0, $1 * $2, $3) { $0.take(header: $1) } }, me))
        try check(
            vitals_curl_set_progress(
                handle,
                { me, _, _, _, _ in
                    guard let me else { return 1 }
                    return Unmanaged<Transfer>.fromOpaque(me).takeUnretainedValue().isCancelled() ? 1 : 0
                }, me))
    }

    private func prepareRequest() throws(FetchError) {
        if request.method != "GET" {
            try check(vitals_curl_set_text(handle, CURLOPT_CUSTOMREQUEST, request.method))
        }
        if let body = request.body {
            try check(vitals_curl_set_large(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            // Of no bytes there is no address, and without one libcurl would send no body at all.
            try check(
                (body + [0]).withUnsafeBytes { vitals_curl_set_body_to_send(handle, $0.baseAddress) })
        }
        if let credentials = request.credentials {
            let scheme = credentials.scheme == .basic ? vitals_curl_basic : vitals_curl_digest
            try check(vitals_curl_set_number(handle, CURLOPT_HTTPAUTH, Int(scheme)))
            try check(vitals_curl_set_text(handle, CURLOPT_USERNAME, credentials.user))
            try check(vitals_curl_set_text(handle, CURLOPT_PASSWORD, credentials.password))
        }
        // libcurl would ask whether it may send a long body, and wait a second for an answer.
        for line in request.headers + ["Expect:"] {
            guard let longer = curl_slist_append(lines, line) else {
                throw FetchError(request.attempted, .failed, said: "libcurl has no memory")
            }
            lines = longer
        }
        try check(vitals_curl_set_list(handle, CURLOPT_HTTPHEADER, lines))
    }

    /// The socket for an address that libcurl is about to connect to; none where it may not.
    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        guard let place = place(of: address), limits.reach?.includes(place, neighbours: neighbours) ?? true else {
            isOutOfReach = true
            return CURL_SOCKET_BAD
        }
        let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        return socket(address.pointee.family, type, address.pointee.protocol)
    }

    private func place(of address: UnsafeMutablePointer<curl_sockaddr>) -> NetworkAddress? {
        let whole = UnsafeRawBufferPointer(
            start: vitals_curl_address(address), count: Int(address.pointee.addrlen))
        return NetworkAddress(socket: whole, family: address.pointee.family)
    }

    func run() throws(FetchError) -> WebAnswer {
        let code = withExtendedLifetime(self) { curl_easy_perform(handle) }
        if isTooLarge || code == CURLE_FILESIZE_EXCEEDED {
            throw FetchError(
                request.attempted, .tooLarge, said: "the answer is longer than \(limits.length) bytes")
        }
        if isOutOfReach, code != CURLE_OK {
            throw FetchError(
                request.attempted, .notPublic, said: "its address is not one of the public internet")
        }
        try check(code)
        var status = 0
        try check(vitals_curl_status(handle, &status))
        return WebAnswer(status: status, headers: headers.values, body: body)
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
        let line = String(decoding: bytes, as: UTF8.self)
        // The next answer: of two, the first one was an announcement or a question.
        headerLength = bytes.count + (line.hasPrefix("HTTP/") ? 0 : headerLength)
        guard headerLength <= Self.maximumHeader else { return false }
        headers.take(line)
        return true
    }

    private func check(_ code: CURLcode) throws(FetchError) {
        guard code != CURLE_OK else { return }
        let reason: FetchError.Reason =
            switch code {
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .address
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT,
                CURLE_GOT_NOTHING,
                CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE:
                .unreachable
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,
                CURLE_SSL_ISSUER_ERROR:
                .untrusted
            case CURLE_OPERATION_TIMEDOUT: .timeout
            case CURLE_ABORTED_BY_CALLBACK: .cancelled
            default: .failed
            }
        throw FetchError(request.attempted, reason, said: String(cString: curl_easy_strerror(code)))
    }
}

extension Duration {
    /// Whole milliseconds, at least one: libcurl takes 0 for "no limit".
    fileprivate var milliseconds: Int { max(1, Int(clamping: Int64(self / .milliseconds(1)))) }
}
