import Fitness

/// The samples of a minute, as far as a mean needs them. A minute has at most 60,000, one for each millisecond.
struct HeartMean: Hashable, Sendable {
    /// In beats per minute.
    private var sum: UInt32 = 0
    private var count: UInt16 = 0

    init() {}

    /// That of one piece alone.
    init(_ piece: HeldHeartRates.Piece) { (sum, count) = (UInt32(clamping: piece.sum), UInt16(clamping: piece.count)) }

    mutating func add(_ beatsPerMinute: Int) {
        sum += UInt32(clamping: beatsPerMinute)
        count += 1
    }

    /// In beats per minute; 0 if there are no samples.
    var value: Double { count == 0 ? 0 : Double(sum) / Double(count) }
}

/// A heart rate that holds for five seconds of a workout.
public struct HeldHeartRate: Hashable, Sendable {
    /// When it begins, in Unix milliseconds.
    public let time: Int64
    /// A mean.
    public let beatsPerMinute: Double
}

/// What is known of the heart in a minute of a workout: which of its slots are covered, as `HeldHeartRates` says, and
/// begin in active time. Of one sensor, the slots before the first sample hold the mean of an earlier minute, the others that
/// of this. Of several, each source's slots have a mean of their own.
struct HeartMinute: Hashable, Sendable {
    /// Slots that hold one mean.
    struct Held: Hashable, Sendable {
        /// In beats per minute.
        var mean: Double { samples.value }
        fileprivate var samples = HeartMean()
        /// Bit n stands for the seconds 5 n to 5 n + 4.
        fileprivate(set) var slots: UInt16 = 0

        /// How long they are, in milliseconds.
        var milliseconds: Int64 { Int64(slots.nonzeroBitCount) * HeldHeartRates.slotMilliseconds }
        /// How long they are, in minutes.
        var minutes: Double { Double(milliseconds) / 60_000 }

        /// Their seconds: bit n stands for the second n.
        var seconds: UInt64 {
            (0..<UInt64(HeldHeartRates.slotsInMinute)).reduce(0) { seconds, slot in
                slots & 1 << slot == 0 ? seconds : seconds | 0b11111 << (5 * slot)
            }
        }
    }

    /// The slots that hold the mean of an earlier minute.
    private(set) var carried = Held()
    /// The slots that hold the mean of this minute.
    private(set) var own = Held()
    /// What was found out of several sources together, in the order of time.
    private(set) var best: [Held] = []

    /// Shows what is covered; of several sources, in the order of time until more samples come.
    func forEachHeld(_ body: (Held) -> Void) {
        for held in best where held.slots != 0 { body(held) }
        if carried.slots != 0 { body(carried) }
        if own.slots != 0 { body(own) }
    }

    /// Covers a slot, from 0 to 11.
    mutating func hold(_ mean: HeartMean, _ slot: Int64, isOwn: Bool) {
        let bit: UInt16 = 1 << UInt16(slot)
        for index in best.indices { best[index].slots &= ~bit }
        let part = isOwn ? \HeartMinute.own : \.carried
        self[keyPath: part].samples = mean
        self[keyPath: part].slots |= bit
    }

    /// Uncovers the first slots.
    mutating func forget(first count: Int64) {
        let rest = UInt16.max << UInt16(count)
        best = []
        carried.slots &= rest
        own.slots &= rest
    }

    /// Covers a slot by the best of several sources; they come in the order of time.
    mutating func holdBest(_ mean: HeartMean, _ slot: Int64) {
        if best.last?.samples != mean { best.append(Held(samples: mean)) }
        best[best.count - 1].slots |= 1 << UInt16(slot)
    }

    /// Takes the mean of this minute, which more samples have changed; returns whether a slot holds it.
    mutating func correct(_ mean: HeartMean) -> Bool {
        guard own.slots != 0 else { return false }
        own.samples = mean
        return true
    }
}
