import Glibc

/// Where Music Player Daemon listens: a socket of this machine, or an address at home. What it says goes over the wire
/// as it is, and a password does, too, so an address of the internet is none.
public struct PlayerAddress: Hashable, Sendable, CustomStringConvertible {
    private enum Place: Hashable {
        case socket(String)
        case port(String, UInt16, isVersion6: Bool)
    }

    private let place: Place

    /// The port that it listens at unless somebody has set it up otherwise.
    public static let usualPort: UInt16 = 6600

    /// An absolute path, `127.0.0.1:6600`, `[::1]:6600`, or an address without a port; nil for anything else: a name, an
    /// address that is not at home, or a path that is too long for a socket (107 bytes).
    public init?(_ text: String) {
        guard !text.utf8.contains(0) else { return nil }
        if text.hasPrefix("/") {
            guard text.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
            place = .socket(text)
            return
        }
        var (host, port) = (Substring(text), Substring("\(Self.usualPort)"))
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            if !rest.isEmpty {
                guard rest.first == ":" else { return nil }
                port = rest.dropFirst()
            }
        } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            (host, port) = (text[..<colon], text[text.index(after: colon)...])
        }
        guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port), number > 0 else {
            return nil
        }
        var (version4, version6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, String(host), &version4) == 1 {
            guard Self.isAtHome(withUnsafeBytes(of: version4) { Array($0) }) else { return nil }
            place = .port(String(host), number, isVersion6: false)
        } else if inet_pton(AF_INET6, String(host), &version6) == 1 {
            guard Self.isAtHome(withUnsafeBytes(of: version6) { Array($0) }) else { return nil }
            place = .port(String(host), number, isVersion6: true)
        } else {
            return nil
        }
    }

    /// Loopback, and the private networks of RFC 1918 and RFC 4193.
    private static func isAtHome(_ bytes: [UInt8]) -> Bool {
        switch (bytes.count, bytes[0], bytes[1]) {
        case (4, 127, _), (4, 10, _), (4, 192, 168), (4, 172, 16...31): true
        case (16, 0xFC...0xFD, _): true
        case (16, _, _): bytes == [UInt8](repeating: 0, count: 15) + [1]
        default: false
        }
    }

    /// Whether it is on this machine: then trying again costs nearly nothing.
    var isLocal: Bool {
        switch place {
        case .socket: true
        case .port(let host, _, _): host.hasPrefix("127.") || host == "::1"
        }
    }

    /// `/run/mpd/socket`, `127.0.0.1:6600`
    public var description: String {
        switch place {
        case .socket(let path): path
        case .port(let host, let port, let isVersion6): isVersion6 ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    /// A socket that has begun to connect and blocks nobody; errno's number where there is none.
    func connect() -> (descriptor: Int32, error: Int32) {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { return (-1, errno) }
        guard begin(descriptor) == 0 || errno == EINPROGRESS else {
            let error = errno
            close(descriptor)
            return (-1, error)
        }
        return (descriptor, 0)
    }

    private var family: Int32 {
        switch place {
        case .socket: AF_UNIX
        case .port(_, _, let isVersion6): isVersion6 ? AF_INET6 : AF_INET
        }
    }

    private func begin(_ descriptor: Int32) -> Int32 {
        switch place {
        case .socket(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            return Self.begin(descriptor, &address)
        case .port(let host, let port, isVersion6: true):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            _ = inet_pton(AF_INET6, host, &address.sin6_addr)
            return Self.begin(descriptor, &address)
        case .port(let host, let port, isVersion6: false):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            _ = inet_pton(AF_INET, host, &address.sin_addr)
            return Self.begin(descriptor, &address)
        }
    }

    private static func begin<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
        let size = socklen_t(MemoryLayout<Address>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
        }
    }
}
