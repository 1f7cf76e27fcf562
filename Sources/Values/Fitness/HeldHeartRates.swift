// How long a heart rate holds. A strap measures each second and a band once in five minutes, and neither is to weigh more: so a
// value stands for the time until the next one, within what its own sensor's interval makes likely. Time is cut into slots of
// five seconds:
//
//     samples      |.|.|.|   |.|       |.|                 |.|            each a slot of 5 s; blank slots have no sample
//     held         |a|a|a|a|a|b|b|b|b|b|c|c|c|                            up to the next slot with a sample, or as long as the limit
//
// What a slot holds is the mean of all samples of its minute, so nothing has to be kept of a minute but which slots have samples,
// and their number, sum and extremes. All of these add up in any order, and give the same figures as the samples do. Each source is
// computed alone: HeartRateSources.swift says which of several counts.

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
        /// The sum of the samples of their minute, in beats per minute, and how many there are.
        public let (sum, count): (Int, Int)
        /// Whose value it is, and how good that one is.
        let rank: HeartRateRank

        /// In beats per minute.
        public var mean: Double { Double(sum) / Double(count) }

        /// The number of the source whose value it is.
        public var source: Int64 { rank.source }

        /// Some of its slots.
        public func part(_ slots: Range<Int64>) -> Piece { Piece(slots: slots, sum: sum, count: count, rank: rank) }
    }

    /// Which slots begin within a range of Unix milliseconds.
    public static func slots(in times: Range<Int64>) -> Range<Int64> {
        func first(_ time: Int64) -> Int64 { -(-time).floorDivided(by: slotMilliseconds) }
        return first(times.lowerBound)..<first(times.upperBound)
    }

    /// A run of slots with samples in a minute: its bounds, the gap before its last slot, and what is known of its minute.
    private struct Run {
        let first: Int64
        let last: Int64
        let before: Int64?
        let (sum, count): (Int, Int)
        let hasIntervals: Bool
    }

    /// Shows the pieces of some minutes of one source, in order and without overlaps. Each begins with a slot that has a
    /// sample.
    static func forEach(
        in minutes: HeartRateSources.Minutes, of source: HeartRateSource, _ body: (Piece) -> Void
    ) {
        // The latest run, as long as it is not known what follows.
        var waiting: Run?
        func show(_ run: Run, next: Int64?) {
            let after = next.map { $0 - run.last }
            let interval = interval(before: run.before, after: after)
            let held = held(interval, after: after)
            let rank = HeartRateRank(source, hasIntervals: run.hasIntervals, interval: interval)
            body(Piece(slots: run.first..<run.last + held, sum: run.sum, count: run.count, rank: rank))
        }
        minutes.withUnsafeBufferPointer { minutes in
            for index in minutes.indices where !minutes[index].minute.samples.isEmpty {
                var bits = minutes[index].minute.slots
                var first = minutes[index].number * slotsInMinute
                while bits != 0 {
                    let blank = bits.trailingZeroBitCount
                    bits >>= UInt16(blank)
                    let length = (~bits).trailingZeroBitCount
                    bits = length < 16 ? bits >> UInt16(length) : 0
                    first += Int64(blank)
                    let end = first + Int64(length)
                    var before: Int64? = length > 1 ? 1 : nil
                    if let run = waiting {
                        if length == 1 { before = first - run.last }
                        show(run, next: first)
                    }
                    let samples = minutes[index].minute.samples
                    waiting = Run(
                        first: first, last: end - 1, before: before, sum: samples.sum, count: samples.count,
                        hasIntervals: minutes[index].minute.hasIntervals)
                    first = end
                }
            }
        }
        if let run = waiting { show(run, next: nil) }
    }

    /// The smaller gap to a slot with a sample that is near enough, in slots; nil if none is.
    private static func interval(before: Int64?, after: Int64?) -> Int64? {
        let least = min(before ?? .max, after ?? .max)
        return least <= neighbour ? least : nil
    }

    /// How many slots one with a sample stands for.
    /// - Parameters:
    ///   - before: the gap to the slot before it that has a sample, in slots; nil if there is none.
    ///   - after: the gap to the next one.
    public static func held(before: Int64?, after: Int64?) -> Int64 {
        held(interval(before: before, after: after), after: after)
    }

    private static func held(_ interval: Int64?, after: Int64?) -> Int64 {
        guard let interval else { return min(single, after ?? single) }
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
    private(set) var sum = 0.0

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
