/// Heart rates of any span of time, summed up so that parts can be put together in any order.
public struct HeartRateSamples: Hashable, Sendable {
    /// Which heart rates count, in beats per minute. What a sensor reports beyond them is noise, or 0 for no value: the
    /// lowest one at rest that was ever recorded is 27 (Guinness World Records, 2005), and above 240 no healthy adult's is.
    /// Each sample is judged by itself, so they add up in any order.
    public static let plausible = 25...240

    /// How many there are.
    public var count = 0
    /// Their sum, in beats per minute.
    public var sum = 0
    /// The lowest, in beats per minute; 0 if there is none.
    public var minimum = 0
    /// The highest, in beats per minute; 0 if there is none.
    public var maximum = 0

    /// None.
    public init() {}

    /// Samples that were summed up before.
    public init(count: Int, sum: Int, minimum: Int, maximum: Int) {
        (self.count, self.sum, self.minimum, self.maximum) = (count, sum, minimum, maximum)
    }

    /// Whether there is none.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// Their mean, in beats per minute; nil if there is none.
    public var mean: Double? { isEmpty ? nil : Double(sum) / Double(count) }

    /// Adds one, in beats per minute, as a sensor tells it: at most 65,535.
    @inlinable
    public mutating func add(_ beatsPerMinute: Int) {
        minimum = isEmpty ? beatsPerMinute : min(minimum, beatsPerMinute)
        maximum = max(maximum, beatsPerMinute)
        count += 1
        sum += beatsPerMinute
    }

    /// Adds others.
    @inlinable
    public mutating func merge(_ others: HeartRateSamples) {
        guard !others.isEmpty else { return }
        minimum = isEmpty ? others.minimum : min(minimum, others.minimum)
        maximum = isEmpty ? others.maximum : max(maximum, others.maximum)
        count += others.count
        sum += others.sum
    }
}

/// The heart rates of one source in a minute of UTC, the finest grain that days are made of. Samples that come late are merged into
/// it: the order in which samples come does not matter.
public struct HeartRateMinute: Hashable, Sendable {
    /// How long a slot is.
    @inlinable public static var secondsPerSlot: Int { 5 }
    /// The parts of the minute in which there were samples: bit n stands for the seconds 5 n to 5 n + 4. There are
    /// twelve.
    public var slots: UInt16
    /// Whether RR intervals came with any of its samples: mostly chest straps know them.
    public var hasIntervals: Bool
    /// The samples.
    public var samples: HeartRateSamples

    /// A minute of these samples.
    public init(slots: UInt16 = 0, hasIntervals: Bool = false, samples: HeartRateSamples = HeartRateSamples()) {
        (self.slots, self.hasIntervals, self.samples) = (slots, hasIntervals, samples)
    }

    /// Which minute a moment is in, counted from 1970.
    /// - Parameter time: Unix milliseconds.
    public static func number(of time: Int64) -> Int64 { time.floorDivided(by: 60_000) }

    /// Adds a sample.
    /// - Parameter time: Unix milliseconds, in this minute.
    public mutating func add(_ beatsPerMinute: Int, at time: Int64) {
        add(beatsPerMinute, millisecond: Int(time - Self.number(of: time) * 60_000))
    }

    /// Adds a sample.
    /// - Parameter millisecond: how long after the beginning of this minute: 0 to 59,999.
    @inlinable
    public mutating func add(_ beatsPerMinute: Int, millisecond: Int) {
        slots |= 1 << UInt16(truncatingIfNeeded: millisecond / (1000 * Self.secondsPerSlot))
        samples.add(beatsPerMinute)
    }

    /// Adds other samples of the same minute.
    public mutating func merge(_ others: HeartRateMinute) {
        slots |= others.slots
        hasIntervals = hasIntervals || others.hasIntervals
        samples.merge(others.samples)
    }
}
