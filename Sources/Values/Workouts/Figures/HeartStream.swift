import Fitness

/// Heart rates: which slots of each minute they cover, and their extremes.
///
/// Two things are known late: whether a sample is a spike, with the next sample; and how long a slot with a sample
/// holds, with the next such slot. What waits for that counts in figures as if nothing followed.
struct HeartStream: Hashable, Sendable {
    /// A value that differs by more than this from both neighbours, in beats per minute, is a spike if they are at most
    /// so far away, in milliseconds: no heart does that.
    private static let (spike, neighbour): (Int, Int64) = (30, 10_000)

    let zones: HeartRateZones?
    let impulse: TrainingImpulse?
    /// The latest one in active time.
    private(set) var latest: HeartRateReading?
    /// Those in active time.
    private(set) var samples = HeartRateSamples()
    /// The latest one, of which it is not known whether it is a spike, and the one before it.
    private var (waiting, before): (HeartRateReading?, HeartRateReading?)
    /// The latest minute, by its number since 1970, and its mean so far.
    private var (minute, mean) = (Int64.min, HeartMean())
    /// The latest slot with a sample, and how many slots before it there was one.
    private var (slot, gap): (Int64?, Int64?)

    init(_ person: Person, _ activity: Activity) {
        zones = person.zones(for: activity.kind)
        impulse = TrainingImpulse(person)
    }

    /// Takes a heart rate; returns whether it counts. One that does not, because the workout is not active, is still a
    /// neighbour of others, and part of its minute's mean.
    mutating func add(_ reading: HeartRateReading, _ timer: WorkoutTimer, _ minutes: inout WorkoutMinutes) -> Bool {
        guard HeartRateSamples.plausible.contains(reading.beatsPerMinute) else { return false }
        count(next: reading, timer, &minutes)
        (before, waiting) = (waiting, reading)
        guard timer.interval(at: reading.time) != nil else { return false }
        latest = reading
        return true
    }

    /// Counts what waits, as if nothing followed by a time in Unix milliseconds.
    mutating func finish(at now: Int64, _ timer: WorkoutTimer, _ minutes: inout WorkoutMinutes) {
        count(next: nil, timer, &minutes)
        waiting = nil
        guard let slot else { return }
        let held = HeldHeartRates.held(before: gap, after: nil)
        minutes.hold(mean, slot..<slot + held, until: now, timer)
    }

    private mutating func count(
        next: HeartRateReading?, _ timer: WorkoutTimer, _ minutes: inout WorkoutMinutes
    ) {
        guard let reading = waiting, !Self.isSpike(before, reading, next) else { return }
        if timer.isActive(at: reading.time) { samples.add(reading.beatsPerMinute) }
        let slot = reading.time / HeldHeartRates.slotMilliseconds
        if let last = self.slot, last < slot {
            let held = HeldHeartRates.held(before: gap, after: slot - last)
            minutes.hold(mean, last..<last + held, until: .max, timer)
            gap = slot - last
        }
        self.slot = slot
        let number = HeartRateMinute.number(of: reading.time)
        if number != minute { (minute, mean) = (number, HeartMean()) }
        mean.add(reading.beatsPerMinute)
        minutes.correct(mean, number)
    }

    /// Whether a sample is more than 30 bpm above both neighbours, or below both.
    static func isSpike(_ before: HeartRateReading?, _ reading: HeartRateReading, _ next: HeartRateReading?) -> Bool {
        guard let before, let next, max(reading.time - before.time, next.time - reading.time) <= neighbour
        else { return false }
        let rises = [before, next].map { reading.beatsPerMinute - $0.beatsPerMinute }
        return rises.allSatisfy { $0 > spike } || rises.allSatisfy { $0 < -spike }
    }
}
