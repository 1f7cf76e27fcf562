import Daemon
import Files
import Glibc
import Telemetry

// The folders of `keep-backups`.
//
//     DATA/2026-11-23T02-10-00Z/    vitals.db, forgotten
//     KEYS/2026-11-23T02-10-00Z/    keys.db, forgotten
//     DATA/.making  KEYS/.making    a backup that is being made and checked: without meaning
//     DATA/.removing …              one that is being removed: without meaning
//     DATA/failed  KEYS/failed      the latest backup that was restored and whose `check` found differences
//
// A backup is whole if both folders have its name. It gets that name last, in KEYS and then in DATA, when it is on the
// disk and was restored and checked; and it loses that name before anything of it is removed. So whenever this is
// interrupted, whatever has a date in both folders is whole, and the next run removes the rest.

/// The folders in which backups are kept, taken: no other process changes them.
final class KeptBackups {
    static let making = ".making"
    static let failed = "failed"
    private static let removing = ".removing"

    let settings: BackupSettings
    private let lock: CInt

    /// The name of a backup.
    static func name(_ now: Int64) -> String { utcTime(now).replacing(":", with: "-") }

    private static func isName(_ text: String) -> Bool {
        text.utf8.count == 20 && text.utf8.last == UInt8(ascii: "Z")
            && text.utf8.first.map { 0x30...0x39 ~= $0 } == true
    }

    /// Takes both folders, and removes what an interrupted run has left.
    /// - Parameter state: the state folder.
    init(_ settings: BackupSettings, state: String) throws(Failure) {
        self.settings = settings
        let home = try Self.status(of: state)
        let parts = (try Self.status(of: settings.data), try Self.status(of: settings.keys))
        for (folder, status) in [(settings.data, parts.0), (settings.keys, parts.1)] {
            guard !settings.isMounted || status.st_dev != home.st_dev else {
                throw Failure(
                    .unavailable, "\(folder) is on the same file system as \(state): no medium is mounted there",
                    hint:
                        "mount it (findmnt \(folder)); or, to keep backups on this disk, say mounted: false in \"backups\""
                )
            }
        }
        guard parts.0.st_ino != parts.1.st_ino || parts.0.st_dev != parts.1.st_dev else {
            throw Failure(
                .configuration, "\(settings.data) and \(settings.keys) are the same folder",
                hint: "keep the two apart, best on two media: whoever has both needs only the root key")
        }
        let rights = FileRights.takeCallers()
        let folder = open(settings.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        let number = errno
        rights.giveBack()
        guard folder >= 0 else {
            throw Failure(.noInput, "cannot open \(settings.data): \(String(cString: strerror(number)))")
        }
        guard flock(folder, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            close(folder)
            throw Failure(
                .temporary, "cannot take \(settings.data): \(String(cString: strerror(number)))",
                hint: "another keep-backups may be at work there: wait for its end")
        }
        lock = folder
        try removeLeftovers()
    }

    deinit { close(lock) }

    private static func status(of folder: String) throws(Failure) -> stat {
        var status = stat()
        let rights = FileRights.takeCallers()
        defer { rights.giveBack() }
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Failure(
                .noInput, "there is no folder \(folder)",
                hint:
                    "is its medium mounted? If this is the first backup, make the folder there; it is never made by itself"
            )
        }
        return status
    }

    /// Both folders, the one of the keys first.
    private var folders: [String] { [settings.keys, settings.data] }

    /// Does something with the rights of a folder's owner, if root calls.
    private static func with(
        _ folder: String, _ body: () throws(VaultError) -> Void
    ) throws(Failure) {
        let rights = try FileRights.take(ofOwnerOf: folder)
        defer { rights.giveBack() }
        try Failure.explaining(body)
    }

    /// Removes what is being made or removed.
    func removeLeftovers() throws(Failure) {
        for folder in folders {
            try Self.with(folder) { () throws(VaultError) in
                for name in [Self.making, Self.removing] { try Erasing.remove("\(folder)/\(name)") }
            }
        }
    }

    /// What was made becomes a whole backup of this name.
    func put(_ name: String) throws(Failure) {
        for folder in folders {
            try Self.with(folder) { () throws(VaultError) in
                try Folder.rename("\(folder)/\(Self.making)", to: "\(folder)/\(name)")
            }
        }
    }

    /// Removes a backup, or the part of it that is there.
    func remove(_ name: String) throws(Failure) {
        // Without the data, nobody takes the keys for a whole backup.
        for folder in folders.reversed() where access("\(folder)/\(name)", F_OK) == 0 {
            try Self.with(folder) { () throws(VaultError) in
                try Folder.rename("\(folder)/\(name)", to: "\(folder)/\(Self.removing)")
                try Erasing.remove("\(folder)/\(Self.removing)")
            }
        }
    }

    /// The names of whole backups, the oldest first; and of all parts.
    func names() throws(Failure) -> (whole: [String], parts: [String]) {
        let rights = FileRights.takeCallers()
        defer { rights.giveBack() }
        return try Failure.explaining { () throws(VaultError) in
            let data = Set(try Folder.names(in: settings.data).filter(Self.isName))
            let keys = Set(try Folder.names(in: settings.keys).filter(Self.isName))
            return (data.intersection(keys).sorted(), data.union(keys).sorted())
        }
    }

    /// Removes backups that are too many or too old. The one that was just made stays, whatever the clock says.
    /// - Returns: the names of those that were removed.
    func removeOld(except made: String, now: Int64) throws(Failure) -> [String] {
        let (whole, parts) = try names()
        var kept = Array(whole.filter { $0 != made }.suffix(settings.count - 1))
        if let age = settings.age {
            let first = Self.name(now - age.components.seconds * 1000)
            kept.removeAll { $0 < first }
        }
        kept.append(made)
        let oldest = kept.min() ?? made
        // A part without its counterpart, which an interrupted run has left, goes with the whole ones of its time.
        let removed = parts.filter { !kept.contains($0) && ($0 < oldest || whole.contains($0)) }
        for name in removed { try remove(name) }
        let later = whole.count { $0 > made }
        if later > 0 { log.warning("\(later) backups have a date after now: the clock was wrong; remove them by hand") }
        return removed
    }
}

/// Removing of files whose bytes must not be found later in free space.
enum Erasing {
    /// Removes a folder and what is in it, folders too, if it exists. Files of keys are overwritten first: a person who
    /// is forgotten later must not be found in what the disk has free. (What a card keeps elsewhere is out of reach.)
    static func remove(_ folder: String, depth: Int = 0) throws(VaultError) {
        guard access(folder, F_OK) == 0 else { return }
        for name in try Folder.names(in: folder) {
            let path = "\(folder)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR, depth < 2 {
                try remove(path, depth: depth + 1)
            } else if name.hasPrefix("keys.db"), status.st_mode & S_IFMT == S_IFREG {
                overwrite(path, Int(status.st_size))
            }
        }
        try Folder.remove(folder)
    }

    private static func overwrite(_ path: String, _ size: Int) {
        // Whose folder it is can put a pipe there now.
        let file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return }
        defer { close(file) }
        let zeros = [UInt8](repeating: 0, count: 1 << 16)
        var place = 0
        while place < size {
            let count = pwrite(file, zeros, min(zeros.count, size - place), off_t(place))
            guard count > 0 else { return }
            place += count
        }
        fsync(file)
    }
}
