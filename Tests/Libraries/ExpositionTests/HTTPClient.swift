import Glibc
import TestSupport

/// A connection that says exactly what a test wants it to say.
final class HTTPClient {
    let descriptor: Int32

    /// Connects to a port of 127.0.0.1.
    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw TestFailure("port \(port): \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    /// Says something; false if the other end has closed.
    @discardableResult
    func say(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Everything until the other end closes; nil if it does not within the limit.
    func answer(within limit: Duration = .seconds(20)) -> String? {
        let (clock, bytes) = (
            ContinuousClock(), UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        )
        defer { bytes.deallocate() }
        let end = clock.now + limit
        var answer: [UInt8] = []
        while true {
            let left = (end - clock.now).components
            guard left.seconds >= 0, left.attoseconds >= 0 else { return nil }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, Int32(left.seconds) * 1000 + 100) > 0 else { continue }
            let count = recv(descriptor, bytes.baseAddress, bytes.count, 0)
            guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
            answer += bytes[..<count]
        }
    }

    /// The answer to one request.
    static func get(_ port: UInt16, _ request: String = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n") throws
        -> String
    {
        let client = try HTTPClient(port: port)
        client.say(request)
        guard let answer = client.answer() else { throw TestFailure("no answer to \(request.prefix(200))") }
        return answer
    }
}
