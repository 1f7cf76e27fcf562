import Foundation
import Glibc
import TestSupport
import Testing

/// What our programs have in their memory is in no core dump and in no report of a crash, and no other program of their
/// user reads it.
@Suite("The memory of a program", .timeLimit(.minutes(60)))
struct SecretMemoryTests {
    private let folder: TemporaryFolder
    private let bus: PrivateBus

    init() throws {
        folder = try TemporaryFolder()
        bus = try PrivateBus()
        try folder.write(
            #"{ state: "gateway", broker: { port: 1 }, bluetooth: { bus: "\#(bus.addressText)" } }"#,
            to: "gateway.json5")
        try folder.write(
            #"{ state: "consumer", root_key_file: "root.key", broker: { port: 1 } }"#, to: "consumer.json5")
    }

    /// Programs that wait: for an enrolment, for a broker, for a password.
    static let waiting = [
        ["vitals-gateway", "--settings", "gateway.json5"], ["vitals-consumer", "--settings", "consumer.json5"],
        ["vitals", "sign-in", "ada@example.org"],
    ]

    /// Makes the consumer's keys, without which it does not start.
    private func makeKeys(as user: UInt32? = nil) throws {
        let program = try user == nil ? "vitals-consumer" : RunningProgram.copy("vitals-consumer", into: folder)
        let words = [program, "identity", "--settings", folder.path("consumer.json5")]
        let identity =
            try user.map { try RunningProgram("setpriv", RunningProgram.asUser($0) + words) }
            ?? RunningProgram(program, Array(words.dropFirst()))
        guard identity.exitStatus() == 0 else { throw TestFailure(identity.text) }
    }

    /// Starts one if core dumps are allowed, and crashes are told of.
    private func start(_ words: [String], as user: UInt32? = nil, _ program: String? = nil) throws -> RunningProgram {
        let arguments = words.dropFirst().map { $0.hasSuffix(".json5") ? folder.path($0) : $0 }
        let shell = #"ulimit -c unlimited; cd "$0"; exec "$@""#
        let built = try program ?? RunningProgram.path(of: words[0])
        let line = ["-c", shell, folder.path, built] + arguments
        let environment = ["SWIFT_BACKTRACE": "enable=yes,interactive=no,color=no", "HOME": folder.path]
        guard let user else { return try RunningProgram("sh", line, environment: environment) }
        return try RunningProgram("setpriv", RunningProgram.asUser(user) + ["sh"] + line, environment: environment)
    }

    /// Waits until a program allows nobody to look into it, and has the signals of a crash as they were.
    private func isGuarded(_ program: RunningProgram, _ name: String) -> Bool {
        program.waits { comm(program) == name && limit(program) == "0 0" && !catchesCrashes(program) }
    }

    /// What the kernel calls the program of a process.
    private func comm(_ program: RunningProgram) -> String {
        let text = try? String(contentsOfFile: "/proc/\(program.pid)/comm", encoding: .utf8)
        return (text ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("is dumped nowhere when it crashes, and nothing of it is printed", arguments: waiting)
    func crash(words: [String]) throws {
        try makeKeys()
        let program = try start(words)
        #expect(isGuarded(program, words[0]), "\(comm(program)) \(limit(program)) \(program.text)")
        program.signal(SIGSEGV)
        #expect(program.exitStatus() == 128 + SIGSEGV, "\(program.text)")
        #expect(!program.hasDumped)
        for word in ["Registers", "crashed", "Backtracing"] { #expect(!program.text.contains(word), "\(program.text)") }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!left.contains { $0.hasPrefix("core") }, "\(left)")
    }

    @Test(
        "is read by no other program of its user", .enabled(if: geteuid() == 0, "only root becomes another user"),
        arguments: waiting)
    func otherPrograms(words: [String]) throws {
        let copy = try RunningProgram.copy(words[0], into: folder)
        for name in ["gateway", "consumer"] {
            try FileManager.default.createDirectory(
                atPath: folder.path(name), withIntermediateDirectories: false, attributes: [.ownerAccountID: 1234])
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: folder.path("\(name).json5"))
        }
        try folder.write(
            #"{ state: "consumer", root_key_file: "consumer/root.key", broker: { port: 1 } }"#, to: "consumer.json5")
        #expect(chmod(folder.path("consumer.json5"), 0o644) == 0)
        try makeKeys(as: 1234)
        let program = try start(words, as: 1234, copy)
        defer { program.end(SIGKILL) }
        #expect(isGuarded(program, words[0]), "\(comm(program)) \(limit(program)) \(program.text)")
        // Files of /proc are root's if the process is not to be looked into.
        let look =
            "for name in mem environ; do head -c 0 /proc/$1/$name && head -c 1 /proc/$1/$name && echo opened; done"
        let other = try RunningProgram(
            "setpriv", RunningProgram.asUser(1234) + ["sh", "-c", look, "sh", "\(program.pid)"])
        _ = other.exitStatus()
        #expect(!other.text.contains("opened") && other.text.contains("Permission denied"), "\(other.text)")
        var status = stat()
        #expect(stat("/proc/\(program.pid)/environ", &status) == 0 && status.st_uid == 0)
    }

    /// Whether a program has a handler of its own for SIGSEGV.
    private func catchesCrashes(_ program: RunningProgram) -> Bool {
        let text = (try? String(contentsOfFile: "/proc/\(program.pid)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("SigCgt:") } ?? ""
        let mask = UInt64(line.split(separator: "\t").last ?? "", radix: 16) ?? 0
        return mask & (1 << UInt64(SIGSEGV - 1)) != 0
    }

    /// How large a core dump of a process may be, and how large it may allow it to be.
    private func limit(_ program: RunningProgram) -> String {
        let text = (try? String(contentsOfFile: "/proc/\(program.pid)/limits", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("Max core file size") } ?? ""
        return line.split(separator: " ").dropFirst(4).prefix(2).joined(separator: " ")
    }
}
