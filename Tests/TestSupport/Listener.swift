import Glibc

/// A listening socket on a free loopback port, for as long as the value lives.
public final class Listener: Sendable {
    /// The socket.
    public let descriptor: Int32
    /// Where it listens, on 127.0.0.1.
    public let port: UInt16

    /// Listens.
    public init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        guard isListening else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw TestFailure("no listening socket: \(reason)")
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}

/// A loopback port that nobody listens on. The kernel gives each asker another one.
public func freePort() throws -> UInt16 { try Listener().port }
