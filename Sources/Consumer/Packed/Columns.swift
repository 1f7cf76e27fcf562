import Compression
import Telemetry

// Columns of numbers, each compressed by itself: the bytes of one kind of number have a distribution of their own, and
// zstd has one table of codes for all bytes of a frame.
//
//     column    form u8 | for 0: nothing, all numbers are 0
//                         for 1: a chunk of a byte each
//                         for 2: a chunk of half a byte each, the first of two in the high half
//               and for those two, if a number has the greatest byte or half byte, a chunk of what is
//               left of these, as varints
//     chunk     varint 2 * length + whether it is a frame of zstd's | bytes
//
// Numbers are zigzag-mapped. Half bytes are for numbers around 0, most of which need less than a bit or two: zstd has
// no code shorter than one bit, so two numbers share it.

/// Writes columns one after the other. Belongs to one thread.
struct ColumnWriter {
    private(set) var bytes: [UInt8] = []
    private let zstandard: Zstandard

    init(_ zstandard: Zstandard) { self.zstandard = zstandard }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    mutating func append(_ some: [UInt8]) { bytes += some }

    mutating func append(varint value: UInt64) { bytes.appendVarint(value) }

    mutating func append(zigzag value: Int64) { bytes.appendZigzag(value) }

    /// Appends a column, in whichever form is shorter.
    mutating func append(column numbers: [Int64]) throws(CompressionError) {
        guard numbers.contains(where: { $0 != 0 }) else { return bytes.append(0) }
        let whole = try encoded(numbers, limit: 255)
        let half = try encoded(numbers, limit: 15)
        bytes.append(half.count < whole.count ? 2 : 1)
        bytes += half.count < whole.count ? half : whole
    }

    /// - Parameter limit: the greatest byte, or half byte.
    private func encoded(_ numbers: [Int64], limit: UInt64) throws(CompressionError) -> [UInt8] {
        var plane: [UInt8] = []
        plane.reserveCapacity(numbers.count)
        var rest: [UInt8] = []
        for (index, number) in numbers.enumerated() {
            let mapped = number.zigzag
            if mapped >= limit { rest.appendVarint(mapped - limit) }
            let small = UInt8(min(mapped, limit))
            if limit == 255 || index % 2 == 0 {
                plane.append(limit == 255 ? small : small << 4)
            } else {
                plane[index / 2] |= small
            }
        }
        return try chunk(plane) + (rest.isEmpty ? [] : chunk(rest))
    }

    private func chunk(_ plain: [UInt8]) throws(CompressionError) -> [UInt8] {
        let frame = try zstandard.compress(plain)
        let isShorter = frame.count < plain.count
        let content = isShorter ? frame : plain
        var chunk: [UInt8] = []
        chunk.appendVarint(UInt64(content.count) << 1 | (isShorter ? 1 : 0))
        return chunk + content
    }
}

/// Reads what `ColumnWriter` wrote. It allocates nothing before it knows that the numbers are there or allowed.
struct ColumnReader {
    private let bytes: [UInt8]
    private var position = 0
    private let zstandard: Zstandard

    init(_ bytes: [UInt8], _ zstandard: Zstandard) {
        self.bytes = bytes
        self.zstandard = zstandard
    }

    static func malformed(_ fault: MalformedValue.Fault) -> MalformedValue { MalformedValue("packed readings", fault) }

    /// The bytes that are not read yet.
    var rest: ArraySlice<UInt8> { bytes[position...] }

    mutating func byte() throws(MalformedValue) -> UInt8 { try take(1)[position - 1] }

    mutating func take(_ count: Int) throws(MalformedValue) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.count - position else { throw Self.malformed(.truncated) }
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func varint() throws(MalformedValue) -> UInt64 {
        do throws(Varint.Fault) { return try Varint.take(from: bytes, at: &position) } catch {
            throw Self.malformed(.truncated)
        }
    }

    mutating func zigzag() throws(MalformedValue) -> Int64 { Int64(zigzag: try varint()) }

    mutating func count(_ range: ClosedRange<Int>, _ field: String) throws(MalformedValue) -> Int {
        guard let count = Int(exactly: try varint()), range.contains(count) else {
            throw Self.malformed(.outOfRange(field))
        }
        return count
    }

    /// A column of this many numbers.
    mutating func column(_ count: Int) throws(MalformedValue) -> [Int64] {
        let form = try byte()
        guard form != 0 else { return [Int64](repeating: 0, count: count) }
        guard form <= 2 else { throw Self.malformed(.unsupported("form \(form)")) }
        let limit: UInt64 = form == 1 ? 255 : 15
        let length = form == 1 ? count : (count + 1) / 2
        let plane = try chunk(atMost: length)
        guard plane.count == length else { throw Self.malformed(.truncated) }
        var numbers: [UInt64] = []
        numbers.reserveCapacity(count)
        for index in 0..<count {
            numbers.append(
                UInt64(form == 1 ? plane[index] : index % 2 == 0 ? plane[index / 2] >> 4 : plane[index / 2] & 15))
        }
        let great = numbers.indices.filter { numbers[$0] == limit }
        if !great.isEmpty {
            let rest = try chunk(atMost: great.count * 10)
            var place = 0
            for index in great {
                guard let more = try? Varint.take(from: rest, at: &place), more <= .max - limit else {
                    throw Self.malformed(.truncated)
                }
                numbers[index] = limit + more
            }
            guard place == rest.count else { throw Self.malformed(.trailingBytes(rest.count - place)) }
        }
        return numbers.map { Int64(zigzag: $0) }
    }

    private mutating func chunk(atMost limit: Int) throws(MalformedValue) -> [UInt8] {
        let head = try varint()
        guard let length = Int(exactly: head >> 1) else { throw Self.malformed(.truncated) }
        let content = try take(length)
        guard head & 1 == 1 else {
            guard length <= limit else { throw Self.malformed(.outOfRange("chunk")) }
            return Array(content)
        }
        do throws(CompressionError) { return try zstandard.decompress(content, atMost: limit) } catch {
            throw Self.malformed(.notAllowed("\(error)"))
        }
    }
}
