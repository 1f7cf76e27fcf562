import Telemetry
import Testing

@Suite("Varint")
struct VarintTests {
    private func taken(_ bytes: [UInt8]) -> Result<UInt64, Varint.Fault> {
        var position = 0
        return Result { () throws(Varint.Fault) in try Varint.take(from: bytes, at: &position) }
    }

    @Test(
        "has as few bytes as it takes",
        arguments: [
            (0, [0]), (1, [1]), (127, [0x7F]), (128, [0x80, 1]), (300, [0xAC, 2]), (16_383, [0xFF, 0x7F]),
            (16_384, [0x80, 0x80, 1]), (.max, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
        ] as [(UInt64, [UInt8])])
    func shortest(value: UInt64, bytes: [UInt8]) {
        var written: [UInt8] = []
        written.appendVarint(value)
        #expect(written == bytes)
        #expect(taken(bytes) == .success(value))
    }

    @Test("of each length and its neighbours comes back, with what follows left alone")
    func thereAndBack() throws {
        for shift in UInt64(0)..<64 {
            for value in [1 << shift &- 1, 1 << shift, 1 << shift | 1] as [UInt64] {
                var bytes: [UInt8] = []
                bytes.appendVarint(value)
                let slice = ([7] + bytes + [0xFF])[1...]
                var position = slice.startIndex
                let back = try Varint.take(from: slice, at: &position)
                #expect(back == value)
                #expect(position == 1 + bytes.count)
            }
        }
    }

    @Test("may be longer than it needs, up to ten bytes")
    func overlong() {
        let zeros = [UInt8](repeating: 0x80, count: 8)
        #expect(taken([0x80, 0]) == .success(0))
        #expect(taken([0xAC, 0x82, 0x80, 0]) == .success(300))
        #expect(taken([0x85] + zeros + [0]) == .success(5))
        #expect(taken([0x85] + zeros + [0x80, 0]) == .failure(.tooLong))
        #expect(taken([0x85] + zeros + [0x81, 0]) == .failure(.tooLong))
    }

    @Test("is refused if its bytes end within it")
    func truncated() {
        #expect(taken([]) == .failure(.truncated))
        for count in 1...9 {
            #expect(taken([UInt8](repeating: 0xFF, count: count)) == .failure(.truncated), "\(count) bytes")
        }
    }

    @Test("is refused if it has more than 64 bits", arguments: [2, 3, 0x7F, 0x82, 0xFF] as [UInt8])
    func tooLarge(last: UInt8) {
        #expect(taken([UInt8](repeating: 0xFF, count: 9) + [last]) == .failure(.tooLarge))
    }

    @Test(
        "has signed integers near 0 in one byte",
        arguments: [(0, 0), (-1, 1), (1, 2), (-2, 3), (63, 126), (-64, 127), (.max, .max - 1), (.min, .max)]
            as [(Int64, UInt64)])
    func zigzag(value: Int64, mapped: UInt64) {
        #expect(value.zigzag == mapped)
        #expect(Int64(zigzag: mapped) == value)
        var bytes: [UInt8] = []
        bytes.appendZigzag(value)
        #expect(taken(bytes) == .success(mapped))
    }
}
