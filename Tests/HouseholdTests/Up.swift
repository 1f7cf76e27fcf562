import Foundation
import Glibc
import TestSupport

/// `deploy/up` itself, with programs that are there already, and a person's home that is a folder of the test's.
final class Up {
    let home: TemporaryFolder
    let port: UInt16
    private let up: RunningProgram

    /// - Parameter home: where another one has run, and has ended.
    init(home: TemporaryFolder? = nil) throws {
        self.home = try home ?? TemporaryFolder()
        port = try freePort()
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let programs = URL(fileURLWithPath: tests).deletingLastPathComponent().path
        up = try RunningProgram(
            "\(projectFolder)/deploy/up", ["--port", "\(port)", "--state", self.home.path("a home"), "--speed", "60"],
            environment: ["VITALS_PROGRAMS": programs, "HOME": self.home.path, "XDG_CONFIG_HOME": ""])
        guard up.line(containing: "strap is online", within: .seconds(60)) != nil else {
            throw TestFailure("deploy/up: \(up.text)")
        }
    }

    deinit { up.end() }

    var said: String { up.text }

    /// Ctrl-C, and the status that it ends with.
    func interrupt() -> Int32? {
        up.signal(SIGINT)
        return up.exitStatus(within: .seconds(30))
    }

    func vitals(_ words: [String]) throws -> (status: Int32?, output: String, errors: String) {
        let program = try RunningProgram(
            "vitals", ["--port", "\(port)"] + words, environment: ["HOME": home.path, "XDG_CONFIG_HOME": ""],
            output: .apart)
        program.closeInput()
        let status = program.exitStatus(within: .seconds(60))
        return (status, program.text, program.errors)
    }

    /// What is kept of a sign-in at this broker; nil if nothing is.
    func credential(_ kind: String) -> String? {
        try? String(contentsOfFile: home.path(".config/vitals/accounts/127.0.0.1:\(port).\(kind)"), encoding: .utf8)
    }
}
