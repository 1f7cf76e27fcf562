/// What a heart rate at rest is compared with: those of the days before.
public struct RestingBaseline {
    /// How many days make a baseline, and how many of them must have a value.
    public static let (days, least) = (7, 3)

    /// The days before, the latest last.
    private var before: [(day: CalendarDay, resting: Double, of: HeartRateDay.Rest)] = []

    /// No days yet.
    public init() {}

    /// The median of the heart rates at rest of the days before, all of the night or all by day; nil if too few are known.
    public static func median(_ days: [Double?]) -> Double? {
        let known = days.compactMap(\.self).sorted()
        guard known.count >= least else { return nil }
        return (known[(known.count - 1) / 2] + known[known.count / 2]) / 2
    }

    /// Adds a day, later than those before.
    public mutating func add(_ heartRate: HeartRateDay, on day: CalendarDay) {
        guard let resting = heartRate.resting, let kind = heartRate.restingOf else { return }
        before.removeAll { $0.day.distance(to: day) > Self.days }
        before.append((day, resting, kind))
    }

    /// The baseline of a day that is later than those that were added.
    public func value(on day: CalendarDay, of kind: HeartRateDay.Rest) -> Double? {
        Self.median(before.filter { $0.of == kind && $0.day.distance(to: day) <= Self.days }.map(\.resting))
    }
}

extension HeartRateDay {
    /// How many beats a minute the heart rate at rest is above its baseline, rounded; 0 if it is as usual, less than 3 away from it.
    public var restingDifference: Int? {
        guard let resting, let restingBaseline else { return nil }
        let difference = resting - restingBaseline
        return abs(difference) < 3 ? 0 : Int(difference.rounded())
    }
}
