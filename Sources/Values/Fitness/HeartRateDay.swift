/// What follows from a day's heart rates.
public struct HeartRateDay: Hashable, Sendable, Codable {
    /// How much must be recorded before a heart rate at rest is given, in seconds.
    static let restingNeedsSeconds = 4 * 3600
    /// How many consecutive minutes the heart rate at rest is the mean of.
    static let restingMinutes = 5

    /// The mean of all samples, in beats per minute.
    public var mean: Double
    /// The lowest sample.
    public var minimum: Int
    /// The highest sample.
    public var maximum: Int
    /// The lowest mean of five consecutive minutes with at least half of each recorded; nil on days with less than four
    /// hours recorded.
    public var resting: Double?
    /// How many recorded seconds were spent in each of the zones 1 to 5; a minute is in the zone of its mean. Nil if
    /// the age is not known.
    public var zoneSeconds: [Int]?
    /// How many seconds are recorded.
    public var recordedSeconds: Int
    /// Energy by heart rate (Keytel et al.), in kilocalories, over the recorded seconds of minutes at 57 % of the
    /// maximum heart rate and above; above 90 % it counts as there. Nil if it is not known, and outside the ages 18
    /// to 45.
    public var kilocalories: Double?

    /// A day of these minutes; nil if none of them has a sample. A minute belongs to the day of its first moment.
    /// - Parameters:
    ///   - minutes: in any order, each once, by their number from 1970 on.
    ///   - person: as they were on that day.
    public init?(_ minutes: some Sequence<(number: Int64, minute: HeartRateMinute)>, of person: Person) {
        let minutes = minutes.filter { !$0.minute.samples.isEmpty }.sorted { $0.number < $1.number }
        var all = HeartRateSamples()
        for (_, minute) in minutes { all.merge(minute.samples) }
        guard let mean = all.mean else { return nil }
        self.mean = mean
        (minimum, maximum) = (all.minimum, all.maximum)
        recordedSeconds = minutes.reduce(0) { $0 + $1.minute.recordedSeconds }
        resting = recordedSeconds >= Self.restingNeedsSeconds ? Self.resting(minutes) : nil
        zoneSeconds = Self.zones(minutes, person)
        kilocalories = Self.kilocalories(minutes, person)
    }

    private typealias Numbered = (number: Int64, minute: HeartRateMinute)

    private static func resting(_ minutes: [Numbered]) -> Double? {
        let good = minutes.filter(\.minute.isSufficient)
        guard good.count >= restingMinutes else { return nil }
        return (0...good.count - restingMinutes).lazy.compactMap { start -> Double? in
            let five = good[start..<start + restingMinutes]
            guard good[start + restingMinutes - 1].number - good[start].number == restingMinutes - 1 else { return nil }
            return five.reduce(into: HeartRateSamples()) { $0.merge($1.minute.samples) }.mean
        }.min()
    }

    private static func zones(_ minutes: [Numbered], _ person: Person) -> [Int]? {
        guard let bounds = person.zoneBounds else { return nil }
        var seconds = [Int](repeating: 0, count: bounds.count + 1)
        for (_, minute) in minutes {
            guard let mean = minute.samples.mean else { continue }
            seconds[bounds.count { mean >= $0 }] += minute.recordedSeconds
        }
        return seconds
    }

    private static func kilocalories(_ minutes: [Numbered], _ person: Person) -> Double? {
        guard let rates = person.heartRatesOfEnergy else { return nil }
        return minutes.reduce(0) { total, numbered in
            guard let mean = numbered.minute.samples.mean, mean >= rates.lowerBound else { return total }
            let rate = min(mean, rates.upperBound)
            let minutes = Double(numbered.minute.recordedSeconds) / 60
            return total + (person.kilocalories(heartRate: rate, minutes: minutes) ?? 0)
        }
    }
}
