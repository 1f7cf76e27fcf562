import Glibc

/// Bytes that come one after the other: of a file, of memory, of a compressed file.
protocol ByteSource: AnyObject {
    /// Puts the next bytes into a buffer.
    /// - Returns: how many; 0 at the end, and then always.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ActivityFileError) -> Int
}

/// The bytes of an open file.
final class FileSource: ByteSource {
    private let file: CInt

    /// Reads a file from its beginning, and closes it in the end.
    init(closing file: CInt) { self.file = file }

    deinit { close(file) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ActivityFileError) -> Int {
        while true {
            let count = Glibc.read(file, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw .system("read the file", errno) }
        }
    }
}

/// Bytes in memory.
final class MemorySource: ByteSource {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let part = rest.prefix(buffer.count)
        rest = rest.dropFirst(part.count)
        part.withUnsafeBytes { buffer.copyMemory(from: $0) }
        return part.count
    }
}

extension ActivityFileError {
    /// What the kernel said.
    static func system(_ attempted: String, _ number: CInt) -> ActivityFileError {
        ActivityFileError("file", .unreadable, "could not \(attempted): \(String(cString: strerror(number)))")
    }
}

/// Bytes outside Swift's arrays, for a library that keeps a pointer to them. They go with the value.
final class MemoryBlock {
    private(set) var start: UnsafeMutableRawPointer
    private(set) var count = 0
    private var room: Int

    /// All bytes that are left of a stream, where there are at most so many.
    init(_ stream: ByteStream, atMost limit: Int) throws(ActivityFileError) {
        room = 1 << 16
        guard let start = malloc(room) else { throw .system("read a file", ENOMEM) }
        self.start = start
        while let piece = try stream.next() {
            guard count + piece.count <= limit else {
                throw ActivityFileError("file", .tooMuch, at: .byte(limit), "more than \(limit) bytes")
            }
            try append(piece)
        }
    }

    deinit { free(start) }

    private func append(_ piece: UnsafeRawBufferPointer) throws(ActivityFileError) {
        if count + piece.count > room {
            room = max(room * 3 / 2, count + piece.count)
            guard let larger = realloc(start, room) else { throw .system("read a file", ENOMEM) }
            start = larger
        }
        if let base = piece.baseAddress { memcpy(start + count, base, piece.count) }
        count += piece.count
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
    var changeableBytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: start, count: count) }
}

/// Bytes of a source, piece by piece, with a look at the first of them, and no more than are allowed.
final class ByteStream: ByteSource {
    private let source: any ByteSource
    private let limit: Int
    private let buffer: UnsafeMutableRawBufferPointer
    /// What is in the buffer and was not given out yet.
    private var waiting = 0..<0
    private var given = 0
    private var hasEnded = false
    /// What went wrong behind what waits.
    private var fault: ActivityFileError?

    /// - Parameter limit: how many bytes there may be.
    init(_ source: any ByteSource, atMost limit: Int) {
        self.source = source
        self.limit = limit
        buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// The first bytes, at most so many, without taking them.
    func peek(_ count: Int) throws(ActivityFileError) -> [UInt8] {
        precondition(given == 0 && count <= buffer.count, "only the beginning can be looked at")
        while waiting.count < count, !hasEnded { try fill() }
        return Array(buffer[waiting.prefix(count)])
    }

    /// The next bytes, valid until the next call; nil at the end.
    func next() throws(ActivityFileError) -> UnsafeRawBufferPointer? {
        if waiting.isEmpty {
            waiting = 0..<0
            // Some sources give a byte at a time, such as a gzip file with a member for each; and a parser that is fed
            // with single bytes looks through all that it has for each of them.
            while !hasEnded, waiting.count < buffer.count / 2 { try fill() }
            guard !waiting.isEmpty else {
                if let fault { throw fault }
                return nil
            }
        }
        let piece = UnsafeRawBufferPointer(rebasing: buffer[waiting])
        given += piece.count
        guard given <= limit else {
            throw ActivityFileError("file", .tooMuch, at: .byte(limit), "more than \(limit) bytes")
        }
        waiting = waiting.upperBound..<waiting.upperBound
        return piece
    }

    /// Leaves out bytes that `peek` has shown.
    func drop(_ count: Int) {
        given += count
        waiting = waiting.lowerBound + min(count, waiting.count)..<waiting.upperBound
    }

    /// All bytes that are left, where there are at most so many.
    func all(atMost limit: Int) throws(ActivityFileError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try next() {
            guard bytes.count + piece.count <= limit else {
                throw ActivityFileError("file", .tooMuch, at: .byte(limit), "more than \(limit) bytes")
            }
            bytes.append(contentsOf: piece)
        }
        return bytes
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ActivityFileError) -> Int {
        guard let piece = try next() else { return 0 }
        let count = min(piece.count, buffer.count)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: piece[..<count]))
        // What was not taken is still there.
        waiting = waiting.upperBound - (piece.count - count)..<waiting.upperBound
        given -= piece.count - count
        return count
    }

    private func fill() throws(ActivityFileError) {
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer[waiting.upperBound...])
        guard !room.isEmpty else { return }
        var count = 0
        do throws(ActivityFileError) { count = try source.read(into: room) } catch {
            // What came before can still be used.
            guard !waiting.isEmpty else { throw error }
            fault = error
        }
        if count == 0 { hasEnded = true }
        waiting = waiting.lowerBound..<waiting.upperBound + count
    }
}
