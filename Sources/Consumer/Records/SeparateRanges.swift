/// Ranges of times, or of hours, in their order and apart from each other: what overlaps or touches is one range.
package struct SeparateRanges: Equatable {
    package private(set) var ranges: [Range<Int64>] = []

    package var isEmpty: Bool { ranges.isEmpty }

    package init(_ some: some Sequence<Range<Int64>> = []) { for range in some { insert(range) } }

    package func contains(_ number: Int64) -> Bool {
        let index = firstIndex { $0.upperBound > number }
        return index < ranges.count && ranges[index].contains(number)
    }

    /// Whether any of it lies in a range.
    package func overlaps(_ other: Range<Int64>) -> Bool {
        let index = firstIndex { $0.upperBound > other.lowerBound }
        return index < ranges.count && ranges[index].overlaps(other)
    }

    /// The same without what is in others.
    package func subtracting(_ others: SeparateRanges) -> SeparateRanges {
        var left = SeparateRanges()
        for range in ranges {
            var first = range.lowerBound
            for other in others.ranges where other.overlaps(range) {
                if first < other.lowerBound { left.insert(first..<other.lowerBound) }
                first = max(first, other.upperBound)
            }
            if first < range.upperBound { left.insert(first..<range.upperBound) }
        }
        return left
    }

    package mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        let first = firstIndex { $0.upperBound >= range.lowerBound }
        let end = firstIndex { $0.lowerBound > range.upperBound }
        let merged =
            ranges[first..<end].reduce(range) {
                min($0.lowerBound, $1.lowerBound)..<max($0.upperBound, $1.upperBound)
            }
        ranges.replaceSubrange(first..<end, with: [merged])
    }

    /// Removes a range that is one of these; nothing where it is only a part of one.
    package mutating func remove(_ range: Range<Int64>) { ranges.removeAll { $0 == range } }

    /// Leaves half as many ranges, or fewer: what lies between the closest ones is then included.
    package mutating func joinClosest() {
        guard ranges.count > 1 else { return }
        let gaps = zip(ranges, ranges.dropFirst()).map { $1.lowerBound - $0.upperBound }.sorted()
        let widest = gaps[gaps.count / 2]
        var joined: [Range<Int64>] = []
        for range in ranges {
            if let last = joined.last, range.lowerBound - last.upperBound <= widest {
                joined[joined.count - 1] = last.lowerBound..<range.upperBound
            } else {
                joined.append(range)
            }
        }
        ranges = joined
    }

    /// The index of the first range for which something holds that holds for all after it, too.
    private func firstIndex(where holds: (Range<Int64>) -> Bool) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(ranges[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
