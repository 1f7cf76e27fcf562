import Foundation

/// The real gpsd, on free ports of loopback, with a receiver that this test plays: gpsd reads what it sends in
/// datagrams.
///
/// gpsd also tells the time to NTP servers, by System V shared memory. Nobody's clock may be set by a test, so it gets
/// a world of its own for that where the kernel allows it.
public final class GPSDaemon {
    /// Where it listens on 127.0.0.1.
    public let port: UInt16
    private let receiverPort: UInt16
    private let socket: Int32
    private var running: RunningProgram?

    /// It runs.
    public init() throws {
        port = try freePort()
        receiverPort = try freePort()
        socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        try start()
    }

    deinit {
        stop()
        close(socket)
    }

    /// Starts it again.
    public func start() throws {
        let words = ["gpsd", "-N", "-n", "-S", "\(port)", "udp://127.0.0.1:\(receiverPort)"]
        let isAllowed = (try? RunningProgram.run("unshare", ["--ipc", "true"])) != nil
        if isAllowed {
            running = try RunningProgram("unshare", ["--ipc"] + words)
        } else {
            running = try RunningProgram(words[0], Array(words.dropFirst()))
        }
    }

    /// Ends it.
    public func stop() {
        guard let running else { return }
        kill(running.pid, SIGTERM)
        _ = running.exitStatus(within: limit)
        self.running = nil
    }

    /// Sends what a receiver says, one epoch after the other, until something holds.
    /// - Returns: whether it came to hold within a minute's worth of epochs.
    public func feed(until holds: () -> Bool, _ next: () -> String) throws -> Bool {
        for _ in 0..<50 {
            guard !holds() else { return true }
            send(Array(next().utf8))
            // gpsd takes what comes within 0.1 s for one epoch.
            usleep(250_000)
        }
        return holds()
    }

    private func send(_ bytes: [UInt8]) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = receiverPort.bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(socket, bytes, bytes.count, 0, address, size)
            }
        }
    }
}

/// What a receiver says (NMEA 0183): sentences with a checksum.
public enum NMEA {
    /// One second of the 22nd of November 2026, at a place on the 52nd degree north, so many minutes north.
    public static func fix(second: Int, north: Double) -> String {
        fix(time: time(second), date: "221126", north: north)
    }

    /// The same at a time in Unix seconds.
    public static func fix(at seconds: Int64, north: Double) -> String {
        var (clock, parts) = (time_t(seconds), tm())
        gmtime_r(&clock, &parts)
        return fix(
            time: String(format: "%02d%02d%02d.00", Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec)),
            date: String(format: "%02d%02d%02d", Int(parts.tm_mday), Int(parts.tm_mon + 1), Int(parts.tm_year % 100)),
            north: north)
    }

    private static func fix(time: String, date: String, north: Double) -> String {
        let place = "52\(String(format: "%07.4f", north)),N,01324.2972,E"
        let satellites = (1...9).map { "\($0 <= 5 ? "0\($0)" : "")" }.joined(separator: ",")
        return sentence("GPRMC,\(time),A,\(place),5.0,045.0,\(date),,,A")
            + sentence("GPGGA,\(time),\(place),1,05,1.0,34.0,M,44.0,M,,")
            + sentence("GPGSA,A,3,\(satellites),,,,1.8,1.0,1.5") + inView
    }

    /// The same second, without a place.
    public static func noFix(second: Int) -> String {
        sentence("GPRMC,\(time(second)),V,,,,,,,221126,,,N") + sentence("GPGGA,\(time(second)),,,,,0,00,,,M,,M,,")
            + sentence("GPGSA,A,1,,,,,,,,,,,,,,,") + inView
    }

    private static var inView: String {
        sentence("GPGSV,2,1,05,01,40,083,41,02,17,308,43,03,07,344,39,04,22,228,45")
            + sentence("GPGSV,2,2,05,05,30,100,40")
    }

    private static func time(_ second: Int) -> String { String(format: "1200%02d.00", second) }

    private static func sentence(_ text: String) -> String {
        let sum = text.utf8.reduce(UInt8(0)) { $0 ^ $1 }
        return "$\(text)*\(String(format: "%02X", Int(sum)))\r\n"
    }
}
