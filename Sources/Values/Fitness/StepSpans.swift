// The steps of a day by a pedometer that tells how many steps were made in a span of time: a phone's, or the records of
// another program. A span belongs to the day of its end, as the delta of a counter does;
// one that ends at midnight belongs to the day that ends.
//
// Spans may overlap, because a phone is asked for the last hour and then for the whole day. So in the order of their
// ends, each counts for the part of it that no span before it covers.
//
//     span     8:00-9:00   8:30-9:30   8:00-10:00
//     steps    600         400         2000
//     counted  600         200         500          by 9:00, 9:30, 10:00

extension StepCounter {
    /// Steps of a span of time.
    public struct Span: Hashable, Sendable {
        /// Unix milliseconds.
        public var from: Int64
        /// Unix milliseconds.
        public var to: Int64
        /// Steps in between.
        public var steps: UInt32

        /// Steps from one time to another.
        public init(from: Int64, to: Int64, steps: UInt32) {
            (self.from, self.to, self.steps) = (from, to, steps)
        }
    }

    /// The most steps that anybody makes in so many milliseconds.
    public static func mostIn(_ milliseconds: Int64) -> Int64 { milliseconds * mostPerSecond / 1000 }

    /// The steps of a day by one pedometer; nil if no span ends in the day. A span is left out if nobody walks that
    /// much in it, or if it is longer than `longestGap`.
    /// - Parameters:
    ///   - spans: in any order, those that end within `longestGap` before the day included; repeats do not matter.
    ///   - day: the day's intervals (`LocalDays`), in Unix milliseconds.
    ///   - isTimed: whether it is kept when they were made.
    public static func made(
        _ spans: some Sequence<Span>, during day: [Range<Int64>], isTimed: Bool = true
    ) -> Made? {
        guard let first = day.map(\.lowerBound).min() else { return nil }
        let inOrder = Set(spans).filter { $0.to >= first - longestGap }
            .sorted { ($0.to, $0.from, $0.steps) < ($1.to, $1.from, $1.steps) }
        var (covered, made) = (Coverage(), Made?.none)
        for span in inOrder {
            let (length, isInDay) = (span.to - span.from, day.contains { $0.contains(span.to - 1) })
            if isInDay { made = made ?? Made(heard: span.to, isTimed: isTimed) }
            guard length > 0, length <= longestGap, Int64(span.steps) <= mostIn(length) else {
                if isInDay { made?.leaveOut() }
                continue
            }
            let times = covered.add(span.from..<span.to)
            let open = Self.length(times)
            guard isInDay, open > 0 else { continue }
            made?.add(Int(Int64(span.steps) * open / length), in: times)
        }
        return made
    }
}

/// Times that are covered by spans, which come in the order of their ends.
private struct Coverage {
    /// Without overlaps, in order.
    private var ranges: [Range<Int64>] = []

    /// Adds a range.
    /// - Returns: what of it was not covered before.
    mutating func add(_ range: Range<Int64>) -> [Range<Int64>] {
        var (open, from, end) = ([Range<Int64>](), range.lowerBound, range.upperBound)
        while let last = ranges.last, last.upperBound > range.lowerBound {
            if last.upperBound < end { open.append(last.upperBound..<end) }
            (from, end) = (min(from, last.lowerBound), min(end, last.lowerBound))
            ranges.removeLast()
        }
        if range.lowerBound < end { open.append(range.lowerBound..<end) }
        ranges.append(from..<range.upperBound)
        return open
    }
}
