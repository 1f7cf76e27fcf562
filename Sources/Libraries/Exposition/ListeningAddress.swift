import Glibc

/// Where to listen: an address in numbers, and a port.
public struct ListeningAddress: Hashable, Sendable, CustomStringConvertible {
    /// Such as `127.0.0.1` or `::1`.
    public let host: String
    public let port: UInt16

    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// A socket that listens there.
    func listen() throws(ListeningError) -> CInt {
        let isIPv6 = host.contains(":")
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, kind, 0)
        guard descriptor >= 0 else { throw ListeningError(errno) }
        var yes: CInt = 1
        let size = socklen_t(MemoryLayout<CInt>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        if isIPv6 { setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &yes, size) }
        guard isIPv6 ? bindIPv6(descriptor) : bindIPv4(descriptor), Glibc.listen(descriptor, 64) == 0 else {
            let number = errno
            close(descriptor)
            throw ListeningError(number)
        }
        return descriptor
    }

    private func bindIPv4(_ descriptor: CInt) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return isInvalid() }
        return bound(descriptor, &address)
    }

    private func bindIPv6(_ descriptor: CInt) -> Bool {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        guard inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { return isInvalid() }
        return bound(descriptor, &address)
    }

    private func isInvalid() -> Bool {
        errno = EINVAL
        return false
    }

    private func bound<Address>(_ descriptor: CInt, _ address: inout Address) -> Bool {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }
}

/// Why it could not listen.
struct ListeningError: Error {
    let said: String

    init(_ number: CInt) { said = String(cString: strerror(number)) }

    init(_ said: String) { self.said = said }
}
