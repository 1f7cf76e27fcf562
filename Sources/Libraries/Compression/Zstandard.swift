import CZstandard

// Zstandard (RFC 8878) for rows of a database: short inputs, each a frame of its own that states its decompressed
// length.
//
// What is decompressed was sealed by its owner, but may still be damaged, or come from somebody else who has the key.
// So nobody can make it use more memory than the caller allows: the length is read from the frame and compared before
// anything is allocated, and a frame that then holds more than it says is an error. The whole result is one buffer, so
// no window of the frame's own choice is allocated either.

/// Compresses and decompresses bytes. It keeps its contexts, a few hundred kilobytes, from one call to the next: keep
/// one for as long as there is something to do. It belongs to one thread at a time, which the compiler ensures: it is
/// not `Sendable`.
public final class Zstandard {
    /// The levels that zstd knows: fast below 0, slow and dense above.
    public static var levels: ClosedRange<Int> { Int(ZSTD_minCLevel())...Int(ZSTD_maxCLevel()) }

    private let level: Int
    // Made when first needed: a caller that only reads needs only one.
    private var compressing: OpaquePointer?
    private var decompressing: OpaquePointer?

    /// One that compresses at `level`; a level outside `levels` is brought into it.
    public init(level: Int = 3) {
        self.level = min(max(level, Self.levels.lowerBound), Self.levels.upperBound)
    }

    deinit {
        ZSTD_freeCCtx(compressing)
        ZSTD_freeDCtx(decompressing)
    }

    /// One frame of `bytes`, with their number in its header and without a checksum: the caller that seals it has a
    /// better one.
    public func compress(_ bytes: [UInt8]) throws(CompressionError) -> [UInt8] {
        let context = try compressor()
        var code = 0
        let frame = bytes.withUnsafeBufferPointer { input in
            let room = ZSTD_compressBound(input.count)
            return [UInt8](unsafeUninitializedCapacity: room) { output, written in
                code = ZSTD_compress2(context, output.baseAddress, room, input.baseAddress, input.count)
                written = ZSTD_isError(code) == 0 ? code : 0
            }
        }
        try check(code, "compress", .failed)
        return frame
    }

    /// What one frame holds.
    /// - Parameter limit: how many bytes the result may have; never more than that is allocated.
    /// - Throws: `.tooLong` if it says that it holds more; `.malformed` if it is not one whole frame that says
    ///   how much it holds.
    public func decompress(_ frame: ArraySlice<UInt8>, atMost limit: Int) throws(CompressionError) -> [UInt8] {
        let length = try contentLength(of: frame, atMost: limit)
        if decompressing == nil { decompressing = ZSTD_createDCtx() }
        guard let context = decompressing else { throw CompressionError("decompress", .failed, "no memory") }
        var code = 0
        let bytes = frame.withUnsafeBufferPointer { input in
            // One byte at least: zstd takes a null pointer for no room even if none is needed.
            [UInt8](unsafeUninitializedCapacity: max(length, 1)) { output, written in
                code = ZSTD_decompressDCtx(context, output.baseAddress, length, input.baseAddress, input.count)
                written = ZSTD_isError(code) == 0 ? code : 0
            }
        }
        try check(code, "decompress", .malformed)
        guard bytes.count == length else {
            throw CompressionError("decompress", .malformed, "\(bytes.count) bytes instead of \(length)")
        }
        return bytes
    }

    /// The same for a whole array.
    public func decompress(_ frame: [UInt8], atMost limit: Int) throws(CompressionError) -> [UInt8] {
        try decompress(frame[...], atMost: limit)
    }

    /// The decompressed length that the header of a frame states.
    private func contentLength(of frame: ArraySlice<UInt8>, atMost limit: Int) throws(CompressionError) -> Int {
        // Skippable frames, which zstd takes for empty ones, begin differently.
        guard frame.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) else {
            throw CompressionError("decompress", .malformed, "no frame")
        }
        let (content, whole) = frame.withUnsafeBufferPointer { input in
            (
                ZSTD_getFrameContentSize(input.baseAddress, input.count),
                ZSTD_findFrameCompressedSize(input.baseAddress, input.count)
            )
        }
        try check(whole, "decompress", .malformed)
        // Decompressing would continue with frames that follow, which were not checked.
        guard whole == frame.count else { throw CompressionError("decompress", .malformed, "something follows") }
        // ZSTD_CONTENTSIZE_UNKNOWN and ZSTD_CONTENTSIZE_ERROR are the two greatest numbers; Swift does not import the
        // macros.
        guard content < .max - 1 else { throw CompressionError("decompress", .malformed, "the length is not stated") }
        guard let length = Int(exactly: content), length <= limit else {
            throw CompressionError("decompress", .tooLong, "\(content) bytes, but only \(limit) are allowed")
        }
        return length
    }

    private func compressor() throws(CompressionError) -> OpaquePointer {
        if let compressing { return compressing }
        guard let context = ZSTD_createCCtx() else { throw CompressionError("compress", .failed, "no memory") }
        compressing = context
        try check(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Int32(level)), "set the level", .failed)
        return context
    }

    /// Every return code of zstd passes through here.
    private func check(
        _ code: Int, _ attempted: String, _ reason: CompressionError.Reason
    ) throws(CompressionError) {
        guard ZSTD_isError(code) != 0 else { return }
        throw CompressionError(attempted, reason, String(cString: ZSTD_getErrorName(code)))
    }
}

@available(*, unavailable, message: "its contexts belong to one thread at a time")
extension Zstandard: Sendable {}

extension CompressionError {
    fileprivate init(_ attempted: String, _ reason: Reason, _ said: String) {
        self.init(attempted: attempted, reason: reason, said: said)
    }
}
