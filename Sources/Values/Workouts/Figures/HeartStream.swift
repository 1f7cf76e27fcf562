import Fitness

/// Heart rates: which slots of each minute they cover, and their extremes.
///
/// Two things are known late: whether a sample is a spike, with the next sample; and how long a slot with a sample
/// holds, with the next such slot. What waits for that counts in figures as if nothing followed. What several sensors measured
/// is known when everything is: `holdBest`.
struct HeartStream: Hashable, Sendable {
    let zones: HeartRateZones?
    let impulse: TrainingImpulse?
    /// The latest one in active time.
    private(set) var latest: HeartRateReading?
    /// Those in active time.
    private(set) var samples = HeartRateSamples()
    private var spikes = SpikeFilter()
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
        if let known = spikes.add(reading) { count(known, timer, &minutes) }
        guard timer.interval(at: reading.time) != nil else { return false }
        latest = reading
        return true
    }

    /// Counts what waits, as if nothing followed by a time in Unix milliseconds.
    mutating func finish(at now: Int64, _ timer: WorkoutTimer, _ minutes: inout WorkoutMinutes) {
        if let known = spikes.finish() { count(known, timer, &minutes) }
        guard let slot else { return }
        let held = HeldHeartRates.held(before: gap, after: nil)
        minutes.hold(mean, slot..<slot + held, until: now, timer)
    }

    /// Covers what the best of several sources measured, and nothing else until the end of what they know. If the workout is over,
    /// they know all, and nothing more may be added; else what came later goes on as it did.
    mutating func holdBest(_ hearts: BestHearts, _ timer: WorkoutTimer, _ minutes: inout WorkoutMinutes) {
        var end = min(hearts.end, slot.map { $0 + 1 } ?? .min)
        if timer.isOver {
            if let known = spikes.finish() { count(known, timer, &minutes) }
            (slot, end) = (nil, .max)
        }
        minutes.holdBest(hearts.pieces, before: end, timer)
    }

    private mutating func count(_ reading: HeartRateReading, _ timer: WorkoutTimer, _ minutes: inout WorkoutMinutes) {
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
}
