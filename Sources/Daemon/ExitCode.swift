import Glibc

/// What a program's end says to the shell or to systemd, after sysexits.h.
public enum ExitCode: Int32, Sendable, CaseIterable {
    /// All was done.
    case ok = 0
    /// It did not work, and no other code says why.
    case failure = 1
    /// The command line was wrong (`EX_USAGE`).
    case usage = 64
    /// Something that is needed is not there: a broker, a bus, a sensor (`EX_UNAVAILABLE`).
    case unavailable = 69
    /// No answer in time; it may work later (`EX_TEMPFAIL`).
    case temporary = 75
    /// The settings file is missing or wrong (`EX_CONFIG`).
    case configuration = 78

    /// A few words for a help text.
    var meaning: String {
        switch self {
        case .ok: "success"
        case .failure: "failure"
        case .usage: "wrong command line"
        case .unavailable: "a broker, bus or sensor is not there"
        case .temporary: "no answer in time; try again"
        case .configuration: "wrong or missing settings"
        }
    }
}

/// An error that knows with which code it ends a program. Its description is the message; a hint, where there is one, is
/// a second line.
public protocol ExitCodedError: Error, CustomStringConvertible {
    /// The code that the program ends with.
    var exitCode: ExitCode { get }
}

/// An error of a program itself: what happened, and what to check or to run.
public struct Failure: ExitCodedError, Equatable {
    /// The code that the program ends with.
    public let exitCode: ExitCode
    /// What happened, without the program's name.
    public let message: String
    /// What to check or to run.
    public let hint: String?

    /// An error that ends the program with `exitCode`.
    public init(_ exitCode: ExitCode, _ message: String, hint: String? = nil) {
        self.exitCode = exitCode
        self.message = message
        self.hint = hint
    }

    /// The message, and the hint on a line of its own.
    public var description: String {
        hint.map { "\(message)\n\($0)" } ?? message
    }
}

/// Runs a program: reads the command line, answers `--help` and `--version`, calls `main` with the rest, and ends the
/// process with the code that comes back. An error goes to stderr as `program: message`, its hint on a line of its own
/// (in the systemd journal both with the priority of an error), and ends with its own code (`ExitCodedError`), or with 1.
///
/// ```swift
/// run(command) { arguments in
///     let settings = try Settings.read(arguments.string("settings"), GatewaySettings.init)
///     return try Gateway(settings).run()
/// }
/// ```
public func run(_ command: Command, main: (Arguments) throws -> ExitCode) -> Never {
    let code = outcome(of: command, Array(CommandLine.arguments.dropFirst()), output: 1, errors: 2, main: main)
    // exit(3), not _exit: whatever `main` printed may still lie in stdio's buffer.
    exit(code.rawValue)
}

/// All of `run(_:main:)` but the end of the process.
func outcome(
    of command: Command, _ words: [String], output: CInt, errors: CInt, main: (Arguments) throws -> ExitCode
) -> ExitCode {
    do {
        switch try command.parse(words) {
        case .help(let text):
            write(Array(text.utf8), to: output)
            return .ok
        case .version:
            write(Array("\(command.name) \(version)\n".utf8), to: output)
            return .ok
        case .run(let arguments):
            return try main(arguments)
        }
    } catch {
        let mark = Log.Style.fitting(errors) == .journal ? "<\(LogLevel.error.rawValue)>" : ""
        let lines = "\(command.name): \(error)".split(separator: "\n").map { mark + escaped(String($0)) }
        write(Array((lines.joined(separator: "\n") + "\n").utf8), to: errors)
        return (error as? any ExitCodedError)?.exitCode ?? .failure
    }
}
