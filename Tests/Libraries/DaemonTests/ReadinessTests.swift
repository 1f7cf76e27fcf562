import Foundation
import Testing

@testable import Daemon

/// The other end of a socket of datagrams: a supervisor's or the journal's.
final class Supervisor {
    let descriptor: CInt
    let name: String

    init(_ name: String) throws {
        self.name = name
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
        var address = try #require(unixAddress(name))
        let bound = withUnsafePointer(to: &address.value) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, address.length) }
        }
        try #require(bound == 0, "\(systemMessage(errno))")
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    func receive() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }

    deinit {
        close(descriptor)
        if name.hasPrefix("/") { unlink(name) }
    }
}

@Suite("Readiness")
struct ReadinessTests {
    @Test("tells a supervisor, by a path or an abstract name", arguments: ["/tmp/vitals-", "@vitals-"])
    func tells(prefix: String) throws {
        let supervisor = try Supervisor(prefix + UUID().uuidString)
        let readiness = Readiness(socketName: supervisor.name)
        #expect(readiness.ready(status: "waiting for\nthe broker"))
        #expect(supervisor.receive() == "READY=1\nSTATUS=waiting for\\nthe broker")
        #expect(readiness.ready())
        #expect(supervisor.receive() == "READY=1")
        #expect(readiness.status("3 sensors"))
        #expect(supervisor.receive() == "STATUS=3 sensors")
        #expect(readiness.alive())
        #expect(supervisor.receive() == "WATCHDOG=1")
        #expect(readiness.stopping())
        #expect(supervisor.receive() == "STOPPING=1")
    }

    @Test(
        "does nothing without a supervisor",
        arguments: [nil, "", "relative", "/nowhere/at/all", "/" + String(repeating: "x", count: 200)])
    func silent(name: String?) {
        let readiness = Readiness(socketName: name, watchdogMicroseconds: nil)
        #expect(!readiness.ready() && !readiness.status("x") && !readiness.alive() && !readiness.stopping())
        #expect(readiness.watchdogInterval == nil)
    }

    @Test("does not wait with a sign of life for a supervisor that does not read")
    func stuckSupervisor() throws {
        let supervisor = try Supervisor("@vitals-\(UUID().uuidString)")
        let readiness = Readiness(socketName: supervisor.name)
        let start = ContinuousClock.now
        // net.unix.max_dgram_qlen, with some room, and not as many seconds.
        let taken = (0..<1000).count { _ in readiness.alive() }
        #expect((1..<1000).contains(taken))
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(supervisor.receive() == "WATCHDOG=1")
    }

    @Test("gives signs of life at half of the limit, if they are expected from this process")
    func watchdog() {
        func interval(_ microseconds: String?, _ process: String?) -> Duration? {
            Readiness(socketName: "@x", watchdogMicroseconds: microseconds, watchdogProcess: process).watchdogInterval
        }
        #expect(interval("30000000", nil) == .seconds(15))
        #expect(interval("30000000", "\(getpid())") == .seconds(15))
        #expect(interval("30000000", "\(getppid())") == nil)
        #expect(interval("soon", nil) == nil)
        #expect(interval("0", nil) == nil)
        #expect(interval(nil, nil) == nil)
        #expect(Readiness(socketName: nil, watchdogMicroseconds: "30000000").watchdogInterval == nil)
    }
}
