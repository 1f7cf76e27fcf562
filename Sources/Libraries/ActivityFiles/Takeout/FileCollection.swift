import Glibc

/// A file of a folder or an archive: a label, and its bytes.
struct CollectedFile {
    /// With the folders in it, separated by slashes.
    let name: String
    /// The same, as the folder or the archive has it: names that only look the same are different files.
    let bytes: [UInt8]
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
        return CollectedFile(name: entry.name, bytes: Array(entry.name.utf8)) { () throws(ActivityFileError) in
            try archive.open(entry)
        }
    }
}

/// The files of a folder and of those in it. Links are not followed: only what lies there is read. Names are bytes, as
/// the kernel has them: not all are UTF-8.
struct FolderFiles: FileCollection {
    private let path: [UInt8]
    private let names: [[UInt8]]

    /// Folders within each other; what has more is not a takeout.
    private static let deepest = 16

    init(_ path: String, _ limits: Limits) throws(ActivityFileError) {
        self.path = Array(path.utf8)
        var names: [[UInt8]] = []
        try Self.collect(self.path, [], 0, limits, &names)
        self.names = names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func collect(
        _ path: [UInt8], _ prefix: [UInt8], _ depth: Int, _ limits: Limits, _ names: inout [[UInt8]]
    ) throws(ActivityFileError) {
        guard let folder = opendir(joined(path, prefix)) else { throw .system("read a folder", errno) }
        defer { closedir(folder) }
        var folders: [[UInt8]] = []
        while let entry = readdir(folder) {
            let own = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in Array(bytes.prefix { $0 != 0 }) }
            guard !own.elementsEqual(".".utf8), !own.elementsEqual("..".utf8) else { continue }
            let name = prefix + own
            var status = stat()
            // It may be gone meanwhile.
            guard lstat(joined(path, name), &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: folders.append(name + [UInt8(ascii: "/")])
            case S_IFREG: names.append(name)
            default: continue
            }
            guard names.count + folders.count <= limits.files else {
                throw ActivityFileError("folder", .tooMuch, "more than \(limits.files) files")
            }
        }
        guard depth < deepest else {
            throw ActivityFileError("folder", .tooMuch, "more than \(deepest) folders within each other")
        }
        for folder in folders { try collect(path, folder, depth + 1, limits, &names) }
    }

    /// A path for the kernel.
    private static func joined(_ path: [UInt8], _ name: [UInt8]) -> [CChar] {
        (path + [UInt8(ascii: "/")] + name + [0]).map { CChar(bitPattern: $0) }
    }

    var entryCount: Int { names.count }
    var budget: ZipBudget? { nil }

    func file(_ index: Int) -> CollectedFile? { names.indices.contains(index) ? collected(names[index]) : nil }

    func file(named name: String) -> CollectedFile? {
        // Only what was found in the folder: so no name leads anywhere else.
        let wanted = Array(name.utf8)
        var (low, high) = (0, names.count)
        while low < high {
            let middle = (low + high) / 2
            if names[middle].lexicographicallyPrecedes(wanted) { low = middle + 1 } else { high = middle }
        }
        return low < names.count && names[low] == wanted ? collected(wanted) : nil
    }

    private func collected(_ name: [UInt8]) -> CollectedFile {
        let path = Self.joined(path, name)
        return CollectedFile(name: String(decoding: name, as: UTF8.self), bytes: name) {
            () throws(ActivityFileError) in
            let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard file >= 0 else { throw .system("open a file", errno) }
            return FileSource(closing: file)
        }
    }
}
