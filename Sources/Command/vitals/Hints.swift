import Daemon
import Synchronization

// Commands that are printed for a person to run next, such as "vitals sign-in". They speak with the same broker as the command that prints
// them, so each of them has the flags in use put in: "vitals --port 1884 sign-in".

/// Completes commands in hints.
enum Hints {
    /// Set once, at the start.
    private static let flags = Mutex("")

    /// Takes the flags that a command line gives and the next one needs, too: those that say which broker, as whom, and which gateway.
    /// - Parameter call: what they made, as soon as it is known. A password file that is not for the broker is the account's, and is for one
    ///   command alone.
    static func use(_ arguments: Arguments, _ call: Call? = nil) throws(UsageError) {
        var words = ""
        for option in Commands.repeatedOptions where arguments.isGiven(option.name) {
            if option.name == Call.passwordFileOption {
                let file = try arguments.string(option.name)
                guard call.map({ $0.broker.passwordFile == file }) ?? arguments.isGiven("username") else { continue }
            }
            words += " --\(option.name)"
            if !option.isFlag { words += " " + shellQuoted(try arguments.string(option.name)) }
        }
        let given = words
        flags.withLock { $0 = given }
    }

    /// `text` with the flags in each command of ours. What asks for help needs none.
    static func completed(_ text: String) -> String {
        let flags = flags.withLock { $0 }
        return flags.isEmpty ? text : completed(text, flags)
    }

    static func completed(_ text: String, _ flags: String) -> String {
        var result = ""
        var rest = text[...]
        while let place = rest.firstRange(of: "vitals ") {
            let before = (result + rest[..<place.lowerBound]).last
            let behind = rest[place.upperBound...]
            let line = behind.prefix { $0 != "\n" && $0 != "`" && $0 != ";" }
            let word = line.prefix { $0.isLetter || $0 == "-" }
            // "/opt/vitals goals" and "are vitals and the consumer of one version?" are no commands of ours.
            let isCommand = before == nil || before == " " || before == "`" || before == "\n" || before == "("
            result += rest[..<place.lowerBound] + "vitals"
            if isCommand, Commands.vitals.subcommands.contains(where: { $0.name == word }), !line.contains("--help") {
                result += flags
            }
            result += " "
            rest = behind
        }
        return result + rest
    }

    /// A failure whose hint has the flags in it.
    static func completed(_ failure: Failure) -> Failure {
        Failure(
            failure.exitCode, failure.message, hint: failure.hint.map { completed($0) }, code: failure.code,
            field: failure.field)
    }
}
