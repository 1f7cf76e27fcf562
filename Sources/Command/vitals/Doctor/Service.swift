import Daemon
import Glibc
import ProgramSettings
import Telemetry

/// The gateway or the consumer of this machine, as its files say.
struct Service {
    let subject: Check.Subject
    /// Its settings file.
    let file: String
    /// What its program makes of the file.
    let report: Result<SettingsReport, DoctorFault>
    private let limit: Duration

    /// Asks the program.
    init(_ subject: Check.Subject, _ file: String, within limit: Duration) {
        (self.subject, self.file, self.limit) = (subject, file, limit)
        report = Self.read(subject, file, limit)
    }

    var program: String { "vitals-\(subject.rawValue)" }

    var checks: [Check] {
        let settings = Check(subject, "settings") { self.settings }
        guard case .success(let report) = report else { return [settings] }
        let files = ServiceFiles(subject, report, program)
        var checks = [
            settings, Check(subject, "version") { version(report) },
            Check(subject, "process", files.process), Check(subject, "folder", files.folder),
        ]
        checks += files.secrets
        checks.append(Check(subject, "disk", files.disk))
        guard subject == .gateway else { return checks }
        checks.append(Check(.gateway, "enrolment") { enrolment(report) })
        let bus = BusLook(report.more.text("bus") ?? "system", report.more.text("adapter"), limit)
        return checks + [Check(.gateway, "bus", bus.finding)]
    }

    private var settings: Finding {
        switch report {
        case .success: .ok(file)
        case .failure(let fault): fault.finding
        }
    }

    private func version(_ report: SettingsReport) -> Finding {
        guard report.version != Daemon.version else { return .ok(report.version) }
        return .warning(
            "\(program) is \(report.version), and vitals is \(Daemon.version)",
            "install one version of all programs, the consumer's machine first")
    }

    private func enrolment(_ report: SettingsReport) -> Finding {
        guard let gateway = report.more.text("gateway") else {
            return .problem("the gateway has no name yet: it waits", "sign in, and enrol it", run: "vitals enrol")
        }
        guard report.more["recorded"] == true else {
            return .warning(
                "gateway \(gateway) knows no consumer: readings are shown live, and not recorded",
                "enrol it, or put the consumer's identity into the gateway's settings", run: "vitals enrol")
        }
        return .ok("gateway \(gateway), which knows its consumer")
    }

    private static func read(
        _ subject: Check.Subject, _ file: String, _ limit: Duration
    ) -> Result<SettingsReport, DoctorFault> {
        var status = stat()
        guard stat(file, &status) == 0 else {
            let number = errno
            let text = "\(file) cannot be read: \(String(cString: strerror(number)))"
            let finding: Finding =
                number == EACCES ? .needsRoot(text) : .problem(text, "write it, or name the file that there is")
            return .failure(DoctorFault(finding))
        }
        guard access(file, R_OK) == 0 else {
            return .failure(DoctorFault(.needsRoot("\(file) cannot be read: \(String(cString: strerror(errno)))")))
        }
        // A pipe that nobody writes to would keep the program waiting.
        guard status.st_mode & S_IFMT == S_IFREG else {
            return .failure(DoctorFault(.problem("\(file) is not a file", "put the settings file there")))
        }
        let program = "vitals-\(subject.rawValue)"
        let words = ["settings", "--settings", file]
        let capture: Capture
        do throws(Failure) {
            capture = try Capture(Programs.ours(program), words, within: limit)
        } catch {
            return .failure(DoctorFault(.problem(error.message, "install it next to vitals, or on the PATH")))
        }
        guard let code = capture.status else {
            return .failure(
                DoctorFault(
                    .unknown("\(program) did not read \(file) in time", "try again, or wait longer with --timeout")))
        }
        guard code == 0, let report = try? SettingsReport(payload: capture.output) else {
            return .failure(DoctorFault(refused(program, words, code, capture.complaints)))
        }
        return .success(report)
    }

    /// The program ended with an error: its own words say what is wrong.
    private static func refused(_ program: String, _ words: [String], _ code: Int32, _ lines: [String]) -> Finding {
        let prefix = "\(program): "
        let own = lines.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
        let text = own.first ?? "\(program) \(words[0]) ended with status \(code)"
        let again = ([program] + words).map(shellQuoted).joined(separator: " ")
        if code == ExitCode.usage.rawValue {
            return .problem("\(program) is of another version: \(text)", "install one version of all programs")
        }
        // The files are another user's: that is how it should be, and only root can look at them.
        if geteuid() != 0, own.dropFirst().contains(where: { $0.contains("sudo -u ") }) {
            return .needsRoot(text)
        }
        return .problem(text, own.dropFirst().first ?? "run the program by itself, and see what it says", run: again)
    }
}

/// Why something could not be read, as a finding.
struct DoctorFault: Error {
    let finding: Finding

    init(_ finding: Finding) { self.finding = finding }
}
