// Heart rates of several sensors at once. The values of each hold as if it were alone (HeldHeartRates.swift), and a slot has
// the value of the best source that covers it:
//
//     strap     |s|s|s|s| | | | |s|s|
//     band      |b| | |b| | |b| | |b|     held: |b|b|b|b|b|b|b|b|b|b|
//     counts    |s|s|s|s|b|b|b|b|s|s|
//
// So rubbish from a wrist is kept out while a strap is worn, and a band fills what the strap leaves. Which source is better
// follows from what is known of it in that minute, and not from the order of arrival.

/// What measures heart rates.
public struct HeartRateSource: Hashable, Sendable {
    /// The lower one was heard first.
    public let number: Int64
    /// Whether its values are records of a file or a band, and not those of a sensor that was listened to.
    public let isRecord: Bool

    /// A source by its number.
    public init(_ number: Int64, isRecord: Bool = false) { (self.number, self.isRecord) = (number, isRecord) }

    /// All sensors together, where it was not kept which of them measured what.
    public static let unknown = HeartRateSource(0)
}

/// How good a value's source is: the lowest one counts.
struct HeartRateRank: Comparable, Sendable {
    private let tier: UInt8
    /// In slots.
    private let interval: Int64
    let source: Int64

    /// Chest straps say RR intervals; then come other sensors, and then records.
    /// - Parameter interval: in slots; nil for a value without a neighbour.
    init(_ source: HeartRateSource, hasIntervals: Bool, interval: Int64?) {
        tier = hasIntervals ? 0 : source.isRecord ? 2 : 1
        (self.interval, self.source) = (interval ?? .max, source.number)
    }

    static func < (one: HeartRateRank, other: HeartRateRank) -> Bool {
        (one.tier, one.interval, one.source) < (other.tier, other.interval, other.source)
    }
}

/// Minutes of heart rate of some sources, those of each apart.
public struct HeartRateSources: Sendable {
    /// In order, each once, by their number from 1970 on.
    public typealias Minutes = ArraySlice<(number: Int64, minute: HeartRateMinute)>

    /// Those of one source.
    public struct One: Sendable {
        /// Which one it is.
        public let source: HeartRateSource
        /// Its minutes.
        public let minutes: Minutes

        /// Minutes of a source.
        public init(_ source: HeartRateSource, _ minutes: Minutes) { (self.source, self.minutes) = (source, minutes) }
    }

    /// Each source once.
    public let all: [One]

    /// Those of some sources, each once.
    public init(_ all: [One]) { self.all = all }

    /// Those of one source.
    public init(_ minutes: Minutes, of source: HeartRateSource = .unknown) { all = [One(source, minutes)] }

    /// Whether there are none.
    public var isEmpty: Bool { all.allSatisfy(\.minutes.isEmpty) }

    /// Those that begin within a range of Unix milliseconds.
    public subscript(times: Range<Int64>) -> HeartRateSources {
        HeartRateSources(
            all.compactMap { one in
                let first = Self.first(one.minutes, times.lowerBound)
                let end = Self.first(one.minutes, times.upperBound)
                return first < end ? One(one.source, one.minutes[first..<end]) : nil
            })
    }

