/// What follows from a day's heart rates.
public struct HeartRateDay: Hashable, Sendable, Codable {
    /// What part of the day a heart rate at rest is of: by day people sit at some 8 bpm more, so the two are not comparable.
    public enum Rest: String, CaseIterable, Hashable, Sendable, Codable {
        /// Enough of the night was recorded.
        case night
        /// It was not.
        case day
    }

    /// How many half-hours must count, and how many of the quietest make the heart rate at rest.
    private static let (leastHalfHours, quietest) = (8, 6)

    /// The mean over the recorded time, in beats per minute.
    public var mean: Double
    /// The lowest sample of each minute's best source.
    public var minimum: Int
    /// The highest of them.
    public var maximum: Int
    /// The mean of the six quietest half-hours; nil on days with fewer than eight that count.
    public var resting: Double?
    /// What the heart rate at rest is of; nil if there is none.
    public var restingOf: Rest?
    /// The median of the heart rates at rest of the days before, of the same kind; nil if it was not looked for, or too few are known.
    public var restingBaseline: Double?
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
    ///   - minutes: with those of `Time.needed`.
    ///   - person: as they were on that day.
    public init?(_ minutes: HeartRateSources, _ time: Time, of person: Person) {
        var all = HeartRateSamples()
        minutes.forEachMinute { number, samples, _ in
            for interval in time.intervals where interval.contains(number * 60_000) { all.merge(samples) }
        }
        guard !all.isEmpty, let first = time.intervals.first?.lowerBound else { return nil }
        let zones = person.zones()
        var (held, inZones) = (HeldTime(), [Int64](repeating: 0, count: 1 + (zones?.bounds.count ?? 0)))
        let last = time.intervals.last?.upperBound ?? first
        var halves = HalfHours(first..<last)
        let intervals = time.intervals.map { HeldHeartRates.slots(in: $0) }
        minutes.forEachPiece { piece in
            for interval in intervals {
                let slots = piece.slots.clamped(to: interval)
                guard !slots.isEmpty else { continue }
                held.add(Int64(slots.count), piece.mean)
                inZones[zones?.zone(of: piece.mean) ?? 0] += Int64(slots.count)
                halves.add(slots, piece.mean)
            }
        }
        guard let mean = held.mean else { return nil }
        (self.mean, self.zones) = (mean, zones)
        (minimum, maximum) = (all.minimum, all.maximum)
        recordedSeconds = held.seconds
        zoneSeconds = zones.map { _ in inZones.dropFirst().map { Int($0 * HeldHeartRates.slotMilliseconds / 1000) } }
        rest(halves.counted(time.workouts), time)
    }

    private mutating func rest(_ halves: [(mean: Double, from: Int64)], _ time: Time) {
        guard halves.count >= Self.leastHalfHours else { return }
        resting = halves.map(\.mean).sorted().prefix(Self.quietest).reduce(0, +) / Double(Self.quietest)
        let ofNight = halves.count { half in
            let minute = time.minuteOfDay(half.from)
            return minute >= NightFigures.usual.begin || minute + 30 <= NightFigures.usual.end
        }
        restingOf = ofNight >= Self.leastHalfHours ? .night : .day
    }
}
