import Foundation
public import Glibc

/// A program that a test started: its output is kept, and can be waited for; it ends with the value.
///
/// Foundation's Process is not used: its children inherit the signal mask of the thread that starts them, and on a
/// test's thread that blocks SIGTERM.
public final class RunningProgram: @unchecked Sendable {
    // Proof of @unchecked: constants, and what is only touched with `condition` held.
    public let pid: pid_t
    private let condition = NSCondition()
    private var input: Int32
    private var printed = Printed()
    private var complaints = Printed()
    /// Up to where the output was waited for by `prints`.
    private var position = 0
    private var status: Int32?
    private var dumped = false

    /// Where its standard output goes.
    public enum Output {
        /// Here, and its standard error with it.
        case together
        /// Here, and its standard error to `errors`.
        case apart
        /// To a descriptor of the test's, which stays open here; its standard error to `errors`.
        case elsewhere(Int32)
    }

    /// Starts it.
    /// - Parameters:
    ///   - program: one of ours by its name, or any by its path or by its name on PATH.
    ///   - environment: what is added to this process's own.
    ///   - inheritsEnvironment: whether it gets this process's environment at all.
    ///   - output: where its standard output goes.
    public init(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:],
        inheritsEnvironment: Bool = true, output: Output = .together
    ) throws {
        Glibc.signal(SIGPIPE, SIG_IGN)  // A program that has ended takes no more lines.
        // What a program covers and what a sanitizer finds in it counts, whatever else it is not to know.
        var all = ProcessInfo.processInfo.environment
        all["LLVM_PROFILE_FILE"] = Self.profile
        let own = inheritsEnvironment ? all : all.filter { Self.instruments.contains($0.key) }
        let child = try Child(
            try Self.path(of: program), arguments, environment: own.merging(environment) { _, new in new }, output)
        pid = child.pid
        input = child.input
        Thread.detachNewThread { [weak self, condition] in
            // The thread keeps the condition, not the program: that ends with its last reference.
            child.collect { source, bytes in
                condition.withLock {
                    switch source {
                    case .output: self?.printed.append(bytes)
                    case .errors: self?.complaints.append(bytes)
                    }
                    condition.broadcast()
                }
            }
            let (status, hasDumped) = child.wait()
            condition.withLock {
                self?.status = status
                self?.dumped = hasDumped
                condition.broadcast()
            }
        }
    }

    /// One of our programs for another user to run, if only root can: a copy in a folder that everybody may enter,
    /// for a checkout may be where that user may not look. Give it to `setpriv` with `asUser(_:)`.
    public static func copy(_ program: String, into folder: TemporaryFolder) throws -> String {
        let target = folder.path(program)
        // By a program: a child of another test's that had the copy open to write would keep everybody from running it.
        if !FileManager.default.fileExists(atPath: target) { try run("cp", [path(of: program), target]) }
        guard chmod(folder.path, 0o711) == 0, chmod(target, 0o755) == 0 else {
            throw TestFailure("\(target): \(String(cString: strerror(errno)))")
        }
        return target
    }

    /// What `setpriv` needs to run a command as a user that owns nothing else.
    public static func asUser(_ user: UInt32) -> [String] {
        ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--"]
    }

    /// Where a program writes what it covered; nil if that is not measured.
    ///
    /// A program that is killed while it writes leaves a file that cannot be read, and one such file among the tests'
    /// own makes `swift test` fail after all tests have passed. Those of programs are elsewhere; deploy/coverage reads
    /// them, too.
    private static let profile: String? = {
        guard let own = ProcessInfo.processInfo.environment["LLVM_PROFILE_FILE"] else { return nil }
        let folder = URL(fileURLWithPath: own).deletingLastPathComponent().path + "/programs"
        // Swift 6.0.3's runtime makes no folders.
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder + "/%p.profraw"
    }()

    private static let instruments = [
        "LLVM_PROFILE_FILE", "TSAN_OPTIONS", "ASAN_OPTIONS", "LSAN_OPTIONS", "LD_PRELOAD",
    ]

    deinit {
        if status == nil { kill(pid, SIGKILL) }
        if input >= 0 { close(input) }
    }

    /// Runs a program to its end, which has to be a good one.
    /// - Returns: what it printed, its errors too.
    @discardableResult
    public static func run(_ program: String, _ arguments: [String], within limit: Duration = limit) throws -> String {
        let running = try RunningProgram(program, arguments)
        let status = running.exitStatus(within: limit)
        guard status == 0 else {
            throw TestFailure("\(program) \(arguments): \(status.map { "\($0)" } ?? "goes on"): \(running.text)")
        }
        return running.text
    }

    /// Runs the Python that stands for everyone else's programs, $VITALS_PYTHON or python3, to its end, which has to be
    /// a good one.
    /// - Parameter arguments: a script's path, or `-c` and a program, and its arguments.
    /// - Returns: what it printed, without its errors.
    public static func runPython(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
        let python = ProcessInfo.processInfo.environment["VITALS_PYTHON"] ?? "python3"
        let running = try RunningProgram(python, ["-B"] + arguments, environment: environment, output: .apart)
        guard running.exitStatus(within: .seconds(60)) == 0 else {
            let hint = "run deploy/test, which sets up a Python with what is needed, or set VITALS_PYTHON"
            throw TestFailure("\(running.text)\(running.errors)(\(hint))")
        }
        return running.text
    }

    /// Our own programs are next to the tests, as they were built with them.
    public static func path(of program: String) throws -> String {
        guard !program.contains("/") else { return program }
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let beside = URL(fileURLWithPath: tests).deletingLastPathComponent().path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        // Servers are in folders that are not on everyone's PATH.
        let folders = [beside] + path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        let found = folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let found else { throw TestFailure("there is no program \(program) in \(folders)") }
        return found
    }

    // MARK: What it prints

    /// All of its output so far.
    public var text: String { condition.withLock { String(decoding: printed.bytes, as: UTF8.self) } }

    /// All lines of its output so far; an unfinished last one only when the program has ended.
    public var lines: [String] { condition.withLock { allLines } }

    /// What it wrote to its standard error so far; nothing if that goes with the output.
    public var errors: String { condition.withLock { String(decoding: complaints.bytes, as: UTF8.self) } }

    /// The first line that contains `text`, from the beginning of its output; nil if none came within the limit, or
    /// the program ended without it.
    @discardableResult
    public func line(containing text: String, within limit: Duration = limit) -> String? {
        look(limit) { allLines.first { $0.contains(text) } }
    }

    /// The line after the first `count`; nil if there was none within the limit.
    public func line(after count: Int, within limit: Duration = limit) -> String? {
        look(limit) { allLines.count > count ? allLines[count] : nil }
    }

    /// Waits until its lines are as wanted; whether they were.
    public func wait(within limit: Duration = limit, until isWanted: ([String]) -> Bool) -> Bool {
        look(limit) { isWanted(allLines) ? true : nil } ?? false
    }

    /// Waits until something is so that it does not print, while it runs; whether it was.
    public func waits(within limit: Duration = limit, until isSo: () -> Bool) -> Bool {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end, isRunning {
            if isSo() { return true }
            usleep(10_000)
        }
        return isSo()
    }

    /// Waits until its output has a text, a part of a line perhaps, after all that this waited for before; whether it
    /// had.
    public func prints(_ text: String, within limit: Duration = limit) -> Bool {
        let wanted = Data(text.utf8)
        return look(limit) {
            guard let found = printed.bytes.range(of: wanted, in: position..<printed.bytes.count) else { return nil }
            position = found.upperBound
            return true
        } ?? false
    }

    /// Waits until its standard error, if that is apart, contains a text; whether it did.
    public func complains(_ text: String, within limit: Duration = limit) -> Bool {
        let wanted = Data(text.utf8)
        return look(limit) { complaints.bytes.range(of: wanted) == nil ? nil : true } ?? false
    }

    private var allLines: [String] { status == nil ? printed.lines : printed.lines + printed.unfinished }

    private func look<Answer>(_ limit: Duration, _ look: () -> Answer?) -> Answer? {
        condition.wait(limit, isOver: { status != nil }, for: look)
    }

    // MARK: What it is told

    /// Writes a line to its standard input.
    public func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = condition.withLock { write(input, bytes, bytes.count) }
    }

    /// Ends its standard input.
    public func closeInput() {
        condition.withLock {
            if input >= 0 { close(input) }
            input = -1
        }
    }

    /// Writes a line to its standard input, and waits until it has answered with a line `ok`; whether it has.
    public func obeys(_ command: String, within limit: Duration = limit) -> Bool {
        let answered = lines.count { $0 == "ok" }
        send(command)
        return wait(within: limit) { $0.count { $0 == "ok" } > answered }
    }

    /// Sends a signal, if it has not ended.
    public func signal(_ number: Int32) {
        condition.withLock { if status == nil { kill(pid, number) } }
    }

    // MARK: Its end

    /// Whether the kernel dumped its memory when it ended.
    public var hasDumped: Bool { condition.withLock { dumped } }

    /// Whether it has not ended.
    public var isRunning: Bool { condition.withLock { status == nil } }

    /// Waits for its end, and that of its output.
    /// - Returns: its exit status, or 128 and the signal that ended it; nil if it goes on.
    public func exitStatus(within limit: Duration = limit) -> Int32? {
        condition.wait(limit) { status }
    }

    /// Ends it by a signal, by SIGKILL if it does not heed that, and waits until it has.
    public func end(_ number: Int32 = SIGTERM) {
        signal(number)
        if exitStatus() == nil {
            signal(SIGKILL)
            _ = exitStatus()
        }
    }
}

/// What a program printed.
private struct Printed {
    private(set) var bytes = Data()
    /// The lines that have ended.
    private(set) var lines: [String] = []
    private var lineStart = 0

    mutating func append(_ new: ArraySlice<UInt8>) {
        bytes += new
        while let end = bytes[lineStart...].firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: bytes[lineStart..<end], as: UTF8.self))
            lineStart = end + 1
        }
    }

    /// The line that has not ended, if there is one.
    var unfinished: [String] { lineStart == bytes.count ? [] : [String(decoding: bytes[lineStart...], as: UTF8.self)] }
}

extension TemporaryFolder {
    /// Writes a program into it, which everybody may run who may enter the folder, in place of one of the same name.
    ///
    /// Another program writes it: a child of another test's that had it open to write would keep everybody from running it.
    /// - Parameter script: begins with `#!`.
    /// - Returns: the program's path.
    @discardableResult
    public func writeProgram(_ script: String, to name: String) throws -> String {
        let text = try write(script, to: "\(name).text")
        try RunningProgram.run("install", ["-m", "755", text, path(name)])
        return path(name)
    }
}
