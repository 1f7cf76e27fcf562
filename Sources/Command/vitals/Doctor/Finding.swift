import Daemon
import Telemetry

/// How an installation is in one respect.
struct Finding {
    /// From well to bad; what could not be looked at is between a warning and a problem.
    enum Severity: String, Comparable {
        case ok, warning, unknown, problem

        static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .ok: 0
            case .warning: 1
            case .unknown: 2
            case .problem: 3
            }
        }
    }

    let severity: Severity
    /// What was found, in words.
    let text: String
    /// What to do; nil if nothing is to be done.
    let hint: String?
    /// What to type for it; nil if no command does it.
    let command: String?

    static func ok(_ text: String) -> Finding { Finding(severity: .ok, text: text, hint: nil, command: nil) }

    static func warning(_ text: String, _ hint: String, run command: String? = nil) -> Finding {
        Finding(severity: .warning, text: text, hint: hint, command: command)
    }

    static func unknown(_ text: String, _ hint: String, run command: String? = nil) -> Finding {
        Finding(severity: .unknown, text: text, hint: hint, command: command)
    }

    /// It belongs to the services' user.
    static func needsRoot(_ text: String) -> Finding {
        .unknown(text, "run the doctor as root", run: "sudo vitals doctor")
    }

    static func problem(_ text: String, _ hint: String, run command: String? = nil) -> Finding {
        Finding(severity: .problem, text: text, hint: hint, command: command)
    }
}

/// One thing that the doctor looks at.
struct Check {
    /// Whose it is.
    enum Subject: String {
        case gateway, consumer, machine, broker
    }

    let subject: Subject
    /// A word for people and programs.
    let name: String
    /// Looks; must not take longer than the command's time limit. Nil if an earlier check already says why nothing is
    /// known.
    let look: () -> Finding?

    init(_ subject: Subject, _ name: String, _ look: @escaping () -> Finding?) {
        (self.subject, self.name, self.look) = (subject, name, look)
    }

    /// What is printed for programs: one object on one line.
    func line(_ finding: Finding) -> String {
        JSON.object(present: [
            "subject": .string(subject.rawValue), "check": .string(name),
            "severity": .string(finding.severity.rawValue), "text": .string(finding.text),
            "hint": finding.hint.map(JSON.string), "command": finding.command.map(JSON.string),
        ]).line
    }

    /// What is printed for people: a line, and one for each thing to do.
    func text(_ finding: Finding) -> String {
        let style = Style()
        let word = finding.severity.rawValue.padded(to: 9)
        let coloured =
            switch finding.severity {
            case .ok: style.green(word)
            case .warning, .unknown: style.yellow(word)
            case .problem: style.red(word)
            }
        let lead = coloured + "\(subject.rawValue) \(name)".padded(to: 31)
        let indent = String(repeating: " ", count: 40)
        let hints = [finding.hint, finding.command.map { "run: \($0)" }].compactMap { $0 }
        return lead + escaped(finding.text) + "\n" + hints.map { indent + escaped(Hints.completed($0)) + "\n" }.joined()
    }
}
