import Fitness

/// Leaves out heart rates that no heart has: those that differ by more than 30 bpm from both neighbours, if these are at most
/// ten seconds away. Whether one is so is known when the next one comes.
public struct SpikeFilter: Hashable, Sendable {
    /// In beats per minute, and in milliseconds.
    private static let (spike, neighbour): (Int, Int64) = (30, 10_000)
    /// The latest one, and the one before it.
    private var (waiting, before): (HeartRateReading?, HeartRateReading?)

    /// Nothing yet.
    public init() {}

    /// Takes the next one of a sensor, and returns the one before it, unless that is a spike.
    public mutating func add(_ reading: HeartRateReading) -> HeartRateReading? {
        let known = isSpike(before: reading) ? nil : waiting
        (before, waiting) = (waiting, reading)
        return known
    }

    /// The last one: nothing follows it.
    public mutating func finish() -> HeartRateReading? {
        defer { waiting = nil }
        return waiting
    }

    /// Whether the latest one is far above both neighbours, or far below both.
    private func isSpike(before next: HeartRateReading) -> Bool {
        guard let before, let waiting, max(waiting.time - before.time, next.time - waiting.time) <= Self.neighbour
        else { return false }
        let rises = [before, next].map { waiting.beatsPerMinute - $0.beatsPerMinute }
        return rises.allSatisfy { $0 > Self.spike } || rises.allSatisfy { $0 < -Self.spike }
    }
}
