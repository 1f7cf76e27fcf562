import Daemon
import Files
import Glibc
import Telemetry

/// How old the latest backup of the consumer is: by `backup.json` in its state folder, which says when a backup was last
/// made and checked, or by the databases in `data` and `keys` of the folders in a folder of backups.
enum Backups {
    /// A backup every day may fail once or twice before somebody has to look.
    private static let notice: Int64 = 3 * 86_400_000
    private static let late: Int64 = 8 * 86_400_000
    /// No folder of ours holds as many.
    private static let most = 10_000

    /// - Parameters:
    ///   - folder: the one with the backups, if the command line names it.
    ///   - state: the consumer's folder.
    ///   - now: Unix milliseconds.
    static func finding(_ folder: String?, state: String?, now: Int64) -> Finding {
        guard let folder else { return recorded(state, now) }
        let command = "vitals-consumer backup \(shellQuoted(folder))/NAME"
        guard let handle = opendir(folder) else {
            let text = "\(folder): \(String(cString: strerror(errno)))"
            return errno == EACCES ? .needsRoot(text) : .problem(text, "is its disk there?")
        }
        defer { closedir(handle) }
        var latest: Int64?
        var count = 0
        while count < most, let entry = readdir(handle) {
            count += 1
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != "..", let time = time(of: "\(folder)/\(name)") else { continue }
            latest = max(latest ?? time, time)
        }
        guard let latest else { return .problem("there is no backup in \(folder)", "make one", run: command) }
        return judged("the latest in \(folder)", latest, now, command)
    }

    private static func judged(_ subject: String, _ latest: Int64, _ now: Int64, _ command: String) -> Finding {
        // A time that cannot be one is not of this year.
        let age = now.subtractingReportingOverflow(latest)
        guard !age.overflow else { return .unknown("\(subject) has no date", "make one", run: command) }
        let text = "\(subject) is \(counted(max(0, age.partialValue) / 86_400_000, "day")) old"
        if age.partialValue > late {
            return .problem(text, "make one, and see why there is no later one", run: command)
        }
        return age.partialValue > notice ? .warning(text, "make one every day", run: command) : .ok(text)
    }

    /// What the state folder says.
    private static func recorded(_ state: String?, _ now: Int64) -> Finding {
        let hint =
            "have one made each night: deploy/care.md. If you make them yourself, name their folder with --backups"
        let command = "vitals-consumer keep-backups"
        let nobody = Finding.warning("no backup is known", hint, run: command)
        guard let state else { return nobody }
        do {
            let rights = try FileRights.take(ofOwnerOf: state)
            defer { rights.giveBack() }
            guard let bytes = try SmallFile.read("\(state)/backup.json", atMost: 4096, isOwn: true) else {
                return nobody
            }
            guard case .integer(let time) = try JSON(payload: bytes)["time"] else {
                throw Failure(.data, "it has no time")
            }
            return judged("the latest, by \(state)/backup.json,", time, now, command)
        } catch {
            return .unknown("\(state)/backup.json: \(error)", "make a backup, which writes it again", run: command)
        }
    }

    /// When a backup was made, Unix milliseconds; nil if it is not whole.
    private static func time(of backup: String) -> Int64? {
        var (data, keys) = (stat(), stat())
        guard lstat("\(backup)/data/vitals.db", &data) == 0, data.st_mode & S_IFMT == S_IFREG, data.st_size > 0,
            lstat("\(backup)/keys/keys.db", &keys) == 0, keys.st_mode & S_IFMT == S_IFREG, keys.st_size > 0
        else { return nil }
        return Int64(min(data.st_mtim.tv_sec, keys.st_mtim.tv_sec)) * 1000
    }
}
