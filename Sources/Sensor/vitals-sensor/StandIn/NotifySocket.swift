import Glibc
import Reactor

/// The sensor's end of an AcquireNotify: a packet socket, one packet a value.
final class NotifySocket {
    /// The client's unique name.
    let owner: String
    private let descriptor: Descriptor
    private var watch: EventLoop.Watch?

    /// An open file descriptor, closed when nobody holds it any more.
    final class Descriptor {
        let number: Int32
        init(_ number: Int32) { self.number = number }
        deinit { Glibc.close(number) }
    }

    /// A pair of connected sockets: ours, and the client's, which must be sent before it is released. Nil if the
    /// process has no descriptors left.
    /// - Parameter onEnd: the client has closed its end.
    init?(of owner: String, on loop: EventLoop, theirs: inout Descriptor?, onEnd: @escaping () -> Void) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        self.owner = owner
        descriptor = Descriptor(ends[0])
        theirs = Descriptor(ends[1])
        watch = loop.watch(ends[0], for: .readable) { _ in onEnd() }
    }

    /// Sends a value; a client that reads too slowly loses it, as with a real one.
    func send(_ value: [UInt8]) { _ = Glibc.send(descriptor.number, value, value.count, Int32(MSG_NOSIGNAL)) }

    /// The client reads the end of the file after what was sent before.
    func close() {
        watch?.cancel()
        watch = nil
        _ = shutdown(descriptor.number, Int32(SHUT_RDWR))
    }
}
