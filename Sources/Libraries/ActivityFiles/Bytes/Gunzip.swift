import CZlib

/// What a gzip file (RFC 1952) holds, all of its members one after the other. zlib checks each member's checksum.
final class GunzipSource: ByteSource {
    private let source: any ByteSource
    private let limits: Limits
    /// What this and others of an archive may hold together; nil where it is alone.
    private let budget: ZipBudget?
    private let input: UnsafeMutableRawBufferPointer
    // zlib keeps a pointer to the stream it was made with: so it has one place.
    private let stream: UnsafeMutablePointer<z_stream>
    private var hasEnded = false
    private var taken = 0
    private var given = 0

    init(_ source: any ByteSource, _ limits: Limits, _ budget: ZipBudget? = nil) throws(ActivityFileError) {
        self.source = source
        self.limits = limits
        self.budget = budget
        input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 15, alignment: 16)
        stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let code = vitals_inflate_gzip(stream)
        guard code == Z_OK else { throw ActivityFileError("gzip", .unreadable, "zlib cannot begin (\(code))") }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        input.deallocate()
    }

    /// Whether bytes begin as a gzip file with deflate does.
    static func isGzip(_ bytes: some Sequence<UInt8>) -> Bool { bytes.starts(with: [0x1F, 0x8B, 0x08]) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ActivityFileError) -> Int {
        guard !hasEnded, !buffer.isEmpty else { return 0 }
        stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(clamping: buffer.count)
        var written = 0
        while written == 0, !hasEnded {
            if stream.pointee.avail_in == 0 { try take() }
            let code = inflate(stream, Z_NO_FLUSH)
            written = buffer.count - Int(stream.pointee.avail_out)
            switch code {
            case Z_OK: break
            case Z_STREAM_END: try endMember()
            // No progress: there are more bytes to come, or there are none.
            case Z_BUF_ERROR where stream.pointee.avail_in == 0: continue
            default:
                let said = stream.pointee.msg.map { String(cString: $0) } ?? "zlib's code \(code)"
                throw ActivityFileError("gzip", .malformed, at: .byte(place), said)
            }
        }
        given += written
        guard given <= max(taken.times(limits.ratio), 1 << 20) else {
            throw ActivityFileError(
                "gzip", .tooMuch, at: .byte(place), "it grows to more than \(limits.ratio) times its size")
        }
        try budget?.use(written)
        return written
    }

    /// How far the compressed bytes were read.
    private var place: Int { taken - Int(stream.pointee.avail_in) }

    private func take() throws(ActivityFileError) {
        let count = try source.read(into: input)
        guard count > 0 else {
            throw ActivityFileError("gzip", .truncated, at: .byte(taken), "the file ends within a member")
        }
        taken += count
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = UInt32(count)
    }

    /// Another member may follow; anything else that follows is left, as gzip(1) leaves it.
    private func endMember() throws(ActivityFileError) {
        if stream.pointee.avail_in == 0 {
            let count = try source.read(into: input)
            taken += count
            stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_in = UInt32(count)
        }
        guard stream.pointee.avail_in > 0, stream.pointee.next_in.pointee == 0x1F else {
            hasEnded = true
            return
        }
        inflateReset(stream)
    }
}
