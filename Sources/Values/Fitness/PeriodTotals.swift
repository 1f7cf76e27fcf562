// Means are means of days: how much somebody walks on a day, not in a reading. A day counts only in the means of what
// is known of it, so a forgotten strap makes nobody look lazier.

/// The totals of several days: a week, a month, a year, or any others.
public struct PeriodTotals: Hashable, Sendable {
    /// What adds up.
    public struct Amounts: Hashable, Sendable {
        /// Over all days.
        public let total: Double
        /// The mean of the days on which it is known.
        public let mean: Double
        /// The most on one day.
        public let maximum: Double

        init?(_ values: [Double]) {
            guard let most = values.max() else { return nil }
            total = values.reduce(0, +)
            mean = total / Double(values.count)
            maximum = most
        }
    }

    /// Temperatures, in degrees Celsius.
    public struct Temperatures: Hashable, Sendable {
        /// The mean over the recorded time.
        public let mean: Double
        /// The lowest of all.
        public let minimum: Double
        /// The highest of all.
        public let maximum: Double

        init?(_ days: [TemperatureDay]) {
            guard let mean = PeriodTotals.mean(days.map(\.mean)), let minimum = days.map(\.minimum).min(),
                let maximum = days.map(\.maximum).max()
            else { return nil }
            (self.mean, self.minimum, self.maximum) = (mean, minimum, maximum)
        }
    }

    /// Heart rates, in beats per minute.
    public struct HeartRates: Hashable, Sendable {
        /// The mean over the recorded time.
        public let mean: Double
        /// The lowest of all.
        public let minimum: Int
        /// The highest of all.
        public let maximum: Int
        /// The mean of the days' rates at rest, of those by night if there is any; nil if none is known.
        public let resting: Double?
        /// Seconds in the zones 1 to 5, of the days on which they are known; nil if there is none.
        public let zoneSeconds: [Int]?
        /// What part of the day the rate at rest is of; nil if there is none.
        public let restingOf: HeartRateDay.Rest?
        /// How many seconds are recorded.
        public let recordedSeconds: Int

        init?(_ days: [HeartRateDay]) {
            let recorded = days.reduce(0) { $0 + $1.recordedSeconds }
            guard recorded > 0, let minimum = days.map(\.minimum).min(), let maximum = days.map(\.maximum).max() else {
                return nil
            }
            mean = days.reduce(0) { $0 + $1.mean * Double($1.recordedSeconds) } / Double(recorded)
            (self.minimum, self.maximum, recordedSeconds) = (minimum, maximum, recorded)
            let rest: HeartRateDay.Rest = days.contains { $0.restingOf == .night } ? .night : .day
            resting = PeriodTotals.mean(days.filter { $0.restingOf == rest }.compactMap(\.resting))
            restingOf = resting == nil ? nil : rest
            let zones = days.compactMap(\.zoneSeconds)
            zoneSeconds = zones.first.map { first in
                zones.dropFirst().reduce(first) { sums, seconds in zip(sums, seconds).map { $0 + $1 } }
            }
        }
    }

    /// How a goal stood over the days.
    public struct GoalDays: Hashable, Sendable {
        /// On how many days it was reached.
        public let reached: Int
        /// The target of the latest day that has one; nil if there is none.
        public let target: Double?
    }

    /// On how many days anything was recorded.
    public let recordedDays: Int
    /// Steps; nil if they are not known of any day.
    public let steps: Amounts?
    /// The whole distance in metres.
    public let metres: Amounts?
    /// The parts of the total distance, by how they were done.
    public let metresByKind: [DistanceKind: Double]
    /// Kilocalories beyond rest.
    public let kilocalories: Amounts?
    /// Body temperatures.
    public let temperature: Temperatures?
    /// Heart rates.
    public let heartRate: HeartRates?
    /// The goals that had a target or were reached.
    public let goals: [Goal: GoalDays]

    /// The totals of these days, each given once, in any order.
    public init(_ days: some Sequence<DayTotals>) {
        // Always in the same order: sums of fractions depend on it.
        let days = days.sorted { $0.day < $1.day }
        recordedDays = days.count(where: \.isRecorded)
        steps = Amounts(days.compactMap { $0[.steps] })
        metres = Amounts(days.compactMap(\.metres))
        metresByKind = days.reduce(into: [:]) { $0.merge($1.figures?.metres ?? [:], uniquingKeysWith: +) }
        kilocalories = Amounts(days.compactMap(\.kilocalories))
        temperature = Temperatures(days.compactMap(\.temperature))
        heartRate = HeartRates(days.compactMap(\.heartRate))
        var goals: [Goal: GoalDays] = [:]
        for goal in Goal.allCases {
            let standing = days.compactMap { $0.goals[goal] }
            guard !standing.isEmpty else { continue }
            goals[goal] = GoalDays(
                reached: standing.count(where: \.isReached), target: standing.compactMap(\.target).last)
        }
        self.goals = goals
    }

    private static func mean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }
}
