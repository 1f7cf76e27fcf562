import Glibc

// What root reads in other people's folders.
//
// The owner of a folder can put a link or a pipe in the place of any name there, between any two calls. Through a link,
// root would read a file that the folder's owner must not see, and a pipe would keep root waiting for ever. So a process
// of root's walks to a file name by name, from one open folder to the next. It follows a link only if root has made it,
// in a folder of root's: such as /etc/vitals/root.key, which may lead to a stick. It never waits for a pipe.
//
// What the caller was given open (/dev/stdin, or <(…) in a shell) is the caller's own, and may be anything. A process
// that is not root's reads with its user's rights, and that user cannot be led any further than they could go themselves.

/// Opens files for reading.
public enum ReadableFile {
    /// Opens a file; the caller closes it.
    /// - Parameters:
    ///   - attempted: what the error says was attempted.
    ///   - mayBePipe: whether a process that is not root's may also read a pipe, and wait for it.
    ///   - isOwn: whether the file must have this name itself: even a link of root's is refused.
    /// - Throws: `.missing` and the kernel's other errors; `.malformed` for a link that is not followed, and for what is
    ///   not a file.
    public static func open(
        _ path: String, _ attempted: String, mayBePipe: Bool = false, isOwn: Bool = false
    ) throws(VaultError) -> CInt {
        let isGiven = isDescriptor(path)
        let isRoot = geteuid() == 0 && !isGiven
        let file = isRoot ? try openAsRoot(path, attempted, isOwn) : openPlainly(path, mayBePipe, isOwn)
        guard file >= 0 else { throw failure(path, attempted, isOwn) }
        guard isRoot || !mayBePipe else { return file }
        var status = stat()
        guard fstat(file, &status) == 0 else {
            let number = errno
            close(file)
            throw .system(attempted, errno: number)
        }
        do { try check(status.st_mode, attempted, mayBeDevice: mayBePipe) } catch {
            close(file)
            throw error
        }
        return file
    }

    /// The path of the file that a path leads to, without a link on the way; the path itself if the file is missing,
    /// or if it cannot be followed.
    public static func place(of path: String) -> String {
        guard geteuid() == 0 else {
            let place = realpath(path, nil)
            defer { free(place) }
            return place.map { String(cString: $0) } ?? path
        }
        guard let (folder, name) = try? walk(path, "", followsLast: true) else { return path }
        return "\(folder.path)/\(name)"
    }

    /// Throws what `open` would throw, and opens nothing: for what a library opens by its name.
    public static func check(_ path: String, _ attempted: String) throws(VaultError) {
        close(try open(path, attempted))
    }

    private static func openPlainly(_ path: String, _ mayBePipe: Bool, _ isOwn: Bool) -> CInt {
        let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY
        return Glibc.open(path, flags | (mayBePipe ? 0 : O_NONBLOCK) | (isOwn ? O_NOFOLLOW : 0))
    }

    private static func openAsRoot(_ path: String, _ attempted: String, _ isOwn: Bool) throws(VaultError) -> CInt {
        let (folder, name) = try walk(path, attempted, followsLast: !isOwn)
        var status = stat()
        // Before it is opened: opening a device may do something.
        if fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT != S_IFLNK {
            try check(status.st_mode, attempted, mayBeDevice: true)
        }
        return openat(folder.descriptor, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK)
    }

    /// What the caller was given open.
    private static func isDescriptor(_ path: String) -> Bool {
        path == "/dev/stdin" || path.hasPrefix("/dev/fd/") || path.hasPrefix("/proc/self/fd/")
    }

    private static func failure(_ path: String, _ attempted: String, _ isOwn: Bool) -> VaultError {
        guard errno == ELOOP else { return .system(attempted, errno: errno) }
        guard isOwn else { return VaultError(attempted, .malformed, said: "\(path) became a link meanwhile") }
        return SmallFile.notOwn(attempted)
    }

