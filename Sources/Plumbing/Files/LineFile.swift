import Glibc

/// A file of lines that is only ever added to, for its folder's owner only. A line is on the disk when `append`
/// returns; one that was being written when the power failed may be there in part, and ends where the next line begins.
public enum LineFile {
    /// The lines of a file, without their ends; nil if there is no file. Throws `.malformed` if it is longer than
    /// `limit` bytes.
    public static func read(_ path: String, atMost limit: Int) throws(VaultError) -> [String]? {
        guard let bytes = try SmallFile.read(path, atMost: limit) else { return nil }
        return bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Adds lines, and makes the file if there is none. Two that add at once do so one after the other; somebody who keeps the file
    /// locked is waited for only a while.
    public static func append(
        _ lines: [String], to path: String, patience: Duration = .seconds(10)
    ) throws(VaultError) {
        let attempted = "add to \(path)"
        let file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .system(attempted, errno: errno) }
        defer { close(file) }
        let end = ContinuousClock.now + patience
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR || errno == EWOULDBLOCK && ContinuousClock.now < end else {
                throw .system(attempted, errno: errno)
            }
            usleep(20_000)
        }
        try giveToFolder(file, path, attempted)
        let length = lseek(file, 0, SEEK_END)
        guard length >= 0 else { throw .system(attempted, errno: errno) }
        var last = UInt8(ascii: "\n")
        if length > 0, pread(file, &last, 1, length - 1) != 1 { throw .system(attempted, errno: errno) }
        var text = last == UInt8(ascii: "\n") ? "" : "\n"
        for line in lines { text += line + "\n" }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            guard count > 0 || count < 0 && errno == EINTR else {
                let number = count < 0 ? errno : ENOSPC
                // A caller that keeps trying must not fill the disk with beginnings of lines.
                ftruncate(file, length)
                throw .system(attempted, errno: number)
            }
            rest = rest.dropFirst(max(0, count))
        }
        guard fsync(file) == 0 else { throw .system(attempted, errno: errno) }
        try Folder.makeNamesDurable(of: path, attempted)
    }

    /// What root adds for a service must not keep the service out: root gives its file to the owner of the folder. A
    /// file that belongs to somebody else stays theirs, even in a folder of root's.
    private static func giveToFolder(_ file: CInt, _ path: String, _ attempted: String) throws(VaultError) {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system(attempted, errno: errno) }
        guard geteuid() == 0, status.st_uid == 0 else { return }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard stat(folder, &status) == 0, fchown(file, status.st_uid, status.st_gid) == 0 else {
            throw .system(attempted, errno: errno)
        }
    }
}
