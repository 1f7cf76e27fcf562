import Glibc

// What libzip reads of an archive before it can be asked anything, looked through in advance, because its cost is the
// sender's choice (measured with libzip 1.7.3; HostileArchiveTests has such archives):
//
// - It reads a directory for every end of an archive that it finds in the last 64 KB, and there may be 3,000 of them.
// - It does not believe an end's number of entries: where the directory goes on, it reads 65,536 more, and so on.
// - It looks each name up among those before it, in a table whose hash can be made to collide: 131,072 such names,
//   an archive of 10 MB, take a minute.

/// The bytes of an archive, at any place of it.
enum ZipBytes {
    case file(CInt, size: Int)
    case memory(MemoryBlock)

    var size: Int {
        switch self {
        case .file(_, let size): size
        case .memory(let block): block.count
        }
    }

    /// Fills a buffer with the bytes from an offset on; false where there are not so many.
    func read(_ offset: Int, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        guard offset >= 0, offset <= size, size - offset >= buffer.count else { return false }
        switch self {
        case .file(let file, _):
            return pread(file, buffer.baseAddress, buffer.count, off_t(offset)) == buffer.count
        case .memory(let block):
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: block.bytes[offset..<offset + buffer.count]))
            return true
        }
    }

    /// So many bytes from an offset on; nil where there are not so many.
    fileprivate func bytes(_ offset: Int, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return bytes.withUnsafeMutableBytes { read(offset, $0) } ? bytes : nil
    }
}

/// Looks through the directories of an archive: APPNOTE.TXT 6.3.10, 4.3.12 and 4.3.14 to 4.3.16.
struct ZipDirectory {
    /// The end of an archive, its longest comment, and the pointer to its larger form: where libzip looks for ends.
    private static let tail = 22 + 65_535 + 20
    /// Bytes of one entry without its name, extra field and comment.
    private static let entrySize = 46
    /// Bytes of the directories for each file that is allowed; most entries have 100 to 200.
    private static let bytesPerFile = 512
    /// Names that may have the same lower 16 bits of libzip's hash. Of 200,000 names, about three have.
    private static let mostAlike = 2000
    /// Names that are neither ASCII nor UTF-8: libzip translates them before it makes the hash.
    private static let mostTranslated = 20_000

    private let archive: ZipBytes
    private let limits: Limits
    /// Of all directories.
    private var count = 0
    private var byteCount = 0
    private var translated = 0
    private var alike = [UInt16](repeating: 0, count: 1 << 16)

    private init(_ archive: ZipBytes, _ limits: Limits) {
        self.archive = archive
        self.limits = limits
    }

    /// - Throws: `.tooMuch` where libzip should not open the archive.
    static func check(_ archive: ZipBytes, _ limits: Limits) throws(ActivityFileError) {
        var directory = ZipDirectory(archive, limits)
        try directory.check()
    }

    private mutating func check() throws(ActivityFileError) {
        let length = min(archive.size, Self.tail)
        guard let bytes = archive.bytes(archive.size - length, length) else {
            throw ActivityFileError("ZIP", .truncated, "the archive cannot be read to its end")
        }
        for at in bytes.indices.dropLast(21) where bytes[at] == 0x50 && bytes[at + 1] == 0x4B {
            guard bytes[at + 2] == 5, bytes[at + 3] == 6 else { continue }
            var told = Int(little(bytes, at + 10, 2))
            var places = [Int(little(bytes, at + 16, 4))]
            // The larger form: its pointer lies before this record.
            if at >= 20, bytes[at - 20..<at - 16].elementsEqual([0x50, 0x4B, 6, 7]),
                let record = archive.bytes(Int(clamping: little(bytes, at - 12, 8)), 56)
            {
                told = max(told, Int(clamping: little(record, 24, 8)), Int(clamping: little(record, 32, 8)))
                let place = Int(clamping: little(record, 48, 8))
                if place != places[0] { places.append(place) }
            }
            try limit(told)
            var found = 0
            for place in places { found = max(found, try entries(at: place)) }
            count = count.plus(max(told, found))
        }
        try limit(0)
    }

    private func limit(_ more: Int) throws(ActivityFileError) {
        guard count.plus(more) <= limits.files else {
            throw ActivityFileError("ZIP", .tooMuch, "\(count.plus(more)) files; \(limits.files) are allowed")
        }
    }

    /// How many entries follow each other from an offset on.
    private mutating func entries(at offset: Int) throws(ActivityFileError) -> Int {
        // An entry and the longest name fit.
        let room = 1 << 17
        var (at, count) = (offset, 0)
        var (window, begin) = ([UInt8](), offset)
        func isInWindow(_ length: Int) -> Bool { at - begin + length <= window.count }
        while true {
            if !isInWindow(Self.entrySize) { (window, begin) = (next(at, room), at) }
            guard isInWindow(Self.entrySize) else { return count }
            guard window[(at - begin)...].starts(with: [0x50, 0x4B, 1, 2]) else { return count }
            count += 1
            try limit(count)
            let place = at - begin
            let nameLength = Int(little(window, place + 28, 2))
            let length =
                Self.entrySize + nameLength + Int(little(window, place + 30, 2)) + Int(little(window, place + 32, 2))
            byteCount += length
            guard byteCount <= limits.files.times(Self.bytesPerFile) else {
                throw ActivityFileError("ZIP", .tooMuch, at: .byte(at), "the directory is too large for its files")
            }
            if !isInWindow(Self.entrySize + nameLength) { (window, begin) = (next(at, room), at) }
            guard isInWindow(Self.entrySize + nameLength) else { return count }
            let name = at - begin + Self.entrySize
            try take(window[name..<name + nameLength], at)
            at += length
        }
    }

    private func next(_ offset: Int, _ room: Int) -> [UInt8] {
        guard offset >= 0, offset < archive.size else { return [] }
        return archive.bytes(offset, min(room, archive.size - offset)) ?? []
    }

    /// Counts a name as libzip's table has it.
    private mutating func take(_ name: ArraySlice<UInt8>, _ offset: Int) throws(ActivityFileError) {
        var hash: UInt32 = 5381
        var isASCII = true
        for byte in name {
            // libzip ends a name there.
            guard byte != 0 else { break }
            if byte >= 0x80 { isASCII = false }
            hash = hash &* 33 &+ UInt32(byte)
        }
        let isTranslated = !isASCII && String(validating: name, as: UTF8.self) == nil
        if isTranslated { translated += 1 } else { alike[Int(hash & 0xFFFF)] += 1 }
        guard translated <= Self.mostTranslated, alike[Int(hash & 0xFFFF)] <= Self.mostAlike else {
            throw ActivityFileError("ZIP", .tooMuch, at: .byte(offset), "too many names that take long to tell apart")
        }
    }

    private func little(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