    private static func check(_ mode: mode_t, _ attempted: String, mayBeDevice: Bool) throws(VaultError) {
        switch mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: throw .system(attempted, errno: EISDIR)
        case S_IFCHR where mayBeDevice: return
        case S_IFIFO:
            throw VaultError(
                attempted, .malformed,
                said: "not a regular file, but a pipe, which is not waited for")
        default: throw VaultError(attempted, .malformed, said: "not a regular file")
        }
    }

    // MARK: The way

    private static func walk(
        _ path: String, _ attempted: String, followsLast: Bool
    ) throws(VaultError) -> (folder: OpenFolder, name: String) {
        var folder = try OpenFolder(path.hasPrefix("/") ? "/" : ".", attempted)
        // The next name is the last.
        var names = [Substring](path.split(separator: "/").reversed())
        var links = 0
        while let part = names.popLast() {
            let name = String(part)
            guard name != "." else { continue }
            let isLast = names.isEmpty
            // Opening it then refuses every link.
            if isLast, !followsLast, name != ".." { return (folder, name) }
            if name != "..", let link = try folder.link(name, attempted) {
                links += 1
                guard links <= 40 else { throw .system(attempted, errno: ELOOP) }
                if link.hasPrefix("/") { folder = try OpenFolder("/", attempted) }
                names += link.split(separator: "/").reversed()
                continue
            }
            guard !isLast || name == ".." else { return (folder, name) }
            folder = try OpenFolder(name, in: folder, attempted)
        }
        throw .system(attempted, errno: path.isEmpty ? ENOENT : EISDIR)
    }
}

/// A folder on the way to a file, which stays the same one even if its name changes.
private final class OpenFolder {
    let descriptor: CInt
    /// Its path, without links; empty for the root.
    let path: String

    /// O_PATH of <fcntl.h>, which the importer does not see: the same number on each architecture that Debian has Swift
    /// for. What is opened with it can be asked about, and is not opened itself.
    private static let placeOnly: CInt = 0o10_000_000
    private static let flags = placeOnly | O_DIRECTORY | O_CLOEXEC

    /// - Parameter start: `/`, or `.`, the process's own.
    init(_ start: String, _ attempted: String) throws(VaultError) {
        let descriptor = open(start, Self.flags)
        guard descriptor >= 0 else { throw .system(attempted, errno: errno) }
        self.descriptor = descriptor
        let working = start == "." ? getcwd(nil, 0) : nil
        defer { free(working) }
        let path = working.map { String(cString: $0) } ?? ""
        self.path = path == "/" ? "" : path
    }

    init(_ name: String, in folder: OpenFolder, _ attempted: String) throws(VaultError) {
        let descriptor = openat(folder.descriptor, name, Self.flags | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .system(attempted, errno: errno) }
        self.descriptor = descriptor
        path =
            name == ".."
            ? String(folder.path[..<(folder.path.lastIndex(of: "/") ?? folder.path.startIndex)])
            : "\(folder.path)/\(name)"
    }

    deinit { close(descriptor) }

    /// Where a name leads, if it is a link that root may follow; nil if it is not a link.
    /// - Throws: for a link that somebody else has made, or that is in somebody else's folder.
    func link(_ name: String, _ attempted: String) throws(VaultError) -> String? {
        // The link itself is open: it cannot become another one between two questions.
        let link = openat(descriptor, name, Self.placeOnly | O_NOFOLLOW | O_CLOEXEC)
        guard link >= 0 else {
            if errno == ENOENT { return nil }
            throw .system(attempted, errno: errno)
        }
        defer { close(link) }
        var (status, folder) = (stat(), stat())
        guard fstat(link, &status) == 0, fstat(descriptor, &folder) == 0 else {
            throw .system(attempted, errno: errno)
        }
        guard status.st_mode & S_IFMT == S_IFLNK else { return nil }
        guard status.st_uid == 0, folder.st_uid == 0 else {
            let whose = SmallFile.name(of: status.st_uid == 0 ? folder.st_uid : status.st_uid)
            throw VaultError(
                attempted, .malformed,
                said: "\(path)/\(name) is a link that \(whose) can change, and root does not follow it: "
                    + "name the file that it leads to, or run this as \(whose)")
        }
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = target.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { readlinkat(link, "", $0.assumingMemoryBound(to: CChar.self), bytes.count) } ?? -1
        }
        guard count > 0 else { throw .system(attempted, errno: errno) }
        return String(decoding: target.prefix(count), as: UTF8.self)
    }
}
