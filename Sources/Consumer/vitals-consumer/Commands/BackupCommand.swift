import Daemon
import Files
import Glibc
import Records
import Storage

/// `vitals-consumer backup DIR`: copies of both databases, even while the service is running.
///
/// The data is copied first, the keys after it: a secret is made before the stream that needs it, so the copy of the
/// keys has every secret that the copy of the data needs. Each copy is in a folder of its own, so that they can be kept
/// apart.
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
        try StateFolder.checkForPendingRestore(settings.state)
        for name in ["vitals.db", "keys.db"] where access("\(settings.state)/\(name)", F_OK) != 0 {
            throw Failure(
                .noInput, "there is nothing to back up: \(settings.state)/\(name) does not exist",
                hint: "check \"state\" in the settings; the service makes it at its first start")
        }
        // What root writes into another user's folder belongs to that user, and is limited to what they could write.
        let rights = try FileRights.take(ofOwnerOf: folder)
        defer { rights.giveBack() }
        try makeEmptyFolder()
        let copies = [("data", "vitals.db", Store.applicationID), ("keys", "keys.db", Keys.applicationID)]
        var lines = Lines(output)
        for (part, name, application) in copies {
            let copy = "\(folder)/\(part)/\(name)"
            try Failure.explaining { () throws(VaultError) in
                try Folder.make("\(folder)/\(part)")
                try source("\(settings.state)/\(name)", application).backUp(to: copy)
                try Database(copy, .readOnly, applicationID: application).checkIntegrity()
            }
            var status = stat()
            stat(copy, &status)
            lines.write(Array("\(copy) \(status.st_size) bytes".utf8))
        }
        try copyForgotten(settings)
        lines.write(
            Array(
                "Keep the two apart, and the root key apart from both: anybody who has all three can read everything."
                    .utf8))
        lines.flush()
        return .ok
    }

    /// The list of the forgotten goes into both parts, last: so everybody who is forgotten in the databases is on it.
    private func copyForgotten(_ settings: ConsumerSettings) throws(Failure) {
        try Failure.explaining { () throws(VaultError) in
            guard let lines = try forgotten(settings) else { return }
            for part in ["data", "keys"] { try LineFile.append(lines, to: "\(folder)/\(part)/forgotten") }
        }
    }

    /// Opens a database and its log with the rights of its folder's owner; reading it needs nothing more.
    private func source(_ path: String, _ application: Int32) throws(VaultError) -> Database {
        let rights = try FileRights.take(ofFolderOf: path)
        defer { rights.giveBack() }
        let database = try Database(path, .readOnly, applicationID: application)
        _ = try database.version
        return database
    }

    private func forgotten(_ settings: ConsumerSettings) throws(VaultError) -> [String]? {
        let path = "\(settings.state)/forgotten"
        let rights = try FileRights.take(ofFolderOf: path)
        defer { rights.giveBack() }
        return try LineFile.read(path, atMost: ForgottenList.maximumLength)
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
