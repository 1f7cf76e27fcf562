import Foundation
import TestSupport
import Testing

@testable import Daemon

@Suite("The lock of a state folder")
struct StateLockTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("lets one have it at a time, names that one, and is free again after its end")
    func oneAtATime() throws {
        var first: StateLock? = try StateLock(folder: folder.path)
        #expect(first != nil)
        let error = thrown(Failure.self) { try StateLock(folder: folder.path) }
        #expect(error?.exitCode == .temporary)
        #expect(error?.message == "the state folder \(folder.path) is in use by process \(getpid())")
        #expect(error?.hint?.contains("stop that process first") == true)
        first = nil
        _ = try StateLock(folder: folder.path)
    }

    @Test("is free again after its end although a child has the descriptor still")
    func inherited() throws {
        var lock: StateLock? = try StateLock(folder: folder.path)
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
        let own = descriptors.first { descriptor in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))
                == folder.path("lock")
        }
        // What a fork makes: another descriptor of the same open file.
        let copy = dup(try #require(own))
        defer { close(copy) }
        #expect(throws: Failure.self) { try StateLock(folder: folder.path) }
        lock = nil
        #expect(lock == nil)
        _ = try StateLock(folder: folder.path)
    }

    @Test("is free after the process that had it was killed")
    func killed() throws {
        let path = folder.path("lock")
        let holder = try RunningProgram("flock", ["--no-fork", "--exclusive", path, "sh", "-c", "echo locked; read x"])
        defer { holder.end(SIGKILL) }
        #expect(holder.line(containing: "locked") != nil)
        let error = thrown(Failure.self) { try StateLock(folder: folder.path) }
        #expect(error?.message.hasSuffix("in use by process (unknown)") == true)
        holder.end(SIGKILL)
        _ = try StateLock(folder: folder.path)
    }

    @Test("is a file of its owner's alone, with the process id in it, and stays")
    func file() throws {
        try "999999999999\n".write(toFile: folder.path("lock"), atomically: false, encoding: .utf8)
        #expect(chmod(folder.path("lock"), 0o600) == 0)
        do { _ = try StateLock(folder: folder.path) }
        #expect(try String(contentsOfFile: folder.path("lock"), encoding: .utf8) == "\(getpid())\n")
        unlink(folder.path("lock"))
        let lock = try StateLock(folder: folder.path)
        var status = stat()
        #expect(stat(folder.path("lock"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        withExtendedLifetime(lock) {}
    }

    @Test("says so if there is no folder")
    func missing() {
        let error = thrown(Failure.self) { try StateLock(folder: folder.path("nowhere")) }
        #expect(error?.exitCode == .configuration)
    }
}
