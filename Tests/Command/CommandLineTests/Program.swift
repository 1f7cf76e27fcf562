import Glibc
import TestSupport

/// The built program `vitals`, run as people run it. Its home is an empty folder, its time zone UTC.
final class Program {
    /// What a run left.
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    private let home: TemporaryFolder
    private let process: RunningProgram
    /// How many lines of the output were read.
    private var lineCount = 0

    /// Starts the program.
    /// - Parameter output: what becomes its standard output, instead of a pipe to here.
    init(_ arguments: [String], environment: [String: String] = [:], output: Int32? = nil) throws {
        home = try TemporaryFolder()
        process = try RunningProgram(
            "vitals", arguments, environment: ["HOME": home.path, "TZ": "UTC"].merging(environment) { $1 },
            inheritsEnvironment: false, output: output.map { .elsewhere($0) } ?? .apart)
    }

    /// Runs the program to its end.
    static func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Outcome {
        try Program(arguments, environment: environment).finish()
    }

    /// Waits for the end, and returns what was not read yet.
    func finish() throws -> Outcome {
        guard let status = process.exitStatus() else {
            throw TestFailure("vitals does not end; it printed: \(process.text); on stderr: \(errors)")
        }
        let rest = process.text.split(separator: "\n", maxSplits: lineCount, omittingEmptySubsequences: false)
        return Outcome(status: status, output: rest.count > lineCount ? String(rest[lineCount]) : "", errors: errors)
    }

    /// The next line of the output.
    func line() throws -> String {
        guard let line = process.line(after: lineCount) else {
            throw TestFailure("nothing more was printed; on stderr: \(errors)")
        }
        lineCount += 1
        return line
    }

    /// Ctrl-C.
    func interrupt() { process.signal(SIGINT) }

    /// What was written to standard error so far.
    var errors: String { process.errors }

    func waitForErrors(containing text: String) throws {
        guard process.complains(text) else { throw TestFailure("stderr never said \"\(text)\": \(errors)") }
    }
}
