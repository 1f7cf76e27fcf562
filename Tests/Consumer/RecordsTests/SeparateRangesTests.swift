import Records
import TestSupport
import Testing

@Suite("Separate ranges", .timeLimit(.minutes(60)))
struct SeparateRangesTests {
    private func ranges(_ some: Range<Int64>...) -> SeparateRanges { SeparateRanges(some) }

    @Test("are one range where they overlap or touch, and stay apart otherwise")
    func merged() {
        #expect(ranges(0..<2, 4..<6).ranges == [0..<2, 4..<6])
        #expect(ranges(4..<6, 0..<2).ranges == [0..<2, 4..<6])
        #expect(ranges(0..<2, 2..<4).ranges == [0..<4])
        #expect(ranges(0..<2, 4..<6, 8..<10, 1..<9).ranges == [0..<10])
        #expect(ranges(0..<10, 2..<3).ranges == [0..<10])
        #expect(ranges(0..<2, 5..<5).ranges == [0..<2])
    }

    @Test("contain what was put in and nothing else, whatever the order", arguments: 0..<8)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (ranges, plain) = (SeparateRanges(), Set<Int64>())
        for _ in 0..<60 {
            let from = Int64.random(in: -200..<200, using: &generator)
            let range = from..<from + .random(in: 0..<9, using: &generator)
            ranges.insert(range)
            plain.formUnion(range)
        }
        #expect(zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
        for number in -210..<220 as Range<Int64> {
            #expect(ranges.contains(number) == plain.contains(number))
            let probe = number..<number + 3
            #expect(ranges.overlaps(probe) == probe.contains { plain.contains($0) })
        }
        #expect(SeparateRanges(ranges.ranges.shuffled(using: &generator)) == ranges)
    }

    @Test("are at most half as many when the closest were joined, and lose nothing")
    func joined() {
        var all = ranges(0..<1, 2..<3, 10..<11, 12..<13, 100..<101)
        all.joinClosest()
        #expect(all.ranges.count <= 2 && [0, 2, 10, 12, 100].allSatisfy { all.contains($0) })
        #expect(!all.contains(50))
        var one = ranges(3..<4)
        one.joinClosest()
        #expect(one == ranges(3..<4))
    }

    @Test("lose a range that is one of them, and no part of one")
    func removed() {
        var all = ranges(0..<4, 6..<8)
        all.remove(6..<7)
        #expect(all == ranges(0..<4, 6..<8))
        all.remove(6..<8)
        #expect(all == ranges(0..<4))
    }
}
