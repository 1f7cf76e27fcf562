import Foundation
import Synchronization
import Testing

@testable import Daemon

@Suite("Process and clocks")
struct ProcessTests {
    @Test("measures its memory")
    func memory() throws {
        let before = try #require(residentMemoryKilobytes())
        #expect(before > 1000)
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        let resident = try #require(Int(line.filter(\.isNumber)))
        // Other tests run at the same time, so only the order of magnitude is the same.
        #expect(before < 4 * resident && resident < 4 * before)
    }

    @Test("knows this boot")
    func boot() throws {
        let text = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let uuid = try #require(UUID(uuidString: text.trimmingCharacters(in: .whitespacesAndNewlines)))
        let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
        #expect(bootID() == bytes)
    }

    @Test(
        "refuses what is not a UUID",
        arguments: [
            "", "\n", "0123456789abcdef0123456789abcdef", "01234567-89ab-cdef-0123-456789abcde",
            "01234567-89ab-cdef-0123-456789abcdeg\n",
            "01234567-89ab-cdef-0123-4567-9abcdef", "01234567-89ab-cdef-0123-456789abcdef\n\n",
            "+1234567-89ab-cdef-0123-456789abcdef",
        ])
    func noUUID(text: String) {
        #expect(uuidBytes(Array(text.utf8)) == nil)
    }

    @Test("tells the wall clock and the time since boot in milliseconds")
    func clocks() throws {
        let before = Date().timeIntervalSince1970 * 1000
        let wall = unixMilliseconds()
        let after = Date().timeIntervalSince1970 * 1000
        #expect(Double(wall) >= before - 1 && Double(wall) <= after + 1)

        let first = millisecondsSinceBoot()
        let uptime = try String(contentsOfFile: "/proc/uptime", encoding: .utf8)
        let seconds = try #require(Double(uptime.prefix { $0 != " " }))
        let second = millisecondsSinceBoot()
        #expect(Double(first) <= seconds * 1000 + 10 && seconds * 1000 <= Double(second) + 10)
    }

    @Test("asks the kernel who keeps the clock")
    func source() throws {
        // The machine decides the answer; that the kernel was asked, and changed nothing, is all that can be told here.
        #expect([.ntp, .unsynchronised].contains(clockSource()))
        #expect(clockSource() == clockSource())
    }
}
