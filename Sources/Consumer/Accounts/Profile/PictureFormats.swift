// How files of pictures are made of parts, and which of these belong to how a picture looks. Everything else is left out: places,
// times, names of cameras and programs, comments, smaller pictures.

extension Picture {
    typealias Found = (format: Format, width: Int, height: Int, bytes: [UInt8])

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    private static func littleNumber(_ bytes: ArraySlice<UInt8>) -> Int { number(ArraySlice(bytes.reversed())) }

    // MARK: JPEG

    /// ITU-T T.81, B.1: segments, each with a marker and its length; a frame header among them has the sides, and after the header of a
    /// scan come its pixels. Nothing after the end of the picture is kept: cameras put other pictures there.
    static func jpeg(_ bytes: [UInt8]) -> Found? {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]), bytes.suffix(2) == [0xFF, 0xD9] else { return nil }
        var index = 2
        var kept: [UInt8] = [0xFF, 0xD8]
        var sides: (width: Int, height: Int)?
        var hasPixels = false
        while index + 2 <= bytes.count, bytes[index] == 0xFF {
            let marker = bytes[index + 1]
            if marker == 0xFF {
                index += 1
                continue
            }
            if marker == 0xD9 {
                guard hasPixels, let sides else { return nil }
                return (.jpeg, sides.width, sides.height, kept + [0xFF, 0xD9])
            }
            guard index + 4 <= bytes.count else { return nil }
            let length = number(bytes[(index + 2)..<(index + 4)])
            guard length >= 2, index + 2 + length <= bytes.count else { return nil }
            let segment = bytes[index..<(index + 2 + length)]
            index += 2 + length
            switch marker {
            // Frames, without DHT, JPG and DAC, whose numbers lie between them.
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard length >= 8, sides == nil else { return nil }
                let header = segment.dropFirst(5)
                sides = (number(header.dropFirst(2).prefix(2)), number(header.prefix(2)))
                kept += segment
            case 0xDA:
                guard sides != nil else { return nil }
                hasPixels = true
                let end = endOfScan(bytes, from: index)
                kept += segment + bytes[index..<end]
                index = end
            // Markers without a length, which are not allowed here.
            case 0x00, 0x01, 0xD0...0xD8: return nil
            case 0xE0...0xEF, 0xFE: kept += looks(segment, marker)
            default: kept += segment
            }
        }
        return nil
    }

    /// Where the pixels of a scan end: at a marker that is neither a stuffed byte nor a restart.
    private static func endOfScan(_ bytes: [UInt8], from start: Int) -> Int {
        var index = start
        while index + 1 < bytes.count {
            if bytes[index] == 0xFF, bytes[index + 1] != 0x00, !(0xD0...0xD7).contains(bytes[index + 1]) { return index }
            index += 1
        }
        return bytes.count
    }

    /// What a program's own segment, or a comment, says of how the picture looks.
    private static func looks(_ segment: ArraySlice<UInt8>, _ marker: UInt8) -> [UInt8] {
        let content = segment.dropFirst(4)
        switch marker {
        // JFIF without a smaller picture; colours; which colours Adobe's programs mean.
        case 0xE0 where content.starts(with: "JFIF\0".utf8) && content.count == 14: return Array(segment)
        case 0xE2 where content.starts(with: "ICC_PROFILE\0".utf8): return Array(segment)
        case 0xEE where content.starts(with: "Adobe".utf8): return Array(segment)
        case 0xE1 where content.starts(with: "Exif\0\0".utf8):
            return orientation(Array(content.dropFirst(6))).map(segment(ofOrientation:)) ?? []
        default: return []
        }
    }

    /// How a picture is to be turned and mirrored before it is shown: 2 to 8 (Exif 2.32, 4.6.4; TIFF 6.0, 2); nil if not at all.
    private static func orientation(_ tiff: [UInt8]) -> UInt8? {
        let isBig = tiff.starts(with: "MM\0*".utf8)
        guard isBig || tiff.starts(with: "II*\0".utf8), tiff.count >= 8 else { return nil }
        func read(_ range: Range<Int>) -> Int { isBig ? number(tiff[range]) : littleNumber(tiff[range]) }
        let directory = read(4..<8)
        guard directory >= 8, directory + 2 <= tiff.count else { return nil }
        for entry in 0..<read(directory..<(directory + 2)) {
            let start = directory + 2 + 12 * entry
            guard start + 12 <= tiff.count else { return nil }
            guard read(start..<(start + 2)) == 0x0112, read((start + 2)..<(start + 4)) == 3 else { continue }
            let turn = read((start + 8)..<(start + 10))
            return (2...8).contains(turn) ? UInt8(turn) : nil
        }
        return nil
    }

    /// A segment that says this, and nothing else.
    private static func segment(ofOrientation turn: UInt8) -> [UInt8] {
        [0xFF, 0xE1, 0, 34] + Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, turn, 0, 0]
            + [0, 0, 0, 0]
    }

    // MARK: PNG

    private static let chunksOfLooks: Set<String> = [
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "bKGD", "pHYs", "acTL", "fcTL", "fdAT",
    ]

    /// ISO/IEC 15948, 5: chunks, the first with the sides, at least one with pixels, the last empty.
    static func png(_ bytes: [UInt8]) -> Found? {
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else { return nil }
        var index = 8
        var kept = Array(bytes.prefix(8))
        var sides: (width: Int, height: Int)?
        var hasPixels = false
        while index + 12 <= bytes.count {
            let length = number(bytes[index..<(index + 4)])
            guard index + 12 + length <= bytes.count else { return nil }
            let content = bytes[(index + 8)..<(index + 8 + length)]
            let name = String(decoding: bytes[(index + 4)..<(index + 8)], as: UTF8.self)
            guard (sides == nil) == (name == "IHDR") else { return nil }
            if chunksOfLooks.contains(name) { kept += bytes[index..<(index + 12 + length)] }
            index += 12 + length
            switch name {
            case "IHDR":
                guard length == 13 else { return nil }
                sides = (number(content.prefix(4)), number(content.dropFirst(4).prefix(4)))
            case "IDAT": hasPixels = true
            case "IEND":
                guard length == 0, hasPixels, index == bytes.count, let sides else { return nil }
                return (.png, sides.width, sides.height, kept)
            default: break
            }
        }
        return nil
    }

    // MARK: WebP

    /// RFC 9649: a RIFF of the file's length, and in its first chunk the sides.
    static func webp(_ bytes: [UInt8]) -> Found? {
        guard bytes.count >= 30, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8),
            littleNumber(bytes[4..<8]) == bytes.count - 8
        else { return nil }
        let length = littleNumber(bytes[16..<20])
        guard length >= 5, 20 + length + length % 2 <= bytes.count else { return nil }
        let isOnly = 20 + length + length % 2 == bytes.count
        switch String(decoding: bytes[12..<16], as: UTF8.self) {
        case "VP8 ":
            // RFC 6386, 9.1: a key frame, its start code, 14 bits a side.
            guard isOnly, length >= 10, bytes[20] & 1 == 0, bytes[23..<26] == [0x9D, 0x01, 0x2A] else { return nil }
            return (.webp, littleNumber(bytes[26..<28]) & 0x3FFF, littleNumber(bytes[28..<30]) & 0x3FFF, bytes)
        case "VP8L":
            guard isOnly, bytes[20] == 0x2F else { return nil }
            let bits = littleNumber(bytes[21..<25])
            return (.webp, bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1, bytes)
        case "VP8X":
            guard length == 10, !isOnly, let kept = extendedWebP(bytes) else { return nil }
            return (.webp, littleNumber(bytes[24..<27]) + 1, littleNumber(bytes[27..<30]) + 1, kept)
        default: return nil
        }
    }

    /// The chunks of an extended file (RFC 9649, 2.7) that belong to how it looks; nil if they do not add up.
    private static func extendedWebP(_ bytes: [UInt8]) -> [UInt8]? {
        var index = 30
        // The flags say which chunks there are: neither Exif nor XMP is left.
        var kept = Array(bytes[12..<30])
        kept[8] &= ~0x0C
        while index < bytes.count {
            guard index + 8 <= bytes.count else { return nil }
            let length = littleNumber(bytes[(index + 4)..<(index + 8)])
            let end = index + 8 + length + length % 2
            guard end <= bytes.count else { return nil }
            if ["ICCP", "ANIM", "ANMF", "ALPH", "VP8 ", "VP8L"].contains(String(decoding: bytes[index..<(index + 4)], as: UTF8.self)) {
                kept += bytes[index..<end]
            }
            index = end
        }
        let size = kept.count + 4
        return Array("RIFF".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } + Array("WEBP".utf8) + kept
    }
}
