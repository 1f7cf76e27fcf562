import CCurl

/// An address that documents are fetched from: https, or http if the host is a loopback address.
public struct WebAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address as it was given.
    public let text: String
    /// Whether it is https.
    public let isSecure: Bool
    /// The host in lower case: a name, or an address.
    public let host: String
    /// The port.
    public let port: Int
    /// The path, as it is written: `/` for none.
    public let path: String

    /// The address that `text` spells. The error says what is allowed.
    ///
    /// It is taken apart by libcurl itself, so what is checked here is what is fetched later. A user name, a password
    /// and a fragment have no place in it.
    public init(_ text: String) throws(FetchError) {
        let attempted = "fetch \(text)"
        let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isPlain, text.utf8.count <= 2048, let url = curl_url() else {
            throw FetchError(
                attempted, .address, said: "an address is at most 2048 visible ASCII characters")
        }
        defer { curl_url_cleanup(url) }
        guard curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: url),
            let host = Self.part(CURLUPART_HOST, of: url)
        else { throw FetchError(attempted, .address, said: "this is not an address") }
        for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_FRAGMENT]
        where Self.part(part, of: url) != nil {
            throw FetchError(attempted, .address, said: "no user name, password or fragment is allowed")
        }
        switch scheme {
        case "https": isSecure = true
        case "http" where Self.isLoopback(host): isSecure = false
        case "http":
            throw FetchError(
                attempted, .address, said: "http is for addresses of this machine only, 127.0.0.1 or [::1]")
        default: throw FetchError(attempted, .address, said: "neither https nor http")
        }
        self.text = text
        self.host = host.lowercased()
        port =
            Self.part(CURLUPART_PORT, of: url, CURLU_DEFAULT_PORT).flatMap { Int($0) }
            ?? (isSecure ? 443 : 80)
        path = Self.part(CURLUPART_PATH, of: url) ?? "/"
    }

    /// The address that a reference leads to from this one, as a browser takes it (RFC 3986, 5): `/there`, `../up`,
    /// `https://elsewhere.example.com/`.
    public func following(_ reference: String) throws(FetchError) -> WebAddress {
        guard let url = curl_url() else {
            throw FetchError("follow \(text)", .failed, said: "libcurl has no memory")
        }
        defer { curl_url_cleanup(url) }
        guard reference.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), reference.utf8.count <= 2048,
            curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK,
            curl_url_set(url, CURLUPART_URL, reference, 0) == CURLUE_OK,
            let whole = Self.part(CURLUPART_URL, of: url)
        else { throw FetchError("follow \(text)", .address, said: "it leads to what is no address") }
        return try WebAddress(whole)
    }

    /// The server, as browsers write it (RFC 6454, 6.2): a port that is usual for the scheme is left out.
    public var origin: String {
        "\(isSecure ? "https" : "http")://\(host)\(port == (isSecure ? 443 : 80) ? "" : ":\(port)")"
    }

    /// Whether both are at the same server: scheme, host and port.
    public func isSameOrigin(as other: WebAddress) -> Bool {
        isSecure == other.isSecure && host == other.host && port == other.port
    }

    /// The address as it was given.
    public var description: String { text }

    /// 127.0.0.0/8 in four numbers, which is what libcurl makes of every other spelling of it, and ::1.
    private static func isLoopback(_ host: String) -> Bool {
        if host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }

    private static func part(_ part: CURLUPart, of url: OpaquePointer, _ flags: Int32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, part, &text, UInt32(flags)) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
