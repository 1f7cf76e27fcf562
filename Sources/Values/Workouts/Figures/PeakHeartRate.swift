import Fitness

/// The highest heart rate that somebody held for ten seconds in a workout.
public struct PeakHeartRate: Sendable {
    /// How long it is held, in milliseconds.
    public static let milliseconds: Int64 = 10_000
    /// How many values there are of that time at least, and how far the first and the last of them are apart, in milliseconds.
    private static let (least, shortest): (Int, Int64) = (8, 7000)

    /// The highest mean, in beats per minute; nil without ten seconds that are recorded.
    public private(set) var beatsPerMinute: Double?
    /// The latest values, without spikes.
    private var held: [HeartRateReading] = []
    private var spikes = SpikeFilter()

    /// Nothing yet.
    public init() {}

    /// Adds a heart rate of one sensor; they come in the order of their times.
    public mutating func add(_ reading: HeartRateReading) {
        guard HeartRateSamples.plausible.contains(reading.beatsPerMinute) else { return }
        if let known = spikes.add(reading) { count(known) }
    }

    /// Nothing follows.
    public mutating func finish() {
        if let known = spikes.finish() { count(known) }
    }

    private mutating func count(_ reading: HeartRateReading) {
        held.append(reading)
        let first = held.firstIndex { $0.time > reading.time - Self.milliseconds } ?? 0
        held.removeFirst(first)
        guard held.count >= Self.least, let start = held.first, reading.time - start.time >= Self.shortest else { return }
        let mean = Double(held.reduce(0) { $0 + $1.beatsPerMinute }) / Double(held.count)
        beatsPerMinute = max(beatsPerMinute ?? 0, mean)
    }
}
