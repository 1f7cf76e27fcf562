import Glibc

/// A file that is written as a whole, for its owner only: after a power cut it is the old one or the new one.
public enum SmallFile {
    /// What the file holds; nil where there is none. Throws `.malformed` where it is longer than `limit` bytes.
    public static func read(_ path: String, atMost limit: Int) throws(VaultError) -> [UInt8]? {
        let attempted = "read \(path)"
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .system(attempted, errno: errno)
        }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            guard count >= 0 else { throw .system(attempted, errno: errno) }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limit else {
                throw VaultError(attempted, .malformed, said: "longer than \(limit) bytes")
            }
        }
    }

    /// Replaces the file, or makes it. When this returns it is on the disk.
    /// - Parameter ownerAsBefore: root gives it to the owner of the file before, or where there is none, of its folder: for a file of another
    ///   program's.
    public static func replace(
        _ path: String, with bytes: [UInt8], ownerAsBefore: Bool = false
    ) throws(VaultError) {
        let attempted = "write \(path)"
        let temporary = try writeBeside(path, bytes, attempted, owner: ownerAsBefore ? owner(of: path, attempted) : nil)
        guard rename(temporary, path) == 0 else {
            let number = errno
            unlink(temporary)
            throw .system(attempted, errno: number)
        }
        try KeyFile.syncDirectory(of: path, attempted)
    }

    /// Whose a file is or would be, where we are root; nil where we are not, and so cannot give it away.
    private static func owner(of path: String, _ attempted: String) throws(VaultError) -> (uid_t, gid_t)? {
        guard geteuid() == 0 else { return nil }
        var status = stat()
        guard stat(path, &status) == 0 || stat(KeyFile.folder(of: path), &status) == 0 else {
            throw .system(attempted, errno: errno)
        }
        return (status.st_uid, status.st_gid)
    }

    /// Writes to a name beside `path` that no one knows, and flushes it; the name.
    static func writeBeside(
        _ path: String, _ bytes: [UInt8], _ attempted: String, owner: (uid_t, gid_t)? = nil
    ) throws(VaultError) -> String {
        let temporary = "\(path).\(try RandomBytes.draw(8).map { String($0, radix: 16) }.joined())"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system(attempted, errno: errno) }
        // By its descriptor: the name may be somebody else's by now, where the folder is theirs, and lead to any file of root's.
        let isGiven = owner.map { fchown(file, $0.0, $0.1) == 0 } ?? true
        let written = isGiven ? write(file, bytes, bytes.count) : -1
        let number = written < 0 ? errno : written < bytes.count ? ENOSPC : fsync(file) != 0 ? errno : 0
        close(file)
        guard number == 0 else {
            unlink(temporary)
            throw .system(attempted, errno: number)
        }
        return temporary
    }
}
