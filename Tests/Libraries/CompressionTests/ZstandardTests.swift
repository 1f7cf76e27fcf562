import Compression
import TestSupport
import Testing

@Suite("Zstandard")
struct ZstandardTests {
    /// Frames by RFC 8878: a header that says the length (one byte of it), and one last block.
    static let stored: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x20, 0x05, 0x29, 0x00, 0x00] + Array("hello".utf8)
    static let repeated: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x60, 0xE8, 0x02, 0x43, 0x1F, 0x00, 0x2A]

    @Test("reads frames as the standard has them")
    func vectors() throws {
        let zstandard = Zstandard()
        #expect(try zstandard.decompress(Self.stored, atMost: 5) == Array("hello".utf8))
        // A length of two bytes is told less 256; the block is one byte, repeated.
        #expect(try zstandard.decompress(Self.repeated, atMost: 1000) == [UInt8](repeating: 0x2A, count: 1000))
    }

    @Test("gives back what was compressed, at every level and length", arguments: [-5, 1, 3, 9, 19, 1000])
    func roundTrip(level: Int) throws {
        let zstandard = Zstandard(level: level)
        var generator = SeededGenerator(seed: 7)
        for length in [0, 1, 255, 256, 257, 4096, 100_000] {
            let random = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let plain = (0..<length).map { UInt8($0 / 100 % 7) }
            for bytes in [random, plain] {
                let frame = try zstandard.compress(bytes)
                #expect(try zstandard.decompress(frame, atMost: length) == bytes)
            }
            if length > 256 { #expect(try zstandard.compress(plain).count < length / 4) }
        }
    }

    @Test("refuses a frame that says it holds more than is allowed, before it is opened")
    func tooLong() throws {
        let zstandard = Zstandard()
        #expect(reason { try zstandard.decompress(Self.stored, atMost: 4) } == .tooLong)
        #expect(reason { try zstandard.decompress(Self.repeated, atMost: 999) } == .tooLong)
        // Eight bytes of length: 2^62, which nobody has.
        let huge: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0xE0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x43, 0x1F, 0x00, 0x2A]
        #expect(reason { try zstandard.decompress(huge, atMost: 1 << 20) } == .tooLong)
    }

    @Test("refuses what is not one whole frame that tells its length")
    func malformed() throws {
        let zstandard = Zstandard()
        var lying = Self.repeated
        lying[5] = 0xE7
        var boasting = Self.stored
        boasting[5] = 6
        let untold: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x00, 0x29, 0x00, 0x00] + Array("hello".utf8)
        let skippable: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 0x01, 0x00, 0x00, 0x00, 0x00]
        let dictionary: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x21, 0x07, 0x05, 0x29, 0x00, 0x00] + Array("hello".utf8)
        let frames: [[UInt8]] = [
            [], Array(Self.stored.dropLast()), Self.stored + [0], Self.stored + Self.stored, lying, boasting, untold,
            skippable, Self.stored + skippable, Array(dictionary.dropLast()),
        ]
        for frame in frames {
            #expect(reason { try zstandard.decompress(frame, atMost: 1 << 20) } == .malformed, "\(frame)")
        }
        #expect(try zstandard.decompress(Self.stored, atMost: 5) == Array("hello".utf8), "still of use afterwards")
    }

    @Test("never ends the program, nor gives more than is allowed, whatever bits are turned or cut")
    func hostile() throws {
        let zstandard = Zstandard()
        var generator = SeededGenerator(seed: 1)
        let bytes = (0..<3000).map { UInt8(truncatingIfNeeded: $0 * $0 / 50) }
        let frame = try zstandard.compress(bytes)
        var refused = 0
        for _ in 0..<5000 {
            var damaged = Array(frame.prefix(Int.random(in: 0...frame.count, using: &generator)))
            for _ in 0..<Int.random(in: 0...3, using: &generator) where !damaged.isEmpty {
                damaged[Int.random(in: damaged.indices, using: &generator)] ^=
                    1
                    << UInt8.random(
                        in: 0..<8, using: &generator)
            }
            do throws(CompressionError) {
                #expect(try zstandard.decompress(damaged, atMost: 4000).count <= 4000)
            } catch { refused += 1 }
        }
        #expect(refused > 4000)
    }

    @Test("reads from the middle of other bytes")
    func slice() throws {
        let frame = try Zstandard().compress(Array("hello".utf8))
        let among = [1, 2, 3] + frame + [4]
        #expect(try Zstandard().decompress(among[3..<(3 + frame.count)], atMost: 5) == Array("hello".utf8))
    }

    private func reason(_ body: () throws -> [UInt8]) -> CompressionError.Reason? {
        do {
            _ = try body()
            return nil
        } catch { return (error as? CompressionError)?.reason }
    }
}
