import Glibc

/// A file that is written as a whole, for its owner only: after a power cut it is the old one or the new one.
public enum SmallFile {
    /// What the file holds; nil if there is none. Throws `.malformed` if it is longer than `limit` bytes.
    ///
    /// Root waits for no pipe, and follows no link that somebody else can change: see `ReadableFile`.
    /// - Parameter isOwn: whether only a regular file of this one name is read: if root reads in somebody else's
    ///   folder, a second name may be that of something that its owner must not see.
    public static func read(_ path: String, atMost limit: Int, isOwn: Bool = false) throws(VaultError) -> [UInt8]? {
        let attempted = "read \(path)"
        let file: CInt
        do { file = try ReadableFile.open(path, attempted, mayBePipe: !isOwn, isOwn: isOwn) } catch {
            if error.reason == .missing { return nil }
            throw error
        }
        defer { close(file) }
        if isOwn, try !isOfOneName(file, attempted) { throw notOwn(attempted) }
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

    /// Lets only its owner use a file, and refuses a link or a file with another name: so nobody can direct this at a
    /// different file.
    public static func restrict(_ path: String) throws(VaultError) {
        let attempted = "make \(path) accessible to its owner only"
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { throw errno == ELOOP ? notOwn(attempted) : .system(attempted, errno: errno) }
        defer { close(file) }
        guard try isOfOneName(file, attempted) else { throw notOwn(attempted) }
        guard fchmod(file, 0o600) == 0 else { throw .system(attempted, errno: errno) }
    }

    private static func isOfOneName(_ file: CInt, _ attempted: String) throws(VaultError) -> Bool {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .system(attempted, errno: errno) }
        return status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
    }

    /// A user's name, or their number.
    static func name(of user: UInt32) -> String {
        getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "#\(user)"
    }

    static func notOwn(_ attempted: String) -> VaultError {
        VaultError(attempted, .malformed, said: "it is a link, or has a second name: put the file itself there")
    }

    /// A user and a group that a file is given to.
    public typealias Owner = (user: UInt32, group: UInt32)

    /// Replaces the file, or makes it. When this returns it is on the disk.
    /// - Parameter owner: the user to whom root gives it, before it has its name; nil leaves it root's.
    public static func replace(
        _ path: String, with bytes: [UInt8], owner: Owner? = nil
    ) throws(VaultError) {
        let attempted = "write \(path)"
        let temporary = try writeTemporary(path, bytes, attempted, owner: owner)
        guard rename(temporary, path) == 0 else {
            let number = errno
            unlink(temporary)
            throw .system(attempted, errno: number)
        }
        try Folder.makeNamesDurable(of: path, attempted)
    }

    /// The owner of a file, or of its folder if there is no file; nil if this program could not give it away,
    /// because it is not root.
    public static func owner(of path: String) throws(VaultError) -> Owner? {
        guard geteuid() == 0 else { return nil }
        var status = stat()
        guard
            lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
                || stat(Folder.path(of: path), &status) == 0
        else { throw .system("find the owner of \(path)", errno: errno) }
        return (status.st_uid, status.st_gid)
    }

    /// Writes to a name next to `path` that nobody knows, and flushes it; returns the name.
    package static func writeTemporary(
        _ path: String, _ bytes: [UInt8], _ attempted: String, owner: Owner? = nil
    ) throws(VaultError) -> String {
        // The system's random generator, which nobody can predict.
        let temporary = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 16))"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system(attempted, errno: errno) }
        // By its descriptor: if the folder is somebody else's, they may have replaced the name by now, and it may
        // lead to any file of root's.
        let isGiven = owner.map { fchown(file, $0.user, $0.group) == 0 } ?? true
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
