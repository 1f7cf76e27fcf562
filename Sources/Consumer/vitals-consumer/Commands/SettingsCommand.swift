import Daemon
import ProgramSettings
import Telemetry

/// `vitals-consumer settings`: what the settings come to, for `vitals doctor`.
struct SettingsCommand: Subcommand {
    static let declaration = Command(
        name: "settings",
        summary: "Prints what the settings come to, as one JSON object without secrets; changes nothing.",
        discussion: """
            `vitals doctor` runs this. It refuses settings that the service would refuse, with the same message. Of files that \
            hold secrets, it prints only the names.
            """)

    init(_ arguments: Arguments) {}

    /// Writes to `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, output: CInt) -> ExitCode {
        let report = SettingsReport(
            topics: settings.topics, state: settings.state, broker: settings.broker,
            more: .object(present: [
                "root_key_file": settings.rootKeyFile.map(JSON.string),
                "forgotten_file": settings.forgottenFile.map(JSON.string),
            ]))
        Lines.write(String(decoding: report.json.bytes, as: UTF8.self), to: output)
        return .ok
    }
}
