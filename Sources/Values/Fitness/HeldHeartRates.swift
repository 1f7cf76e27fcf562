// How long a heart rate holds. A strap measures each second and a band once in five minutes, and neither is to weigh more: so a
// value stands for the time until the next one, within what its own sensor's interval makes likely. Time is cut into slots of
// five seconds:
//
//     samples      |.|.|.|   |.|       |.|                 |.|            each a slot of 5 s; blank slots have no sample
//     held         |a|a|a|a|a|b|b|b|b|b|c|c|c|                            up to the next slot with a sample, or as long as the limit
//
// What a slot holds is the mean of all samples of its minute, so nothing has to be kept of a minute but which slots have samples,
// and their number, sum and extremes. All of these add up in any order, and give the same figures as the samples do.

/// Heart rates in time: which slots each minute's mean stands for.
public enum HeldHeartRates {
    /// How long a slot is, in milliseconds. Slots are counted from 1970 on.
    public static let slotMilliseconds: Int64 = 5000
    /// How far a sample reaches at most, in milliseconds, with those that say how long it holds: a span of time needs
    /// the minutes this long before and after it, too.
    public static let reach: Int64 = 30 * 60_000

    /// In slots: how long a value holds at least if another one follows soon (15 s), and at most (ten minutes); how far away the next one
    /// may be to say anything about the sensor's interval (a quarter of an hour); and how long a value without such a neighbour holds
    /// (a minute).
    private static let (shortest, longest, neighbour, single): (Int64, Int64, Int64, Int64) = (3, 120, 180, 12)
    /// How many of its intervals a sensor may be late.
    private static let factor: Int64 = 3
    /// How many slots a minute has.
    public static let slotsInMinute: Int64 = 12

    /// Slots with a known mean, by their number since 1970.
    public struct Piece: Equatable, Sendable {
        /// Without gaps.
        public let slots: Range<Int64>
        /// In beats per minute.
        public let mean: Double
    }

    /// Which slots begin within a range of Unix milliseconds.
    public static func slots(in times: Range<Int64>) -> Range<Int64> {
        func first(_ time: Int64) -> Int64 { -(-time).floorDivided(by: slotMilliseconds) }
        return first(times.lowerBound)..<first(times.upperBound)
    }

    /// Shows the pieces of some minutes, in order and without overlaps.
    /// - Parameter minutes: in order, each once, by their number from 1970 on.
    public static func forEach(
        in minutes: ArraySlice<(number: Int64, minute: HeartRateMinute)>, _ body: (Piece) -> Void
    ) {
        // The latest run of slots with samples, as long as it is not known what follows: its bounds, the gap before its last slot, and
        // the mean of its minute.
        var waiting: (first: Int64, last: Int64, before: Int64?, mean: Double)?
        func show(_ run: (first: Int64, last: Int64, before: Int64?, mean: Double), next: Int64?) {
            let held = held(before: run.before, after: next.map { $0 - run.last })
            body(Piece(slots: run.first..<run.last + held, mean: run.mean))
        }
        for (number, minute) in minutes {
            guard let mean = minute.samples.mean else { continue }
            var bits = minute.slots
            var place: Int64 = 0
            while bits != 0 {
                let blank = bits.trailingZeroBitCount
                bits >>= UInt16(blank)
                let length = (~bits).trailingZeroBitCount
                bits = length < 16 ? bits >> UInt16(length) : 0
                place += Int64(blank)
                let first = number * slotsInMinute + place
                place += Int64(length)
                var before: Int64? = length > 1 ? 1 : nil
                if let run = waiting {
                    if length == 1 { before = first - run.last }
                    show(run, next: first)
                }
                waiting = (first, first + Int64(length) - 1, before, mean)
            }
        }
        if let run = waiting { show(run, next: nil) }
    }

    /// How many slots one with a sample stands for.
    /// - Parameters:
    ///   - before: the gap to the slot before it that has a sample, in slots; nil if there is none.
    ///   - after: the gap to the next one.
    public static func held(before: Int64?, after: Int64?) -> Int64 {
        let near = [before, after].compactMap { gap in gap.flatMap { $0 <= neighbour ? $0 : nil } }
        guard let interval = near.min() else { return min(single, after ?? single) }
        let limit = min(max(shortest, factor * interval), longest)
        if let after, after <= limit { return after }
        return min(interval, longest)
    }
}

/// Covered time, and what the heart did in it: adds up.
public struct HeldTime: Hashable, Sendable {
    /// How many slots are covered.
    public private(set) var slots: Int64 = 0
    /// The sum of their values.
    private var sum = 0.0

    /// None.
    public init() {}

    /// Adds slots of one mean.
    public mutating func add(_ count: Int64, _ mean: Double) {
        slots += count
        sum += Double(count) * mean
    }

    /// How long that is, in seconds.
    public var seconds: Int { Int(slots * HeldHeartRates.slotMilliseconds / 1000) }

    /// The mean over the time, in beats per minute; nil if nothing is covered.
    public var mean: Double? { slots == 0 ? nil : sum / Double(slots) }
}
