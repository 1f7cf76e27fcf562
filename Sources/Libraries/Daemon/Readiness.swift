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

    /// Gives a sign of life, to be called every `watchdogInterval`. It never waits: false where the supervisor's socket is full, for
    /// another try soon.
    @discardableResult
    public func alive() -> Bool {
        send("WATCHDOG=1", mayWait: false)
    }

    private func send(_ message: String, mayWait: Bool = true) -> Bool {
        guard let socketName else { return false }
        return Daemon.send(Array(message.utf8), toSocket: socketName, mayWait: mayWait)
    }
}
