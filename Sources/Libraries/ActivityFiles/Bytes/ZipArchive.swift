import CZip
import Glibc

// Archives of people who are not known. What an archive says about itself is not believed: names are only labels, and
// never paths; sizes are counted while bytes come. libzip reads the whole directory of an archive into memory before it
// can be asked anything, so that is looked through first: see `ZipDirectory`.

/// An archive with files, read by libzip.
final class ZipArchive {
    /// A file in an archive.
    struct Entry {
        let index: UInt64
        /// Its name with folders. Not a path.
        let name: String
        /// Bytes in the archive: what it says, and no more than it has.
        let compressedSize: Int
        let isFolder: Bool
        let isEncrypted: Bool
        /// Whether it is compressed in one of the two usual ways.
        let isKnown: Bool
    }

    private let archive: OpaquePointer
    /// Bytes of the archive itself.
    private let size: Int
    private let limits: Limits
    /// libzip reads from here for as long as the archive is open.
    private let block: MemoryBlock?
    /// What all files of this archive may still hold together; shared with archives within it.
    let budget: ZipBudget

    /// The archive in an open file, which is closed in any case.
    convenience init(closing file: CInt, _ limits: Limits) throws(ActivityFileError) {
        var status = stat()
        guard fstat(file, &status) == 0 else {
            let number = errno
            close(file)
            throw .system("read the archive", number)
        }
        let size = Int(status.st_size)
        do throws(ActivityFileError) { try ZipDirectory.check(.file(file, size: size), limits) } catch {
            close(file)
            throw error
        }
        var code: CInt = 0
        guard let archive = zip_fdopen(file, 0, &code) else {
            close(file)
            throw Self.fault(code)
        }
        self.init(archive, size, limits, ZipBudget(limits, size))
    }

    /// An archive in memory, such as one within another.
    /// - Parameter budget: that of the archive around it; nil where there is none.
    convenience init(_ block: MemoryBlock, _ limits: Limits, _ budget: ZipBudget?) throws(ActivityFileError) {
        try ZipDirectory.check(.memory(block), limits)
        var error = zip_error_t()
        guard let source = zip_source_buffer_create(block.start, UInt64(block.count), 0, &error) else {
            throw Self.fault(error.zip_err)
        }
        guard let archive = zip_open_from_source(source, ZIP_RDONLY, &error) else {
            zip_source_free(source)
            throw Self.fault(error.zip_err)
        }
        self.init(archive, block.count, limits, budget ?? ZipBudget(limits, block.count), block)
    }

    private init(
        _ archive: OpaquePointer, _ size: Int, _ limits: Limits, _ budget: ZipBudget, _ block: MemoryBlock? = nil
    ) {
        self.archive = archive
        self.size = size
        self.limits = limits
        self.budget = budget
        self.block = block
    }

    deinit { zip_discard(archive) }

    /// Whether bytes begin as an archive does, an empty one included.
    static func isZip(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6])
    }

    /// How many files and folders there are.
    var count: UInt64 { UInt64(clamping: zip_get_num_entries(archive, 0)) }

    /// The file or folder of an index; nil where the archive does not say what it is. A name that is not UTF-8 is
    /// taken for one in code page 437, as the format has it.
    func entry(_ index: UInt64) -> Entry? {
        var status = zip_stat_t()
        guard zip_stat_index(archive, index, UInt32(ZIP_FL_ENC_GUESS), &status) == 0, let raw = status.name else {
            return nil
        }
        // Names have at most 65,535 bytes.
        let name = String(cString: raw)
        return Entry(
            index: index, name: name, compressedSize: min(Int(clamping: status.comp_size), size),
            isFolder: name.hasSuffix("/"),
            isEncrypted: status.encryption_method != 0,
            // Stored and deflated. Others may ask for gigabytes before the first byte comes.
            isKnown: [0, 8].contains(status.comp_method))
    }

    /// The file of a name, exactly as `entry` gave it.
    func entry(named name: String) -> Entry? {
        let index = zip_name_locate(archive, name, UInt32(ZIP_FL_ENC_GUESS))
        return index < 0 ? nil : entry(UInt64(index))
    }

    /// What a file holds.
    func open(_ entry: Entry) throws(ActivityFileError) -> ZipEntrySource {
        guard !entry.isEncrypted else { throw ActivityFileError("ZIP", .unsupported, "the file is encrypted") }
        guard entry.isKnown else {
            throw ActivityFileError("ZIP", .unsupported, "the file is compressed in a rare way")
        }
        guard let file = zip_fopen_index(archive, entry.index, 0) else {
            throw Self.fault(zip_error_code_zip(zip_get_error(archive)))
        }
        return ZipEntrySource(file, self, entry.compressedSize, limits)
    }

    fileprivate static func fault(_ code: CInt) -> ActivityFileError {
        var error = zip_error_t()
        zip_error_init_with_code(&error, code)
        defer { zip_error_fini(&error) }
        let reason: ActivityFileError.Reason =
            switch Int32(code) {
            case ZIP_ER_READ, ZIP_ER_SEEK, ZIP_ER_OPEN, ZIP_ER_MEMORY: .unreadable
            case ZIP_ER_EOF: .truncated
            case ZIP_ER_COMPNOTSUPP, ZIP_ER_ENCRNOTSUPP, ZIP_ER_OPNOTSUPP: .unsupported
            default: .malformed
            }
        return ActivityFileError("ZIP", reason, String(cString: zip_error_strerror(&error)))
    }
}

/// What files of an archive, and of those within it, may hold together.
final class ZipBudget {
    private let most: Int
    private let ratio: Int
    private let archiveSize: Int
    private var used = 0

    /// - Parameter archiveSize: how large the outermost archive is. Entries may overlap in it, so that each of them is
    ///   modest, and all together are not.
    init(_ limits: Limits, _ archiveSize: Int) {
        most = limits.archiveBytes
        ratio = limits.ratio
        self.archiveSize = archiveSize
    }

    func use(_ count: Int) throws(ActivityFileError) {
        used += count
        guard used <= most else {
            throw ActivityFileError("ZIP", .tooMuch, "the archive's files hold more than \(most) bytes")
        }
        guard used <= max(1 << 24, archiveSize.times(ratio)) else {
            throw ActivityFileError("ZIP", .tooMuch, "the archive grows to more than \(ratio) times its size")
        }
    }

    /// Whether nothing more may be read.
    var isUsedUp: Bool { used > most || used > max(1 << 24, archiveSize.times(ratio)) }
}

/// The bytes of one file of an archive. libzip checks their checksum at the end.
final class ZipEntrySource: ByteSource {
    private let file: OpaquePointer
    /// Keeps it open.
    private let archive: ZipArchive
    private let most: Int
    private let ratio: Int
    private var given = 0

    fileprivate init(_ file: OpaquePointer, _ archive: ZipArchive, _ compressedSize: Int, _ limits: Limits) {
        self.file = file
        self.archive = archive
        ratio = limits.ratio
        most = max(1 << 20, compressedSize.times(limits.ratio))
    }

    deinit { zip_fclose(file) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ActivityFileError) -> Int {
        guard let start = buffer.baseAddress else { return 0 }
        let count = zip_fread(file, start, UInt64(buffer.count))
        guard count >= 0 else {
            throw ZipArchive.fault(zip_error_code_zip(zip_file_get_error(file)))
        }
        given += Int(count)
        guard given <= most else {
            throw ActivityFileError(
                "ZIP", .tooMuch, at: .byte(given), "the file grows to more than \(ratio) times its size")
        }
        try archive.budget.use(Int(count))
        return Int(count)
    }
}
