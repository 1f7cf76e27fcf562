import Glibc

/// Folders and the names in them, durable when a call returns.
public enum Folder {
    /// Makes a folder, for its owner only. Throws `.inputOutput` with EEXIST if the name is taken.
    public static func make(_ path: String) throws(VaultError) {
        let attempted = "make the folder \(path)"
        guard mkdir(path, 0o700) == 0 else { throw .system(attempted, errno: errno) }
        try Folder.makeNamesDurable(of: path, attempted)
    }

    /// Gives a file or folder another name on the same file system: after a power cut it has either the one or the
    /// other.
    public static func rename(_ path: String, to other: String) throws(VaultError) {
        let attempted = "rename \(path) to \(other)"
        guard Glibc.rename(path, other) == 0 else { throw .system(attempted, errno: errno) }
        try Folder.makeNamesDurable(of: other, attempted)
        try Folder.makeNamesDurable(of: path, attempted)
    }

    /// Removes a folder and the files in it; folders in it are not touched, and make it fail.
    public static func remove(_ path: String) throws(VaultError) {
        let attempted = "remove the folder \(path)"
        for name in try names(in: path) { unlink("\(path)/\(name)") }
        guard rmdir(path) == 0 else { throw .system(attempted, errno: errno) }
        try Folder.makeNamesDurable(of: path, attempted)
    }

    /// Makes the names in a file's folder durable.
    package static func makeNamesDurable(of path: String, _ attempted: String) throws(VaultError) {
        let folder = open(Folder.path(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system(attempted, errno: errno) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw .system(attempted, errno: errno) }
    }

    /// The folder that contains a file, or would contain it.
    package static func path(of file: String) -> String { file.lastIndex(of: "/").map { String(file[...$0]) } ?? "." }

    /// The names in a folder, in no particular order.
    public static func names(in path: String) throws(VaultError) -> [String] {
        guard let folder = opendir(path) else { throw .system("read the folder \(path)", errno: errno) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
