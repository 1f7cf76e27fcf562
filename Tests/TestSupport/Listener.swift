import Foundation
import Glibc
import Synchronization

/// A listening socket on a free loopback port, for as long as the value lives.
public final class Listener: Sendable {
    /// The socket.
    public let descriptor: Int32
    /// Where it listens, on 127.0.0.1.
    public let port: UInt16

    /// Listens.
    /// - Parameter wanted: at this port; 0 for any that is free.
    public init(at wanted: UInt16 = 0) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = wanted.bigEndian
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

/// A loopback port that nobody listens on, another one for each asker.
///
/// It is below those that the kernel gives to connections: none of theirs takes it before its server is there, or while that
/// is down. A client that asks again and again at a port of the kernel's even gets that port for its own end at some time, and
/// is then connected to itself.
public func freePort() throws -> UInt16 {
    let range = try String(contentsOfFile: "/proc/sys/net/ipv4/ip_local_port_range", encoding: .utf8)
    guard let first = range.split(whereSeparator: \.isWhitespace).first.flatMap({ UInt16($0) }) else {
        throw TestFailure("the kernel's ports are \(range)")
    }
    let candidates = 10_000..<max(first, 20_000)
    for _ in 0..<1000 {
        let port = UInt16.random(in: candidates)
        let isNew = givenPorts.withLock { $0.insert(port).inserted }
        if isNew, (try? Listener(at: port)) != nil { return port }
    }
    throw TestFailure("no free port in \(candidates)")
}

private let givenPorts = Mutex<Set<UInt16>>([])
