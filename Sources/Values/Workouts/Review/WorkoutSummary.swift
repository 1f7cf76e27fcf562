/// What is kept of a workout to compare it with others. What is not known is nil.
public struct WorkoutSummary: Hashable, Sendable {
    /// What can be compared and summed up.
    public enum Attribute: String, CaseIterable, Hashable, Sendable {
        /// Seconds, without pauses.
        case duration
        /// Metres.
        case distance
        /// Steps.
        case steps
        /// Kilocalories.
        case energy
        /// Metres climbed.
        case ascent
        /// The mean heart rate, in beats per minute.
        case heartRate
        /// The mean speed, in metres a second.
        case speed
        /// Edwards' load.
        case load

        /// Whether a total of it means anything.
        public var hasTotal: Bool { self != .heartRate && self != .speed }

        /// The name where names include the unit.
        public var field: String {
            switch self {
            case .duration: "duration_s"
            case .distance: "distance_m"
            case .steps: "steps"
            case .energy: "energy_kcal"
            case .ascent: "ascent_m"
            case .heartRate: "heart_rate_bpm"
            case .speed: "speed_mps"
            case .load: "load"
            }
        }
    }

    /// What was done.
    public var activity: Activity
    /// When it began, in Unix milliseconds.
    public var started: Int64
    /// What is known; nothing that is not a number from 0 on.
    public private(set) var values: [Attribute: Double]
    /// The best times over the distances of `BestTime`.
    public var bestTimes: [BestTime]
    /// The lowest heart rate, in beats per minute.
    public var lowestHeartRate: Double?
    /// The highest heart rate, in beats per minute.
    public var highestHeartRate: Double?
    /// For how many seconds the heart rate was recorded; nil if that is not known.
    public var recordedSeconds: Double?

    /// A workout of which this much is known.
    public init(
        _ activity: Activity, started: Int64, values: [Attribute: Double], bestTimes: [BestTime] = []
    ) {
        (self.activity, self.started, self.bestTimes) = (activity, started, bestTimes)
        self.values = values.filter { $0.value >= 0 && $0.value.isFinite }
    }

    /// A workout by its figures and its way; nil if it has not begun.
    public init?(_ activity: Activity, _ figures: WorkoutFigures, _ course: Course? = nil) {
        guard let started = figures.started else { return nil }
        var values: [Attribute: Double] = [.duration: Double(figures.activeMilliseconds) / 1000]
        values[.distance] = figures.metres
        values[.steps] = figures.steps.map { Double($0) }
        values[.energy] = figures.kilocalories
        values[.ascent] = figures.ascentMetres
        values[.heartRate] = figures.heartRate?.mean
        values[.speed] = figures.speed?.mean
        values[.load] = figures.heartRate?.edwards
        self.init(
            activity, started: started, values: values, bestTimes: course.map { Way($0).bestTimes(activity) } ?? [])
        lowestHeartRate = figures.heartRate.map { Double($0.minimum) }
        highestHeartRate = figures.heartRate.map { Double($0.maximum) }
        recordedSeconds = figures.heartRate.map { Double($0.recordedMilliseconds) / 1000 }
    }

    /// An attribute; nil if it is not known.
    public subscript(attribute: Attribute) -> Double? { values[attribute] }
}

/// An attribute over several workouts.
public struct WorkoutStatistic: Hashable, Sendable {
    /// The mean of the workouts of which it is known.
    public let mean: Double
    /// The most in one workout.
    public let maximum: Double
    /// Over all of them; nil if a total means nothing.
    public let total: Double?
    /// Of how many workouts it is known.
    public let count: Int

    /// The statistics of every attribute that is known of any workout.
    public static func of(_ workouts: some Collection<WorkoutSummary>) -> [WorkoutSummary.Attribute: WorkoutStatistic] {
        var statistics: [WorkoutSummary.Attribute: WorkoutStatistic] = [:]
        for attribute in WorkoutSummary.Attribute.allCases {
            // Always in the same order: sums of fractions depend on it.
            let values = workouts.compactMap { $0[attribute] }.sorted()
            guard let maximum = values.last else { continue }
            let total = values.reduce(0, +)
            statistics[attribute] = WorkoutStatistic(
                mean: total / Double(values.count), maximum: maximum, total: attribute.hasTotal ? total : nil,
                count: values.count)
        }
        return statistics
    }
}

/// A person's best. Of several that are as good, the earliest holds it.
public struct PersonalRecord: Hashable, Sendable {
    /// What there are records of.
    public enum Kind: Hashable, Sendable {
        /// The longest time without pauses, in seconds.
        case longest
        /// The longest way, in metres.
        case farthest
        /// The most metres climbed.
        case mostAscent
        /// The shortest time over a distance in metres, in seconds.
        case fastest(metres: Double)
    }

    /// What it is a record of.
    public let kind: Kind
    /// How good it is, in the kind's unit.
    public let value: Double
    /// Which of the workouts it was, by its place in the list.
    public let index: Int

    /// The records of some workouts, in a list in any order. Nothing is no record: there must have been something.
    ///
    /// Times of different activities are not comparable: ask for each activity by itself.
    public static func of(_ workouts: [WorkoutSummary]) -> [PersonalRecord] {
        let order = workouts.indices.sorted { (workouts[$0].started, $0) < (workouts[$1].started, $1) }
        func best(_ kind: Kind, _ value: (WorkoutSummary) -> Double?, _ isBetter: (Double, Double) -> Bool)
            -> PersonalRecord?
        {
            var record: PersonalRecord?
            for index in order {
                guard let value = value(workouts[index]), value > 0 else { continue }
                if record.map({ isBetter(value, $0.value) }) ?? true {
                    record = PersonalRecord(kind: kind, value: value, index: index)
                }
            }
            return record
        }
        var records = [
            best(.longest, { $0[.duration] }, >), best(.farthest, { $0[.distance] }, >),
            best(.mostAscent, { $0[.ascent] }, >),
        ]
        for metres in BestTime.distances {
            records.append(
                best(.fastest(metres: metres), { $0.bestTimes.first { abs($0.metres - metres) < 1 }?.seconds }, <))
        }
        return records.compactMap { $0 }
    }
}
