import Foundation

/// What systemd is to a service: the end of a socket that is told how it is (sd_notify(3)).
public final class Supervisor: @unchecked Sendable {
    // Proof of @unchecked: constants.
    private let descriptor: Int32
    private let told = Record<String>()
    /// What the service has to find in its environment.
    public let environment: [String: String]

    /// Listens in the abstract namespace, so that nothing is left behind.
    public init() throws {
        let name = "vitals-\(UUID().uuidString)"
        environment = ["NOTIFY_SOCKET": "@\(name)"]
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: [0] + Array(name.utf8)) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
        guard isBound else { throw TestFailure("no socket for a supervisor: \(String(cString: strerror(errno)))") }
        Thread.detachNewThread { [descriptor, told] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                told.append(String(decoding: buffer[..<count], as: UTF8.self))
            }
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// The first message, of those that came and those that will, that contains `text`; nil if none came within the
    /// limit.
    @discardableResult
    public func message(containing text: String, within limit: Duration = limit) -> String? {
        told.first(within: limit) { $0.contains(text) }
    }

    /// Waits until the last message contains `text`; whether it did.
    public func endsWith(_ text: String, within limit: Duration = limit) -> Bool {
        (try? told.wait(within: limit) { $0.last?.contains(text) == true }) != nil
    }
}
