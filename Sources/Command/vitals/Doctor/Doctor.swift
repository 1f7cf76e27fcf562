import Daemon
import Telemetry

// `vitals doctor` looks at an installation: at what is on this machine, at what the broker says of it, and at what the
// running programs say at the broker. It changes nothing.
//
// Each program reads its own settings (`vitals-gateway settings`), so there is one reader of each file, and what the
// doctor reports of a wrong file is what the program would say. Whatever may not answer has the command's time limit: a
// program, a bus, a broker. Files are looked at before they are opened, and only the beginning of them is read.
//
// The settings may be root's, and the state folder another user's. So what is checked of a program is looked at with the
// rights of that folder's owner, as the program itself would: see `FileRights`.

/// `vitals doctor`.
struct Doctor {
    private let call: Call
    private let arguments: Arguments

    static let command = Command(
        name: "doctor",
        summary: "Checks the installation on this machine, and says what to do about what is wrong.",
        discussion: """
            It looks at the settings of the gateway and the consumer that are on this machine, at their folders, passwords, \
            keys and certificates, at the message bus and its adapters, the broker, the clock and the disk, and at what the running \
            programs tell the broker about themselves. It changes nothing. If neither has settings here, it looks only \
            at the broker.

            Run it as root, because the files belong to the services: sudo vitals doctor.

            Findings are ok, warning, unknown (it could not be looked at) or problem. It ends with 69 if there is a problem, with 75 if \
            there is none, but something is unknown, and otherwise with 0. With --json, each finding is one object on one \
            line. --timeout is how long it waits for each answer.
            """,
        options: [
            .value(
                "gateway-settings", "FILE",
                "the gateway's settings (default: \(Installation.gatewayFile), if it is there)"),
            .value(
                "consumer-settings", "FILE",
                "the consumer's settings (default: \(Installation.consumerFile), if it is there)"),
            .value(
                "backups", "DIR",
                "the folder in which backups of the consumer are, each in a folder of its own (default: what backup.json in the state folder says of the latest)"
            ),
            .flag("quiet", short: "q", "prints only what is not well"),
        ],
        examples: [
            Example("sudo vitals doctor"),
            Example("sudo vitals doctor --quiet --backups /media/backup", "for a timer: prints nothing if all is well"),
            Example("vitals doctor --gateway-settings .vitals/gateway.json5 --json"),
        ])

    init(_ call: Call, _ arguments: Arguments) { (self.call, self.arguments) = (call, arguments) }

    func run() throws -> ExitCode {
        let installation = try Installation(call, arguments)
        let isQuiet = try arguments.flag("quiet")
        var counts: [Finding.Severity: Int] = [:]
        for check in installation.checks {
            guard let finding = check.look() else { continue }
            counts[finding.severity, default: 0] += 1
            guard !isQuiet || finding.severity != .ok else { continue }
            try Output.write(call.isJSON ? check.line(finding) : check.text(finding))
        }
        if !call.isJSON, !isQuiet { try Output.write(summary(counts)) }
        switch counts.keys.max() {
        case .problem: return .unavailable
        case .unknown: return .temporary
        default: return .ok
        }
    }

    private func summary(_ counts: [Finding.Severity: Int]) -> String {
        let parts = [
            (Finding.Severity.problem, "problem"), (.warning, "warning"), (.unknown, "unknown"), (.ok, "ok"),
        ].compactMap { severity, noun in
            counts[severity].map { count in
                severity == .ok || severity == .unknown ? "\(count) \(noun)" : counted(count, noun)
            }
        }
        return parts.joined(separator: ", ") + "\n"
    }
}
