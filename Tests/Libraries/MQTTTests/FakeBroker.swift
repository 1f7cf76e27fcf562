import Glibc
import TestSupport

/// The broker's end of connections, packet by packet: a test says what it answers, and when.
final class FakeBroker: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        let listener = try Listener()
        port = listener.port
        descriptor = dup(listener.descriptor)
    }

    deinit { close(descriptor) }

    /// Waits for the next connection.
    func accept() throws -> Peer {
        guard isReadable(descriptor) else { throw TestFailure("no one connects") }
        let peer = Glibc.accept(descriptor, nil, nil)
        // As the settings of our brokers have it (`set_tcp_nodelay`).
        var isOn: Int32 = 1
        _ = setsockopt(peer, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return Peer(peer)
    }

    /// Waits for the next connection and lets it in.
    func welcome(version: UInt8 = 5) throws -> Peer {
        let peer = try accept()
        guard try peer.read()?.type == .connect else { throw TestFailure("no CONNECT") }
        peer.write(version == 5 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0])
        return peer
    }

    /// One connection.
    final class Peer: Sendable {
        private let descriptor: Int32

        init(_ descriptor: Int32) {
            self.descriptor = descriptor
            var limit = timeval(tv_sec: 20, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit { close(descriptor) }

        func write(_ bytes: [UInt8]) { _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

        /// Whether something has arrived. On loopback that is so as soon as the other end's `write` has returned.
        var hasInput: Bool {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, 0) == 1
        }

        /// The next packet; nil at the end of the connection.
        func read() throws -> Packet? {
            guard let first = try byte() else { return nil }
            var length = 0
            for shift in [0, 7, 14, 21] {
                let next = try byte() ?? 0
                length |= Int(next & 0x7f) << shift
                if next & 0x80 == 0 { break }
            }
            return Packet(first: first, body: try (0..<length).map { _ in try byte() ?? 0 })
        }

        /// Waits for the end of the connection, whatever comes before.
        func readToEnd() throws {
            while try byte() != nil {}
        }

        private func byte() throws -> UInt8? {
            var byte: UInt8 = 0
            switch Glibc.read(descriptor, &byte, 1) {
            case 1: return byte
            case 0: return nil
            default:
                if errno == ECONNRESET { return nil }
                throw TestFailure("nothing came: \(String(cString: strerror(errno)))")
            }
        }
    }
}

/// An MQTT packet.
struct Packet: Equatable {
    enum Kind: UInt8 {
        case connect = 1
        case publish = 3
        case puback, pubrec, pubrel, pubcomp, subscribe
        case pingreq = 12
        case disconnect = 14
    }

    let first: UInt8
    let body: [UInt8]

    var type: Kind? { Kind(rawValue: first >> 4) }

    /// The id of an acknowledgement.
    var id: Int? { body.count >= 2 ? Int(body[0]) << 8 | Int(body[1]) : nil }

    /// Receive Maximum (property 0x21), if this is a CONNECT of MQTT 5.
    var receiveMaximum: Int? { numbers[0x21] }

    /// Maximum Packet Size (property 0x27), if this is a CONNECT of MQTT 5.
    var maximumPacketSize: Int? { numbers[0x27] }

    /// The two numbers that a CONNECT of ours may have as properties, by their identifiers.
    private var numbers: [UInt8: Int] {
        guard type == .connect, body.count > 11 else { return [:] }
        var (numbers, rest) = ([:] as [UInt8: Int], body.dropFirst(11).prefix(Int(body[10])))
        while let identifier = rest.popFirst() {
            let length = identifier == 0x27 ? 4 : 2
            numbers[identifier] = rest.prefix(length).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(length)
        }
        return numbers
    }

    /// A PUBLISH's bytes.
    static func publish(_ text: String, to topic: String, id: UInt8, qos: UInt8 = 1, version: UInt8 = 5) -> [UInt8] {
        var body = [0, UInt8(topic.utf8.count)] + Array(topic.utf8) + [0, id]
        if version == 5 { body.append(0) }
        body += Array(text.utf8)
        return [0x30 | qos << 1, UInt8(body.count)] + body
    }
}
