import Daemon
import Files
import Records
import Telemetry

/// `vitals-consumer move DIR`: everything that another machine needs to go on, and the end of the store here.
///
/// The folder becomes a backup that was restored and checked for practice, with a copy of the settings. The last step
/// marks the store here as moved. Until then, nothing has changed here; from then on, no program starts it again.
struct MoveCommand: Subcommand {
    static let declaration = Command(
        name: "move",
        summary: "Packs the store for another machine, and ends it here; the service must not be running.",
        discussion: """
            DIR becomes a backup, restored and checked for practice, with a copy of the settings. `vitals-consumer restore DIR` \
            makes it the state of the other machine. The root key and the passwords are not in it: the command lists them, for \
            you to carry apart. What is in DIR opens only with the root key.

            The service does not start here again: two machines must never run one store.
            """,
        arguments: [.required("DIR", "a folder that is empty or does not exist yet")],
        examples: [Example("vitals-consumer move /media/stick/move")])

    private let folder: String
    private let settingsFile: String

    init(_ arguments: Arguments) throws {
        self.init(folder: try arguments.string("DIR"), settingsFile: try arguments.string("settings"))
    }

    init(folder: String, settingsFile: String) {
        self.folder = folder
        self.settingsFile = settingsFile
    }

    func run(_ settings: ConsumerSettings, output: CInt) throws(Failure) -> ExitCode {
        try run(settings, now: unixMilliseconds(), output: output)
    }

    /// Says what was done, and what is left to do, on `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, now: Int64, output: CInt) throws(Failure) -> ExitCode {
        try BackupParts.checkForDatabases(settings)
        // As long as this is held, no service runs here.
        let state = try StateFolder(settings.state)
        defer { withExtendedLifetime(state) {} }
        var lines = Lines(output)
        for line in try BackupCommand(folder: folder).make(settings) { lines.write(Array(line.utf8)) }
        let findings = try Rehearsal(data: folder + "/data", keys: folder + "/keys").run(settings, now: now)
        guard findings.isGood else {
            throw Failure(
                .data, "the copy was restored, and does not agree with itself: \(findings.json)",
                hint:
                    "nothing has changed here. The database was altered or damaged: check the disk, and restore a backup"
            )
        }
        try copySettings()
        try Failure.explaining { () throws(VaultError) in try state.noteMove(now: now) }
        let text = """
            It was restored and checked: \(findings.json)
            Carry apart from it, as the other machine's settings name them: \(Self.secrets(settings).joined(separator: ", "))
            There: vitals-consumer restore \(folder), and start the service.
            Here, this store does not start again.
            """
        lines.write(Array(text.utf8))
        lines.flush()
        return .ok
    }

    private func copySettings() throws(Failure) {
        try Failure.explaining { [settingsFile] () throws(VaultError) in
            let callers = FileRights.takeCallers()
            let bytes = try SmallFile.read(settingsFile, atMost: 1 << 20)
            callers.giveBack()
            let copy = "\(folder)/consumer.json5"
            let rights = try FileRights.take(ofFolderOf: copy)
            defer { rights.giveBack() }
            try SmallFile.replace(copy, with: bytes ?? [])
        }
    }

    /// Files that the settings name, and that must not be in the same hands.
    private static func secrets(_ settings: ConsumerSettings) -> [String] {
        [settings.rootKeyFile ?? "the credential root-key"]
            + ([settings.broker.passwordFile, settings.forgottenFile].compactMap { $0 }
            + settings.gatewayPasswordFiles.values).sorted()
    }
}
