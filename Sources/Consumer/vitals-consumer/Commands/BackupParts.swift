import Daemon
import Files
import Glibc
import Records
import Storage

/// The two parts of a backup, each in a folder of its own, so that they can be kept apart.
///
/// The data is copied first, the keys after it: a secret is made before the stream that needs it, so the copy of the
/// keys has every secret that the copy of the data needs.
struct BackupParts {
    /// The folder for vitals.db, which does not exist yet.
    let data: String
    /// The folder for keys.db, which does not exist yet.
    let keys: String

    /// Refuses where there is nothing to back up.
    static func checkForDatabases(_ settings: ConsumerSettings) throws(Failure) {
        try StateFolder.checkForPendingRestore(settings.state)
        for name in ["vitals.db", "keys.db"] where access("\(settings.state)/\(name)", F_OK) != 0 {
            throw Failure(
                .noInput, "there is nothing to back up: \(settings.state)/\(name) does not exist",
                hint: "check \"state\" in the settings; the service makes it at its first start")
        }
    }

    /// Makes both folders and writes the copies, which are checked and on the disk when this returns.
    /// - Returns: a line about each copy.
    func write(_ settings: ConsumerSettings) throws(Failure) -> [String] {
        let copies = [(data, "vitals.db", Store.applicationID), (keys, "keys.db", Keys.applicationID)]
        var lines: [String] = []
        for (folder, name, application) in copies {
            // What root writes into another user's folder belongs to that user, and is limited to what they could
            // write.
            let rights = try FileRights.take(ofOwnerOf: folder)
            defer { rights.giveBack() }
            let copy = "\(folder)/\(name)"
            try Failure.explaining { () throws(VaultError) in
                try Folder.make(folder)
                try source("\(settings.state)/\(name)", application).backUp(to: copy)
                try Database(copy, .readOnly, applicationID: application).checkIntegrity()
            }
            var status = stat()
            stat(copy, &status)
            lines.append("\(copy) \(status.st_size) bytes")
        }
        try copyForgotten(settings)
        return lines
    }

    /// The list of the forgotten goes into both parts, last: so everybody who is forgotten in the databases is on it.
    private func copyForgotten(_ settings: ConsumerSettings) throws(Failure) {
        for folder in [data, keys] {
            let rights = try FileRights.take(ofOwnerOf: folder)
            defer { rights.giveBack() }
            try Failure.explaining { () throws(VaultError) in
                guard let lines = try forgotten(settings) else { return }
                try LineFile.append(lines, to: "\(folder)/forgotten")
            }
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
}
