import Glibc

/// Where gpsd listens: an address, not a name. Looking a name up may take long, and gpsd is on this machine nearly
/// always.
public struct ReceiverAddress: Hashable, Sendable, CustomStringConvertible {
    /// An address of IPv4 or IPv6.
    public let host: String
    /// From 1 to 65535.
    public let port: UInt16

    private let isVersion6: Bool

    /// Where gpsd listens unless somebody has set it up otherwise.
    public static let usual = ReceiverAddress(loopbackPort: 2947)

    /// A port of 127.0.0.1.
    public init(loopbackPort port: UInt16) {
        host = "127.0.0.1"
        self.port = port
        isVersion6 = false
    }

    /// Nil where `host` is no address of IPv4 or IPv6, such as a name.
    public init?(host: String, port: UInt16) {
        var (version4, version6) = (in_addr(), in6_addr())
        isVersion6 = inet_pton(AF_INET6, host, &version6) == 1
        guard isVersion6 || inet_pton(AF_INET, host, &version4) == 1, port > 0 else { return nil }
        self.host = host
        self.port = port
    }

    /// `127.0.0.1:2947`
    public var description: String { isVersion6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// A socket that has begun to connect and blocks nobody; errno's number where there is none.
    func connect() -> (descriptor: Int32, error: Int32) {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(isVersion6 ? AF_INET6 : AF_INET, kind, 0)
        guard descriptor >= 0 else { return (-1, errno) }
        guard begin(descriptor) == 0 || errno == EINPROGRESS else {
            let error = errno
            close(descriptor)
            return (-1, error)
        }
        return (descriptor, 0)
    }

    private func begin(_ descriptor: Int32) -> Int32 {
        if isVersion6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            _ = inet_pton(AF_INET6, host, &address.sin6_addr)
            return Self.begin(descriptor, &address)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        _ = inet_pton(AF_INET, host, &address.sin_addr)
        return Self.begin(descriptor, &address)
    }

    private static func begin<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
        let size = socklen_t(MemoryLayout<Address>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
        }
    }
}