    /// Where the first minute is that begins at a time or later.
    private static func first(_ minutes: Minutes, _ time: Int64) -> Int {
        var (low, high) = (minutes.startIndex, minutes.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if minutes[middle].number * 60_000 < time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Shows what each covered slot holds, in order and without overlaps.
    public func forEachPiece(_ body: (HeldHeartRates.Piece) -> Void) {
        guard all.count > 1 else {
            for one in all { HeldHeartRates.forEach(in: one.minutes, of: one.source, body) }
            return
        }
        forEachWindow { near, window in
            let slots = HeldHeartRates.slots(in: window)
            func show(_ piece: HeldHeartRates.Piece) {
                let part = piece.slots.clamped(to: slots)
                if !part.isEmpty { body(piece.part(part)) }
            }
            guard near.all.count > 1 else { return near.forEachPiece(show) }
            let pieces = near.all.map { one in
                var pieces: [HeldHeartRates.Piece] = []
                HeldHeartRates.forEach(in: one.minutes, of: one.source) { pieces.append($0) }
                return pieces
            }
            Self.forEachBest(pieces, show)
        }
    }

    /// How long a window is, in milliseconds: what is known of it is in memory as a whole, and so are the sources that have anything in it.
    private static let window: Int64 = 86_400_000

    /// Shows windows that cover all minutes and what they hold, in order, with what has to be known for that; those without minutes are left out.
    private func forEachWindow(_ body: (_ near: HeartRateSources, _ window: Range<Int64>) -> Void) {
        func next(from time: Int64) -> Int64? {
            all.compactMap { one in
                let index = Self.first(one.minutes, time)
                return index < one.minutes.endIndex ? one.minutes[index].number * 60_000 : nil
            }.min()
        }
        var begin = next(from: .min)
        while let start = begin {
            let window = start..<start + Self.window
            body(self[window.lowerBound - HeldHeartRates.reach..<window.upperBound + HeldHeartRates.reach], window)
            // The last of them may hold beyond its end.
            let reached = next(from: window.upperBound - HeldHeartRates.reach)
            begin = reached.map { max($0, window.upperBound) }
        }
    }

    /// Shows the best of some pieces for each slot.
    /// - Parameter pieces: of each source, in order and without overlaps.
    private static func forEachBest(_ pieces: [[HeldHeartRates.Piece]], _ body: (HeldHeartRates.Piece) -> Void) {
        var heads = pieces.map { _ in 0 }
        var slot = Int64.min
        while true {
            var best: HeldHeartRates.Piece?
            // Until then, what is known of this slot is true.
            var end = Int64.max
            for source in pieces.indices {
                while heads[source] < pieces[source].count, pieces[source][heads[source]].slots.upperBound <= slot {
                    heads[source] += 1
                }
                guard heads[source] < pieces[source].count else { continue }
                let piece = pieces[source][heads[source]]
                guard piece.slots.lowerBound <= slot else {
                    end = min(end, piece.slots.lowerBound)
                    continue
                }
                end = min(end, piece.slots.upperBound)
                if best.map({ piece.rank < $0.rank }) ?? true { best = piece }
            }
            guard let best else {
                guard end < .max else { return }
                slot = end
                continue
            }
            body(best.part(slot..<end))
            slot = end
        }
    }

    /// Shows the samples of each minute's best source, in order.
    public func forEachMinute(_ body: (_ number: Int64, _ samples: HeartRateSamples, _ source: Int64) -> Void) {
        guard all.count > 1 else {
            for one in all {
                for (number, minute) in one.minutes where !minute.samples.isEmpty {
                    body(number, minute.samples, one.source.number)
                }
            }
            return
        }
        forEachWindow { near, window in
            guard near.all.count > 1 else {
                return near.forEachMinute { number, samples, source in
                    if window.contains(number * 60_000) { body(number, samples, source) }
                }
            }
            Self.forEachBestMinute(near) { number, samples, source in
                if window.contains(number * 60_000) { body(number, samples, source) }
            }
        }
    }

    private static func forEachBestMinute(
        _ sources: HeartRateSources, _ body: (_ number: Int64, _ samples: HeartRateSamples, _ source: Int64) -> Void
    ) {
        let ranked = sources.all.map(Self.ranked)
        var heads = ranked.map { _ in 0 }
        while true {
            var number = Int64.max
            for source in ranked.indices where heads[source] < ranked[source].count {
                number = min(number, ranked[source][heads[source]].number)
            }
            guard number < .max else { return }
            var best: (rank: HeartRateRank, samples: HeartRateSamples)?
            for source in ranked.indices where heads[source] < ranked[source].count {
                let minute = ranked[source][heads[source]]
                guard minute.number == number else { continue }
                heads[source] += 1
                if best.map({ minute.rank < $0.rank }) ?? true { best = (minute.rank, minute.samples) }
            }
            if let best { body(number, best.samples, best.rank.source) }
        }
    }

    /// A source's minutes with samples, each with the rank of its best slot.
    private static func ranked(_ one: One) -> [(number: Int64, rank: HeartRateRank, samples: HeartRateSamples)] {
        var (ranked, index): ([(number: Int64, rank: HeartRateRank, samples: HeartRateSamples)], Int) = ([], one.minutes.startIndex)
        HeldHeartRates.forEach(in: one.minutes, of: one.source) { piece in
            // Each piece begins in the minute that it holds.
            let number = piece.slots.lowerBound.floorDivided(by: HeldHeartRates.slotsInMinute)
            if let last = ranked.indices.last, ranked[last].number == number {
                ranked[last].rank = min(ranked[last].rank, piece.rank)
            } else {
                while one.minutes[index].number < number { index += 1 }
                ranked.append((number, piece.rank, one.minutes[index].minute.samples))
            }
        }
        return ranked
    }

    /// How many minutes have samples.
    public var minuteCount: Int {
        var count = 0
        forEachMinute { _, _, _ in count += 1 }
        return count
    }

    /// The samples of the best source of each minute, together.
    public var samples: HeartRateSamples {
        var all = HeartRateSamples()
        forEachMinute { _, samples, _ in all.merge(samples) }
        return all
    }

    /// How many samples stand for a slot in `held`: so its mean is one to a hundredth.
    public static let samplesOfSlot = 100

    /// What some slots hold, as if each were that many samples: so the mean is that over time. The extremes are those of
    /// `samples`. Only these minutes are known: what holds since before them is left out.
    public func held(in slots: Range<Int64>) -> HeartRateSamples {
        var (time, held) = (HeldTime(), samples)
        forEachPiece { time.add(Int64($0.slots.clamped(to: slots).count), $0.mean) }
        held.count = Int(time.slots) * Self.samplesOfSlot
        held.sum = Int((time.sum * Double(Self.samplesOfSlot)).rounded())
        return time.slots > 0 ? held : HeartRateSamples()
    }
}

/// Which source is the best at times that ascend.
public struct BestHeartRates {
    private var slots: [(slots: Range<Int64>, source: Int64)] = []
    private var minutes: [(number: Int64, source: Int64)] = []
    private var (slot, minute) = (0, 0)

    /// Those of some sources. Of one source, all counts.
    public init(_ sources: HeartRateSources) {
        guard sources.all.count > 1 else { return }
        sources.forEachPiece { slots.append(($0.slots, $0.source)) }
        sources.forEachMinute { number, _, source in minutes.append((number, source)) }
    }

    /// Whether a source is the best one of the slot and of the minute of a time. Where it was not kept which source measured what, each is.
    /// - Parameter time: Unix milliseconds, not before the one that was asked for last.
    public mutating func isBest(_ source: Int64, at time: Int64) -> (ofSlot: Bool, ofMinute: Bool) {
        let place = time.floorDivided(by: HeldHeartRates.slotMilliseconds)
        while slot < slots.count, slots[slot].slots.upperBound <= place { slot += 1 }
        let number = HeartRateMinute.number(of: time)
        while minute < minutes.count, minutes[minute].number < number { minute += 1 }
        let ofSlot = slot < slots.count && slots[slot].slots.contains(place) ? slots[slot].source : source
        let ofMinute = minute < minutes.count && minutes[minute].number == number ? minutes[minute].source : source
        func matches(_ best: Int64) -> Bool { best == source || best == HeartRateSource.unknown.number }
        return (matches(ofSlot), matches(ofMinute))
    }
}
