import FoundationEssentials
import Glibc

/// What a program's end says to the shell or to systemd, after sysexits.h: each number has one meaning, in every
/// program.
public enum ExitCode: Int32, Sendable, CaseIterable {
    /// All was done.
    case ok = 0
    /// A person was asked and said no; nothing was changed.
    case declined = 1
    /// The command line was wrong (`EX_USAGE`).
    case usage = 64
    /// What was given or is stored is wrong or damaged: a recording, a code, a database (`EX_DATAERR`).
    case data = 65
    /// A file to be read is not there, or may not be read (`EX_NOINPUT`).
    case noInput = 66
    /// There is no such person, friend, device, gateway, sensor or value (`EX_NOUSER`).
    case notFound = 67
    /// Something that is needed is not there: a broker, a bus, a sensor, a home with accounts (`EX_UNAVAILABLE`).
    case unavailable = 69
    /// A bug in a program (`EX_SOFTWARE`).
    case internalError = 70
    /// Something cannot be written or made (`EX_IOERR`).
    case inputOutput = 74
    /// No answer in time, or too much at once; it may work later (`EX_TEMPFAIL`).
    case temporary = 75
    /// The other side does not speak as this program does (`EX_PROTOCOL`).
    case protocolError = 76
    /// Nobody is signed in, or the caller is refused (`EX_NOPERM`).
    case refused = 77
    /// The settings file is missing or wrong (`EX_CONFIG`).
    case configuration = 78

    /// A few words for a help text.
    public var meaning: String {
        switch self {
        case .ok: "success"
        case .declined: "you said no, and nothing was changed"
        case .usage: "wrong command line"
        case .data: "wrong or damaged data"
        case .noInput: "a file to be read is not there"
        case .notFound: "no such person, friend, device, gateway, sensor or value"
        case .unavailable: "a broker, bus, sensor or service is not there"
        case .internalError: "a defect of a program"
        case .inputOutput: "something cannot be written"
        case .temporary: "no answer in time, or too much at once; try again"
        case .protocolError: "the other side answers what this version does not understand"
        case .refused: "not signed in, or not allowed"
        case .configuration: "wrong or missing settings"
        }
    }
}

/// An error that knows the exit code with which it ends a program. Its description is the message; a hint, if there
/// is one, is a second line.
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
    /// What kind of error it is, for programs: `wrong-credentials`; nil if the exit code says it all.
    public let code: String?
    /// What the error is about, for programs: the field of a request, the key of a setting.
    public let field: String?

    /// An error that ends the program with `exitCode`.
    public init(
        _ exitCode: ExitCode, _ message: String, hint: String? = nil, code: String? = nil, field: String? = nil
    ) {
        self.exitCode = exitCode
        self.message = message
        self.hint = hint
        self.code = code
        self.field = field
    }

    /// The message, and the hint on a line of its own.
    public var description: String {
        hint.map { "\(message)\n\($0)" } ?? message
    }
}

/// Runs a program: reads the command line, answers `--help` and `--version`, calls `main` with the rest, and ends the
/// process with the code that comes back. An error goes to stderr as `program: message`, its hint on a line of its own
/// (in the systemd journal both with the priority of an error), and ends with its own code (`ExitCodedError`), or with
/// 70.
///
/// ```swift
/// run(command) { arguments in
///     let settings = try Settings.read(arguments.string("settings"), GatewaySettings.init)
///     return try Gateway(settings).run()
/// }
/// ```
public func run(_ command: Command, main: (Arguments) throws -> ExitCode) -> Never {
    keepMemoryPrivate()
    boundHeap()
    let code = outcome(of: command, Array(CommandLine.arguments.dropFirst()), output: 1, errors: 2, main: main)
    // What is written at the exit, such as a coverage profile, is written with the rights of the user who ran the
    // program.
    _ = FileRights.takeCallers()
    // exit(3), not _exit: whatever `main` printed may still be in stdio's buffer.
    exit(code.rawValue)
}

/// All of `run(_:main:)` except ending the process.
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
        let code = (error as? any ExitCodedError)?.exitCode ?? .internalError
        if words.prefix(while: { $0 != "--" }).contains("--json"),
            command.options.contains(where: { $0.name == "json" })
        {
            write(ErrorReport(error, code).line, to: errors)
            return code
        }
        let mark = Log.Style.fitting(errors) == .journal ? "<\(LogLevel.error.rawValue)>" : ""
        let lines = "\(command.name): \(error)".split(separator: "\n").map { mark + escaped(String($0)) }
        write(Array((lines.joined(separator: "\n") + "\n").utf8), to: errors)
        return code
    }
}

/// An error for programs, if the command line has `--json`: one object on one line.
///
///     {"code":"wrong-credentials","exit_code":77,"field":"password","message":"The password is not right"}
private struct ErrorReport: Encodable {
    let code: String
    let exitCode: Int32
    let field: String?
    let hint: String?
    let message: String

    enum CodingKeys: String, CodingKey {
        case code, field, hint, message
        case exitCode = "exit_code"
    }

    init(_ error: any Error, _ exitCode: ExitCode) {
        let failure = error as? Failure
        // Errors of other types have their hint behind the message, on lines of its own.
        let lines = "\(error)".split(separator: "\n", maxSplits: 1).map(String.init)
        message = failure?.message ?? lines.first ?? ""
        hint = failure == nil ? lines.dropFirst().first : failure?.hint
        code = failure?.code ?? exitCode.name
        field = failure?.field
        self.exitCode = exitCode.rawValue
    }

    var line: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array((try? encoder.encode(self)) ?? Data()) + [UInt8(ascii: "\n")]
    }
}

extension ExitCode {
    /// The code in one word, for programs: `not-found` for `.notFound`.
    var name: String {
        "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
    }
}
