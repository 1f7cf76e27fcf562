import FoundationEssentials
import Telemetry

// A person's picture: it is small, and really is what it claims to be. It is recognised by its bytes, its parts have to
// add up to the whole, and its sides are read from its header, before anybody's decoder sees it: a few bytes could
// spell a picture of gigabytes.

/// A picture in one of three formats.
struct Picture: Equatable {
    enum Format: String, CaseIterable {
        case jpeg = "image/jpeg"
        case png = "image/png"
        case webp = "image/webp"
    }

    let bytes: [UInt8]
    let format: Format
    /// Pixels.
    let width: Int
    let height: Int

    /// Bytes.
    static let maximumLength = 32 * 1024
    /// Pixels of a side.
    static let maximumSide = 1024
    /// The same in base64, with room for the rest of the request.
    static let maximumRequestLength = maximumLength / 3 * 4 + 1024

    /// The picture in a request's field "picture", in base64.
    init(_ fields: JSON) throws(ReplyError) {
        func refusal(_ code: ReplyError.Code, _ message: String) -> ReplyError {
            ReplyError(code, message, field: "picture")
        }
        guard let value = present("picture", fields) else { throw refusal(.badRequest, "\"picture\" is missing") }
        let text = try requireText(value, "picture")
        guard !text.isEmpty else { throw refusal(.invalid, "Choose a picture") }
        guard let data = Data(base64Encoded: text) else { throw refusal(.invalid, "The picture is not base64") }
        guard data.count <= Self.maximumLength else {
            throw refusal(.invalid, "A picture has at most \(Self.maximumLength / 1024) KiB")
        }
        guard let picture = Picture(Array(data)) else {
            throw refusal(.invalid, "A picture is a whole JPEG, PNG or WebP")
        }
        guard (1...Self.maximumSide).contains(picture.width), (1...Self.maximumSide).contains(picture.height) else {
            throw refusal(.invalid, "A picture has at most \(Self.maximumSide) pixels a side")
        }
        self = picture
    }

    /// The picture in the bytes; nil if they are no picture, or not the whole of one.
    init?(_ bytes: [UInt8]) {
        guard let found = Self.jpeg(bytes) ?? Self.png(bytes) ?? Self.webp(bytes) else { return nil }
        self.bytes = bytes
        (format, width, height) = found
    }

    /// The picture as it is kept and shown.
    var json: JSON {
        guard case .object(let members) = description else { return description }
        return .object(members + [JSON.Member("picture", .string(Data(bytes).base64EncodedString()))])
    }

    /// Its format and size, without the bytes.
    var description: JSON {
        [
            "type": .string(format.rawValue), "width": .integer(Int64(width)), "height": .integer(Int64(height)),
        ]
    }
}

extension Picture {
    private typealias Found = (Format, width: Int, height: Int)

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    private static func littleNumber(_ bytes: ArraySlice<UInt8>) -> Int { number(ArraySlice(bytes.reversed())) }

    /// ITU-T T.81, B.1: segments, each with a marker and its length, up to the scan; a frame header among them has the
    /// sides.
    private static func jpeg(_ bytes: [UInt8]) -> Found? {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]), bytes.suffix(2) == [0xFF, 0xD9] else { return nil }
        var index = 2
        var sides: (width: Int, height: Int)?
        while index + 4 <= bytes.count, bytes[index] == 0xFF {
            let marker = bytes[index + 1]
            if marker == 0xFF {
                index += 1
                continue
            }
            let length = number(bytes[(index + 2)..<(index + 4)])
            guard length >= 2, index + 2 + length <= bytes.count else { return nil }
            switch marker {
            // Frames, without DHT, JPG and DAC, whose numbers lie between them.
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard length >= 8, sides == nil else { return nil }
                sides = (number(bytes[(index + 7)..<(index + 9)]), number(bytes[(index + 5)..<(index + 7)]))
            case 0xDA: return sides.map { (.jpeg, $0.width, $0.height) }
            // Markers without a length, which are not allowed here.
            case 0x00, 0x01, 0xD0...0xD9: return nil
            default: break
            }
            index += 2 + length
        }
        return nil
    }

    /// ISO/IEC 15948, 5: chunks, the first with the sides, at least one with pixels, the last empty.
    private static func png(_ bytes: [UInt8]) -> Found? {
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else { return nil }
        var index = 8
        var sides: (width: Int, height: Int)?
        var hasPixels = false
        while index + 12 <= bytes.count {
            let length = number(bytes[index..<(index + 4)])
            guard index + 12 + length <= bytes.count else { return nil }
            let content = bytes[(index + 8)..<(index + 8 + length)]
            let name = String(decoding: bytes[(index + 4)..<(index + 8)], as: UTF8.self)
            guard (sides == nil) == (name == "IHDR") else { return nil }
            index += 12 + length
            switch name {
            case "IHDR":
                guard length == 13 else { return nil }
                sides = (number(content.prefix(4)), number(content.dropFirst(4).prefix(4)))
            case "IDAT": hasPixels = true
            case "IEND":
                guard length == 0, hasPixels, index == bytes.count else { return nil }
                return sides.map { (.png, $0.width, $0.height) }
            default: break
            }
        }
        return nil
    }

    /// RFC 9649: a RIFF of the file's length, and in its first chunk the sides.
    private static func webp(_ bytes: [UInt8]) -> Found? {
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
            return (.webp, littleNumber(bytes[26..<28]) & 0x3FFF, littleNumber(bytes[28..<30]) & 0x3FFF)
        case "VP8L":
            guard isOnly, bytes[20] == 0x2F else { return nil }
            let bits = littleNumber(bytes[21..<25])
            return (.webp, bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        case "VP8X":
            guard length == 10, !isOnly else { return nil }
            return (.webp, littleNumber(bytes[24..<27]) + 1, littleNumber(bytes[27..<30]) + 1)
        default: return nil
        }
    }
}
