import Foundation
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@testable import Accounts

@Suite("A picture")
struct PictureTests {
    /// The smallest files of their kinds, made by hand after the formats' documents.

    static func png(_ width: UInt32 = 3, _ height: UInt32 = 2) -> [UInt8] {
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            big(UInt32(content.count)) + Array(name.utf8) + content + [0, 0, 0, 0]
        }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", big(width) + big(height) + [8, 0, 0, 0, 0])
            + chunk("IDAT", [1, 2, 3]) + chunk("IEND", [])
    }

    static func webp(_ name: String, _ content: [UInt8], more: [UInt8] = []) -> [UInt8] {
        let chunk =
            Array(name.utf8) + little(UInt32(content.count)) + content + (content.count % 2 == 1 ? [0] : []) + more
        return Array("RIFF".utf8) + little(UInt32(chunk.count + 4)) + Array("WEBP".utf8) + chunk
    }

    static let lossy = webp("VP8 ", [0x10, 0, 0, 0x9D, 1, 0x2A, 3, 0, 2, 0, 9, 9])
    static let lossless = webp("VP8L", [0x2F, 2, 0x40, 0, 0, 9, 9, 9, 9, 9])
    static let extended = webp("VP8X", [0, 0, 0, 0, 2, 0, 0, 1, 0, 0], more: Array("VP8L".utf8) + little(2) + [1, 2])

    static func big(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
    static func little(_ number: UInt32) -> [UInt8] { big(number).reversed() }

    static let whole: [(String, [UInt8])] = [
        ("image/jpeg", smallestJPEG()), ("image/png", png()), ("image/webp", lossy), ("image/webp", lossless),
        ("image/webp", extended),
    ]

    @Test("is recognised by its bytes, with its sides", arguments: whole)
    func recognised(type: String, bytes: [UInt8]) throws {
        let fields: JSON = ["picture": .string(Data(bytes).base64EncodedString())]
        let picture = try Picture(fields)
        #expect(picture.format.rawValue == type && picture.width == 3 && picture.height == 2)
        #expect(picture.json["picture"] == fields["picture"] && picture.json["type"] == .string(type))
        #expect(picture.description["picture"] == nil)
    }

    @Test("is whole, or none; and nothing in it ends the process", arguments: whole)
    func damaged(type: String, bytes: [UInt8]) {
        for length in 0..<bytes.count { #expect(Picture(Array(bytes.prefix(length))) == nil) }
        #expect(Picture(bytes + [0]) == nil)
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<5000 {
            var damaged = bytes
            for _ in 0..<2 {
                damaged[Int.random(in: 0..<damaged.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = Picture(damaged)
        }
    }

    // MARK: What it says besides

    /// A segment of a program's own, or a comment.
    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)] + content
    }

    /// Exif with an orientation and a place, in either order of bytes.
    static func exif(turn: UInt8, isBig: Bool) -> [UInt8] {
        func short(_ number: UInt8) -> [UInt8] { isBig ? [0, number] : [number, 0] }
        func long(_ number: UInt8) -> [UInt8] { isBig ? [0, 0, 0, number] : [number, 0, 0, 0] }
        let place = (isBig ? [0x88, 0x25] : [0x25, 0x88]) + short(4) + long(1) + long(40)
        let orientation = (isBig ? [0x01, 0x12] : [0x12, 0x01]) + short(3) + long(1) + short(turn) + [0, 0]
        let header = Array(isBig ? "Exif\0\0MM\0*".utf8 : "Exif\0\0II*\0".utf8)
        return segment(0xE1, header + long(8) + short(2) + place + orientation + long(0) + Array("N 52.5 E 13.4".utf8))
    }

    @Test("keeps how it looks, and nothing of where, when and with what it was taken", arguments: [true, false])
    func stripped(isBig: Bool) throws {
        let plain = smallestJPEG()
        let colours = Self.segment(0xE2, Array("ICC_PROFILE\0colours".utf8))
        let adobe = Self.segment(0xEE, Array("Adobe colours".utf8))
        let said = [
            Self.exif(turn: 6, isBig: isBig), Self.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0N 52.5".utf8)),
            Self.segment(0xED, Array("Photoshop 3.0\0Ada".utf8)), Self.segment(0xFE, Array("N 52.5".utf8)),
            Self.segment(0xE2, Array("MPF\0another".utf8)),
        ].flatMap { $0 }
        let (start, rest) = (Array(plain.prefix(2)), Array(plain.dropFirst(2)))
        let given: [[UInt8]] = [start, said, colours, adobe, rest, plain]
        let found = try #require(Picture(Array(given.joined())))
        let entry: [[UInt8]] = [
            Array("Exif\0\0MM\0*".utf8), Self.big(8), [0, 1, 1, 0x12, 0, 3], Self.big(1), [0, 6, 0, 0], Self.big(0),
        ]
        let turned = Self.segment(0xE1, Array(entry.joined()))
        let kept: [[UInt8]] = [start, turned, colours, adobe, rest]
        #expect(found.bytes == Array(kept.joined()))
        #expect(found.width == 3 && found.height == 2)
        #expect(Picture(found.bytes)?.bytes == found.bytes)
        let upright: [[UInt8]] = [start, Self.exif(turn: 1, isBig: isBig), rest]
        #expect(Picture(Array(upright.joined()))?.bytes == plain)
    }

    @Test("a PNG and a WebP keep no texts and no Exif either")
    func strippedChunks() throws {
        let plain = Self.png()
        let text = Self.big(6) + Array("tEXtN 52.5".utf8) + [0, 0, 0, 0]
        let place = Self.big(6) + Array("eXIfN 52.5".utf8) + [0, 0, 0, 0]
        let given: [[UInt8]] = [Array(plain.prefix(33)), text, place, Array(plain.dropFirst(33))]
        #expect(Picture(Array(given.joined()))?.bytes == plain)
        let pixels = Array("VP8L".utf8) + Self.little(2) + [1, 2]
        let place8 = Array("EXIF".utf8) + Self.little(7) + Array("N 52.5!".utf8) + [0]
        let words = Array("XMP ".utf8) + Self.little(6) + Array("N 52.5".utf8)
        let picture = Picture(Self.webp("VP8X", [0x1C, 0, 0, 0, 2, 0, 0, 1, 0, 0], more: pixels + place8 + words))
        #expect(picture?.bytes == Self.webp("VP8X", [0x10, 0, 0, 0, 2, 0, 0, 1, 0, 0], more: pixels))
    }

    @Test("is refused with what is wrong")
    func refused() {
        func refusal(_ value: JSON?) -> ReplyError? {
            do throws(ReplyError) {
                _ = try Picture(.object(present: ["picture": value]))
                return nil
            } catch {
                return error
            }
        }
        func invalid(_ words: String) -> ReplyError { ReplyError(.invalid, words, field: "picture") }
        func base64(_ bytes: [UInt8]) -> JSON { .string(Data(bytes).base64EncodedString()) }
        #expect(refusal(nil) == ReplyError(.badRequest, "\"picture\" is missing", field: "picture"))
        #expect(refusal(7) == ReplyError(.badRequest, "\"picture\" must be text", field: "picture"))
        #expect(refusal("") == invalid("Choose a picture"))
        #expect(refusal("no base64!") == invalid("The picture is not base64"))
        #expect(refusal(base64(Array("GIF89a and so on".utf8))) == invalid("A picture is a whole JPEG, PNG or WebP"))
        #expect(
            refusal(base64(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)))
                == invalid("A picture is a whole JPEG, PNG or WebP"))
        let filling = [UInt8](repeating: 1, count: Picture.maximumLength)
        let large = Array(smallestJPEG().dropLast(2)) + filling + [0xFF, 0xD9]
        #expect(refusal(base64(large)) == invalid("A picture has at most 32 KiB"))
        let sides = invalid("A picture has at most 1024 pixels a side")
        let (wide, flat) = (smallestJPEG(1025, 2), smallestJPEG(3, 0))
        for bytes in [wide, flat, Self.png(3, 1025), Self.png(0, 2), Self.png(.max, .max)] {
            #expect(refusal(base64(bytes)) == sides)
        }
        #expect(refusal(base64(Self.png(1024, 1024))) == nil)
    }
}
