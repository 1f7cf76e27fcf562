/// What follows from a day's heart rates.
public struct HeartRateDay: Hashable, Sendable, Codable {
    /// What part of the day a heart rate at rest is of: by day people sit at some 8 bpm more, so the two are not comparable.
    public enum Rest: String, CaseIterable, Hashable, Sendable, Codable {
        /// Enough of the night was recorded.
        case night
        /// It was not.
        case day
    }

    /// How many days make a baseline, and how many of them must have a value.
    public static let (baselineDays, leastOfBaseline) = (7, 3)

    /// The median of the heart rates at rest of the days before, all of the night or all by day; nil if too few are known.
    public static func baseline(_ days: [Double?]) -> Double? {
        let known = days.compactMap(\.self).sorted()
        guard known.count >= leastOfBaseline else { return nil }
        return (known[(known.count - 1) / 2] + known[known.count / 2]) / 2
    }

    /// How many beats a minute a heart rate at rest is above a baseline, rounded; nil if it is as usual, less than 3 away from it.
    public static func difference(_ resting: Double, from baseline: Double) -> Int? {
        let difference = resting - baseline
        return abs(difference) < 3 ? nil : Int(difference.rounded())
    }

    /// How long a half-hour is, in milliseconds, and how much of it must be recorded to count, in slots.
    private static let (halfHour, sufficient): (Int64, Int64) = (30 * 60_000, 15 * 12)
    /// How many half-hours must count, and how many of the quietest make the heart rate at rest.
    private static let (leastHalfHours, quietest) = (8, 6)
    /// The night on the clock, in minutes of the day.
    private static let night = (from: 22 * 60, to: 8 * 60)

    /// The mean over the recorded time, in beats per minute.
    public var mean: Double
    /// The lowest sample.
    public var minimum: Int
    /// The highest sample.
    public var maximum: Int
    /// The mean of the six quietest half-hours; nil on days with fewer than eight that count.
    public var resting: Double?
    /// What the heart rate at rest is of; nil if there is none.
    public var restingOf: Rest?
    /// How many recorded seconds were spent in each of the zones 1 to 5. What is below zone 1 is in none. Nil if the zones are not
    /// known.
    public var zoneSeconds: [Int]?
    /// The zones of that day; nil if they are not known.
    public var zones: HeartRateZones?
    /// How many seconds are recorded.
    public var recordedSeconds: Int

    /// When a day was, and what was done in it.
    public struct Time: Sendable {
        let intervals: [Range<Int64>]
        let workouts: [Range<Int64>]
        let minuteOfDay: @Sendable (Int64) -> Int

        /// - Parameters:
        ///   - intervals: when the day took place, in Unix milliseconds.
        ///   - workouts: in Unix milliseconds: nobody rests in a half-hour with one.
        ///   - minuteOfDay: what the clock on the wall shows at a moment in Unix milliseconds, from 0 to 1439.
        public init(
            _ intervals: [Range<Int64>], workouts: [Range<Int64>] = [], minuteOfDay: @escaping @Sendable (Int64) -> Int
        ) {
            (self.intervals, self.workouts, self.minuteOfDay) = (intervals, workouts, minuteOfDay)
        }

        /// When minutes are needed to know how the day was, in Unix milliseconds.
        public var needed: Range<Int64>? {
            guard let first = intervals.first?.lowerBound, let end = intervals.last?.upperBound else { return nil }
            return first - HeldHeartRates.reach..<end + HeldHeartRates.reach
        }
    }

    /// A day of these minutes; nil if none that begins in it has a sample.
    /// - Parameters:
    ///   - minutes: in order, each once, by their number from 1970 on, with those of `Time.needed`.
    ///   - person: as they were on that day.
    public init?(
        _ minutes: ArraySlice<(number: Int64, minute: HeartRateMinute)>, _ time: Time, of person: Person
    ) {
        var all = HeartRateSamples()
        for interval in time.intervals {
            for (number, minute) in minutes where interval.contains(number * 60_000) { all.merge(minute.samples) }
        }
        guard !all.isEmpty, let first = time.intervals.first?.lowerBound else { return nil }
        let zones = person.zones()
        var (held, inZones) = (HeldTime(), [Int64](repeating: 0, count: 1 + (zones?.bounds.count ?? 0)))
        let last = time.intervals.last?.upperBound ?? first
        var halves = [HeldTime](repeating: HeldTime(), count: Int((last - first) / Self.halfHour) + 1)
        let intervals = time.intervals.map { HeldHeartRates.slots(in: $0) }
        var half = (number: 0, slots: 0..<0 as Range<Int64>)
        HeldHeartRates.forEach(in: minutes) { piece in
            for interval in intervals {
                var slots = piece.slots.clamped(to: interval)
                guard !slots.isEmpty else { continue }
                held.add(Int64(slots.count), piece.mean)
                inZones[zones?.zone(of: piece.mean) ?? 0] += Int64(slots.count)
                while !slots.isEmpty {
                    if !half.slots.contains(slots.lowerBound) { half = Self.half(of: slots.lowerBound, from: first) }
                    let part = slots.clamped(to: half.slots)
                    halves[half.number].add(Int64(part.count), piece.mean)
                    slots = part.upperBound..<slots.upperBound
                }
            }
        }
        guard let mean = held.mean else { return nil }
        (self.mean, self.zones) = (mean, zones)
        (minimum, maximum) = (all.minimum, all.maximum)
        recordedSeconds = held.seconds
        zoneSeconds = zones.map { _ in inZones.dropFirst().map { Int($0 * HeldHeartRates.slotMilliseconds / 1000) } }
        rest(halves, from: first, time)
    }

    /// The half-hour that a slot begins in, counted from a moment on.
    private static func half(of slot: Int64, from first: Int64) -> (number: Int, slots: Range<Int64>) {
        let number = (slot * HeldHeartRates.slotMilliseconds - first).floorDivided(by: halfHour)
        let begin = first + number * halfHour
        return (Int(number), HeldHeartRates.slots(in: begin..<begin + halfHour))
    }

    private mutating func rest(_ halves: [HeldTime], from first: Int64, _ time: Time) {
        var (means, ofNight): ([Double], Int) = ([], 0)
        for (half, held) in halves.enumerated() where held.slots >= Self.sufficient {
            let begin = first + Int64(half) * Self.halfHour
            guard let mean = held.mean, !time.workouts.contains(where: { $0.overlaps(begin..<begin + Self.halfHour) })
            else { continue }
            means.append(mean)
            let minute = time.minuteOfDay(begin)
            if minute >= Self.night.from || minute + 30 <= Self.night.to { ofNight += 1 }
        }
        guard means.count >= Self.leastHalfHours else { return }
        resting = means.sorted().prefix(Self.quietest).reduce(0, +) / Double(Self.quietest)
        restingOf = ofNight >= Self.leastHalfHours ? .night : .day
    }
}
