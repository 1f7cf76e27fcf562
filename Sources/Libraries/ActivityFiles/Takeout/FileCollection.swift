import Glibc

/// A file of a folder or an archive: a label, and its bytes.
struct CollectedFile {
    /// With the folders in it, separated by slashes.
    let name: String
    let open: () throws(ActivityFileError) -> any ByteSource
}

/// Files that belong together.
protocol FileCollection {
    /// How many entries there are; some of them are no files.
    var entryCount: Int { get }
    /// The file of an index; nil where there is none.
    func file(_ index: Int) -> CollectedFile?
    /// The file of a name, exactly as `file` gave it.
    func file(named name: String) -> CollectedFile?
    /// What archives within this one may hold; nil where that is not counted yet.
    var budget: ZipBudget? { get }
}

/// The files of an archive.
struct ArchivedFiles: FileCollection {
    let archive: ZipArchive

    var entryCount: Int { Int(clamping: archive.count) }
    var budget: ZipBudget? { archive.budget }

    func file(_ index: Int) -> CollectedFile? { archive.entry(UInt64(index)).flatMap(collected) }
    func file(named name: String) -> CollectedFile? { archive.entry(named: name).flatMap(collected) }

    private func collected(_ entry: ZipArchive.Entry) -> CollectedFile? {
        guard !entry.isFolder else { return nil }
        return CollectedFile(name: entry.name) { () throws(ActivityFileError) in try archive.open(entry) }
    }
}

/// The files of a folder and of those in it. Links are not followed: only what lies there is read.
struct FolderFiles: FileCollection {
    private let path: String
    private let names: [String]

    /// Folders within each other, and then it is no takeout any more.
    private static let deepest = 16

    init(_ path: String, _ limits: Limits) throws(ActivityFileError) {
        self.path = path
        var names: [String] = []
        try Self.collect(path, "", 0, limits, &names)
        self.names = names.sorted()
    }

    private static func collect(
        _ path: String, _ prefix: String, _ depth: Int, _ limits: Limits, _ names: inout [String]
    ) throws(ActivityFileError) {
        guard let folder = opendir("\(path)/\(prefix)") else { throw .system("read a folder", errno) }
        var folders: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name != ".", name != ".." else { continue }
            var status = stat()
            guard lstat("\(path)/\(prefix)\(name)", &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: folders.append("\(prefix)\(name)/")
            case S_IFREG: names.append("\(prefix)\(name)")
            default: continue
            }
            guard names.count + folders.count <= limits.files else {
                closedir(folder)
                throw ActivityFileError("folder", .tooMuch, "more than \(limits.files) files")
            }
        }
        closedir(folder)
        guard depth < deepest else {
            throw ActivityFileError("folder", .tooMuch, "more than \(deepest) folders within each other")
        }
        for folder in folders { try collect(path, folder, depth + 1, limits, &names) }
    }

    var entryCount: Int { names.count }
    var budget: ZipBudget? { nil }

    func file(_ index: Int) -> CollectedFile? { names.indices.contains(index) ? collected(names[index]) : nil }

    func file(named name: String) -> CollectedFile? {
        // Only what was found in the folder: so no name leads anywhere else.
        var (low, high) = (0, names.count)
        while low < high {
            let middle = (low + high) / 2
            if names[middle] < name { low = middle + 1 } else { high = middle }
        }
        // Names that only look the same are different files.
        guard low < names.count, names[low].utf8.elementsEqual(name.utf8) else { return nil }
        return collected(names[low])
    }

    private func collected(_ name: String) -> CollectedFile {
        CollectedFile(name: name) { () throws(ActivityFileError) in
            let file = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard file >= 0 else { throw .system("open a file", errno) }
            return FileSource(closing: file)
        }
    }
}
