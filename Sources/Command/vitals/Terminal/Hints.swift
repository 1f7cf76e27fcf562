import Daemon
import Synchronization

// Commands that are printed for a person to run next, such as "vitals sign-in". They should use the same broker as the
// command that prints them, so the flags in use are put into each of them: "vitals --port 1884 sign-in".

/// Completes commands in hints.
enum Hints {
    /// The flags to put in, and the commands to put them into. Set once, at the start.
    private static let completion = Mutex((flags: "", commands: Set<String>()))

    /// Puts these flags into each of these commands from now on.
    static func use(_ flags: String, in commands: Set<String>) { completion.withLock { $0 = (flags, commands) } }

    /// `text` with the flags in each command of ours. Commands that ask for help need none.
    static func completed(_ text: String) -> String {
        let (flags, commands) = completion.withLock { $0 }
        return flags.isEmpty ? text : completed(text, flags, in: commands)
    }

    static func completed(_ text: String, _ flags: String, in commands: Set<String>) -> String {
        var result = ""
        var rest = text[...]
        while let place = rest.firstRange(of: "vitals ") {
            let before = (result + rest[..<place.lowerBound]).last
            let behind = rest[place.upperBound...]
            let line = behind.prefix { $0 != "\n" && $0 != "`" && $0 != ";" }
            let word = line.prefix { $0.isLetter || $0 == "-" }
            // "/opt/vitals goals" and "are vitals and the consumer of one version?" are not commands of ours.
            let isCommand = before == nil || before == " " || before == "`" || before == "\n" || before == "("
            result += rest[..<place.lowerBound] + "vitals"
            if isCommand, commands.contains(String(word)), !line.contains("--help") {
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
