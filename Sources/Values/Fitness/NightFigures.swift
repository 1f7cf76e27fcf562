/// What the heart rates of a night come to. Nobody can say from a heart rate alone how long somebody slept, or how well: these are
/// figures of the time on the clock.
public struct NightFigures: Sendable {
    /// When a night begins and ends on the clock unless somebody says otherwise, in minutes of the day.
    public static let usual = (begin: 22 * 60, end: 8 * 60)
    /// How much must be recorded of a night, in seconds.
    public static let least = 3 * 3600
    /// How much must be recorded of a night and of the day before it to compare them, in seconds.
    static let leastToCompare = 4 * 3600

    /// Over the recorded time, in beats per minute.
    public let mean: Double
    /// How much is recorded, in seconds.
    public let recordedSeconds: Int
    /// The half-hour with the lowest mean in beats per minute, and when it began, in Unix milliseconds; nil if none is half recorded and
    /// without a workout.
    public let lowest: (mean: Double, from: Int64)?
    /// By how many percent the mean is below that of the day before, without its workouts; nil if too little is recorded.
    public let dip: Double?

    /// Nil if too little is recorded.
    /// - Parameters:
    ///   - minutes: with those that lie `HeldHeartRates.reach` around the day and the night.
    ///   - night: when it was, in Unix milliseconds.
    ///   - day: the day before it, from the end of the night before.
    ///   - workouts: in Unix milliseconds.
    public init?(
        _ minutes: HeartRateSources, night: [Range<Int64>], day: [Range<Int64>],
        workouts: [Range<Int64>]
    ) {
        let (nightSlots, daySlots) = (night.map(HeldHeartRates.slots), day.map(HeldHeartRates.slots))
        let busy = SlotRanges(workouts.map(HeldHeartRates.slots))
        guard let first = night.map(\.lowerBound).min(), let end = night.map(\.upperBound).max() else { return nil }
        var (all, before, halves) = (HeldTime(), HeldTime(), HalfHours(first..<end))
        minutes.forEachPiece { piece in
            for slots in nightSlots {
                let part = piece.slots.clamped(to: slots)
                all.add(Int64(part.count), piece.mean)
                halves.add(part, piece.mean)
            }
            for slots in daySlots {
                let part = piece.slots.clamped(to: slots)
                guard !part.isEmpty else { continue }
                before.add(Int64(part.count) - busy.count(within: part), piece.mean)
            }
        }
        guard let mean = all.mean, all.seconds >= Self.least else { return nil }
        (self.mean, recordedSeconds) = (mean, all.seconds)
        lowest = halves.counted(workouts).min { $0.mean < $1.mean }
        if let day = before.mean, min(before.seconds, all.seconds) >= Self.leastToCompare {
            dip = 100 * (day - mean) / day
        } else {
            dip = nil
        }
    }
}

/// Slots that belong to at least one of some ranges.
private struct SlotRanges {
    /// In their order, apart from each other.
    private var ranges: [Range<Int64>] = []

    init(_ all: [Range<Int64>]) {
        for range in all.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = ranges.last, range.lowerBound <= last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                ranges.append(range)
            }
        }
    }

    func count(within slots: Range<Int64>) -> Int64 { ranges.reduce(0) { $0 + Int64($1.clamped(to: slots).count) } }
}
