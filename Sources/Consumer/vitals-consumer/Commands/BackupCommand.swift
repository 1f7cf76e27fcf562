import Daemon
import Files
import Glibc

/// `vitals-consumer backup DIR`: copies of both databases, even while the service is running.
/// See BackupParts.swift.
struct BackupCommand {
    static let declaration = Command(
        name: "backup",
        summary: "Copies both databases into a new folder, each into its own subfolder.",
        discussion: """
            It works while the service is running. Keep DIR/data and DIR/keys apart, and the root key apart from both. What is \
            forgotten here is completely forgotten only when the last backup of the keys is gone, too.
            """,
        arguments: [.required("DIR", "a folder that is empty or does not exist yet")],
        examples: [Example("vitals-consumer backup /media/backup/2026-11-21")])

    let folder: String

    /// Writes what was written, and what to do with it, to `output`, a file descriptor.
    func run(_ settings: ConsumerSettings, output: CInt) throws(Failure) -> ExitCode {
        var lines = Lines(output)
        for line in try make(settings) { lines.write(Array(line.utf8)) }
        lines.write(
            Array(
                "Keep the two apart, and the root key apart from both: anybody who has all three can read everything."
                    .utf8))
        lines.flush()
        return .ok
    }

    /// Makes the backup.
    /// - Returns: a line about each part.
    func make(_ settings: ConsumerSettings) throws(Failure) -> [String] {
        try BackupParts.checkForDatabases(settings)
        // What root writes into another user's folder belongs to that user, and is limited to what they could write.
        let rights = try FileRights.take(ofOwnerOf: folder)
        defer { rights.giveBack() }
        try makeEmptyFolder()
        return try BackupParts(data: folder + "/data", keys: folder + "/keys").write(settings)
    }

    private func makeEmptyFolder() throws(Failure) {
        if access(folder, F_OK) != 0 {
            return try Failure.explaining { () throws(VaultError) in try Folder.make(folder) }
        }
        let names = try Failure.explaining { () throws(VaultError) in try Folder.names(in: folder) }
        guard names.allSatisfy({ $0 == "lost+found" }) else {
            throw Failure(.inputOutput, "\(folder) is not empty", hint: "each backup needs a new folder")
        }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, fchmod(descriptor, 0o700) == 0 else {
            throw Failure(
                .inputOutput, "cannot make \(folder) its owner's alone: \(String(cString: strerror(errno)))",
                hint: "name a folder of your own")
        }
    }
}

extension BackupCommand: Subcommand {
    init(_ arguments: Arguments) throws { self.init(folder: try arguments.string("DIR")) }
}
