import Glibc

/// Where a stream of bytes is connected to: a socket of this machine, or an address of IPv4 or IPv6. Never a name, because
/// looking one up may take long, and a loop must not wait.
public enum StreamAddress: Hashable, Sendable, CustomStringConvertible {
    /// A path of at most 107 bytes.
    case socket(String)
    /// An address of IPv4, and a port from 1 on.
    case version4(String, UInt16)
    /// An address of IPv6, and a port from 1 on.
    case version6(String, UInt16)

    /// A socket of this machine; nil where the path is too long for one.
    public init?(path: String) {
        guard !path.utf8.contains(0), path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
            return nil
        }
        self = .socket(path)
    }

    /// Nil where `host` is no address of IPv4 or IPv6, such as a name.
    public init?(host: String, port: UInt16) {
        var (version4, version6) = (in_addr(), in6_addr())
        guard port > 0, !host.utf8.contains(0) else { return nil }
        if inet_pton(AF_INET, host, &version4) == 1 {
            self = .version4(host, port)
        } else if inet_pton(AF_INET6, host, &version6) == 1 {
            self = .version6(host, port)
        } else {
            return nil
        }
    }

    /// The address's bytes, 4 or 16 of them; nil for a socket of this machine.
    public var hostBytes: [UInt8]? {
        var (version4, version6) = (in_addr(), in6_addr())
        switch self {
        case .socket: return nil
        case .version4(let host, _):
            _ = inet_pton(AF_INET, host, &version4)
            return withUnsafeBytes(of: version4) { Array($0) }
        case .version6(let host, _):
            _ = inet_pton(AF_INET6, host, &version6)
            return withUnsafeBytes(of: version6) { Array($0) }
        }
    }

    /// `/run/mpd/socket`, `127.0.0.1:2947`, `[::1]:2947`
    public var description: String {
        switch self {
        case .socket(let path): path
        case .version4(let host, let port): "\(host):\(port)"
        case .version6(let host, let port): "[\(host)]:\(port)"
        }
    }

    /// A descriptor that has begun to connect and blocks nobody; errno's number where there is none.
    public func connect() -> (descriptor: Int32, error: Int32) {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(family, kind, 0)
        guard descriptor >= 0 else { return (-1, errno) }
        guard begin(descriptor) == 0 || errno == EINPROGRESS else {
            let error = errno
            close(descriptor)
            return (-1, error)
        }
        return (descriptor, 0)
    }

    private var family: Int32 {
        switch self {
        case .socket: AF_UNIX
        case .version4: AF_INET
        case .version6: AF_INET6
        }
    }

    private func begin(_ descriptor: Int32) -> Int32 {
        switch self {
        case .socket(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            return Self.begin(descriptor, &address)
        case .version4(let host, let port):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            _ = inet_pton(AF_INET, host, &address.sin_addr)
            return Self.begin(descriptor, &address)
        case .version6(let host, let port):
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            _ = inet_pton(AF_INET6, host, &address.sin6_addr)
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
