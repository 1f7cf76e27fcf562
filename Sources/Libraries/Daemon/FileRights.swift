internal import CLinux
import Glibc

// Root in other people's folders.
//
// A name in such a folder may lead elsewhere by the time it is used: the folder's owner can put a link in its place
// between any two calls, and root may then write, or give away, any file of the machine. And what root makes there is
// root's, so the service cannot open it. So a command that root runs in another user's folder takes that user's rights
// for as long as it works there (setfsuid(2)). The kernel then follows no link further than its owner could, and every
// file is theirs.
//
// It is the thread that has the rights: commands have one.

/// The rights on files that this thread had before, to restore them.
public struct FileRights {
    /// Nil if nothing was changed.
    private let before: (user: UInt32, group: UInt32)?

    /// Takes the rights of the owner of a folder, or of the nearest folder above it that exists, if root calls;
    /// otherwise nothing changes.
    @discardableResult
    public static func take(ofOwnerOf folder: String) throws(Failure) -> FileRights {
        guard geteuid() == 0 else { return FileRights(before: nil) }
        let rights = takeCallers()
        guard let owner = owner(ofNearest: folder) else { return rights }
        guard set(owner.user, owner.group) else {
            rights.giveBack()
            throw Failure(
                .refused, "the kernel refuses the rights of \(name(of: owner.user)), who owns \(folder), to this root",
                hint: "run it as that user: \(asUser(owner.user))")
        }
        return rights
    }

    /// Takes the rights of root again, if root calls: for what the operator has named on the command line.
    public static func takeCallers() -> FileRights {
        guard geteuid() == 0 else { return FileRights(before: nil) }
        let rights = FileRights(before: (vitals_file_user(), vitals_file_group()))
        _ = set(0, 0)
        return rights
    }

    /// Whether this thread has root's rights.
    public static var areRoots: Bool { geteuid() == 0 && vitals_file_user() == 0 }

    /// Restores the earlier rights.
    public func giveBack() {
        if let before { _ = Self.set(before.user, before.group) }
    }

    private static func set(_ user: uid_t, _ group: gid_t) -> Bool {
        // The user last: with it go root's powers over files. Root's groups would stay, so they are dropped.
        defer { _ = vitals_forbid_dumps() }
        guard user != 0 else { return vitals_set_file_user(0) == 1 && vitals_set_file_group(group) == 1 }
        guard vitals_drop_groups() == 0, vitals_set_file_group(group) == 1 else { return false }
        return vitals_set_file_user(user) == 1
    }

    // MARK: Owners

    private static func owner(ofNearest folder: String) -> (user: uid_t, group: gid_t)? {
        if let owner = owner(ofLinkOnTheWayTo: folder) { return owner }
        var path = folder
        while true {
            var status = stat()
            if stat(path.isEmpty ? "/" : path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
                return (status.st_uid, status.st_gid)
            }
            guard path != ".", !path.isEmpty else { return nil }
            path = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        }
    }

    /// The owner of the first link on the way to a path that another user has made, and that may thus lead to a folder
    /// that is not theirs.
    private static func owner(ofLinkOnTheWayTo path: String) -> (user: uid_t, group: gid_t)? {
        var way = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            way += way.isEmpty && !part.isEmpty ? String(part) : "/\(part)"
            var status = stat()
            guard lstat(way, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFLNK, status.st_uid != 0 { return (status.st_uid, status.st_gid) }
        }
        return nil
    }

    /// The folder on the way to a path that keeps this user out, and its owner; nil if there is none.
    private static func obstacle(to path: String) -> (folder: String, owner: uid_t)? {
        var folders = [path]
        while let slash = folders[0].lastIndex(of: "/"), slash > folders[0].startIndex {
            folders.insert(String(folders[0][..<slash]), at: 0)
        }
        for folder in folders {
            var status = stat()
            guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
            if access(folder, R_OK | X_OK) != 0, access(folder, X_OK) != 0 || folder == path {
                return (folder, status.st_uid)
            }
        }
        return nil
    }

    /// Refuses to continue for a user who has no access to the state folder or its files, and says which user must run
    /// the same command. Also refuses if some of the files belong to somebody else, such as those that root has left
    /// there, and says how to give them to the folder's owner.
    /// - Parameters:
    ///   - files: names of those that the program opens there. Other files in the folder do not matter.
    ///   - isService: whether root continues as root.
    public static func check(_ state: String, files: [String], isService: Bool = false) throws(Failure) {
        if geteuid() != 0, let (path, owner) = obstacle(to: state) ?? closedFile(in: state, files) {
            throw Failure(
                .configuration, "\(path) is for \(name(of: owner)) alone",
                hint: "run it as that user: \(asUser(owner))")
        }
        guard geteuid() != 0 || !isService, let (file, user, owner) = strangeFile(in: state, files) else { return }
        throw Failure(
            .configuration, "\(file) is for \(name(of: user)) alone, and its folder is for \(name(of: owner))",
            hint: "give all of it to that user: sudo chown -R \(name(of: owner).drop { $0 == "#" }) \(state)")
    }

    /// A file in somebody else's folder that only its owner may read.
    private static func closedFile(in folder: String, _ files: [String]) -> (path: String, owner: uid_t)? {
        var status = stat()
        guard stat(folder, &status) == 0, status.st_uid != geteuid() else { return nil }
        for path in files.map({ "\(folder)/\($0)" }) where access(path, R_OK) != 0 && errno == EACCES {
            if lstat(path, &status) == 0, status.st_uid != geteuid() { return (path, status.st_uid) }
        }
        return nil
    }

    /// A file in a folder that the folder's owner may not open, if we have that owner's rights, or would take them.
    private static func strangeFile(
        in folder: String, _ files: [String]
    ) -> (path: String, user: uid_t, owner: uid_t)? {
        var status = stat()
        guard stat(folder, &status) == 0 else { return nil }
        let owner = status.st_uid
        guard geteuid() == 0 ? owner != 0 : owner == geteuid() else { return nil }
        for path in files.map({ "\(folder)/\($0)" }) {
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid != owner else {
                continue
            }
            if status.st_mode & 0o077 == 0 { return (path, status.st_uid, owner) }
        }
        return nil
    }

    /// A user's name, or `#` and the number, which sudo accepts, too, in quotation marks.
    static func name(of user: uid_t) -> String {
        getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "#\(user)"
    }

    /// This command, run as another user.
    private static func asUser(_ user: uid_t) -> String {
        let words = CommandLine.arguments.dropFirst()
        let isPlain =
            words.count <= 8
            && words.allSatisfy { word in
                word.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"'\"\\`$&|;<>()*?[]#~!{}".utf8.contains($0) }
            }
        let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
        let line = isPlain ? ([program] + words).joined(separator: " ") : "\(program) …"
        let user = name(of: user)
        return "sudo -u \(user.hasPrefix("#") ? "'\(user)'" : user) \(line)"
    }
}
