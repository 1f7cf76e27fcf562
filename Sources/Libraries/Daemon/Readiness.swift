import Glibc

/// What a service tells systemd about itself (sd_notify(3)): that it is ready, what it is doing, that it is stopping,
/// that it is alive. Without systemd, or any other supervisor that sets NOTIFY_SOCKET, everything here does nothing.
public struct Readiness: Sendable {
    /// How often to call `alive()`: half of the limit after which systemd kills a silent service (WATCHDOG_USEC); nil
    /// when nobody waits for signs of life.
    public let watchdogInterval: Duration?

    private let socketName: String?

    /// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID from the process's environment.
    public init() {
        self.init(
            socketName: environment("NOTIFY_SOCKET"), watchdogMicroseconds: environment("WATCHDOG_USEC"),
            watchdogProcess: environment("WATCHDOG_PID"))
    }

    init(socketName: String?, watchdogMicroseconds: String? = nil, watchdogProcess: String? = nil) {
        self.socketName = socketName.flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isForUs = watchdogProcess == nil || watchdogProcess == "\(getpid())"
        if self.socketName != nil, isForUs, let limit = watchdogMicroseconds.flatMap(Int64.init), limit > 1 {
            watchdogInterval = .microseconds(limit / 2)
        } else {
            watchdogInterval = nil
        }
    }

    /// Says that the service is ready, and what it is doing.
    /// - Returns: whether a supervisor was told; here and below.
    @discardableResult
    public func ready(status: String? = nil) -> Bool {
        send("READY=1" + (status.map { "\nSTATUS=" + escaped($0) } ?? ""))
    }

    /// Says in one line what the service is doing: `systemctl status` shows it.
    @discardableResult
    public func status(_ text: String) -> Bool {
        send("STATUS=" + escaped(text))
    }

    /// Says that the service has begun to stop.
    @discardableResult
    public func stopping() -> Bool {
        send("STOPPING=1")
    }

    /// Gives a sign of life, to be called every `watchdogInterval`.
    @discardableResult
    public func alive() -> Bool {
        send("WATCHDOG=1")
    }

    private func send(_ message: String) -> Bool {
        guard let socketName, var address = unixAddress(socketName) else { return false }
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // A supervisor that does not read must not stop the service: give up after a second.
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array(message.utf8)
        let sent = withUnsafePointer(to: &address.value) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL), $0, address.length)
            }
        }
        return sent == bytes.count
    }
}

/// The address of a Unix socket; `@` at the front stands for the zero byte of the abstract namespace (unix(7)). Nil
/// when the name is too long for the structure.
func unixAddress(_ name: String) -> (value: sockaddr_un, length: socklen_t)? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    let isAbstract = name.hasPrefix("@")
    if isAbstract { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    // An abstract name ends with the length, a path with a zero byte.
    let length = (MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + bytes.count + (isAbstract ? 0 : 1)
    return (address, socklen_t(length))
}
