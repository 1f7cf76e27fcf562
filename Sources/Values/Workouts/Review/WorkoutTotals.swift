/// What several workouts come to together. What is not known of any of them is nil.
public struct WorkoutTotals: Hashable, Sendable {
    /// How many workouts they are.
    public let workouts: Int
    /// The mean heart rate in beats per minute, in which a workout counts as much as of its heart rates
    /// is recorded, or as it is long where that is not known.
    public let heartRate: Double?
    /// The lowest heart rate, in beats per minute.
    public let lowestHeartRate: Double?
    /// The highest heart rate, in beats per minute.
    public let highestHeartRate: Double?
    private let totals: [WorkoutSummary.Attribute: Double]

    /// The totals of these workouts, in any order.
    public init(_ workouts: some Collection<WorkoutSummary>) {
        self.workouts = workouts.count
        var totals: [WorkoutSummary.Attribute: Double] = [:]
        for attribute in WorkoutSummary.Attribute.allCases where attribute.hasTotal {
            // Always in the same order: sums of fractions depend on it.
            let values = workouts.compactMap { $0[attribute] }.sorted()
            if !values.isEmpty { totals[attribute] = values.reduce(0, +) }
        }
        self.totals = totals
        lowestHeartRate = workouts.compactMap(\.lowestHeartRate).min()
        highestHeartRate = workouts.compactMap(\.highestHeartRate).max()
        let hearts = workouts.compactMap { workout in
            workout[.heartRate].map { (rate: $0, seconds: max(workout.recordedSeconds ?? workout[.duration] ?? 0, 1)) }
        }.sorted { ($0.rate, $0.seconds) < ($1.rate, $1.seconds) }
        let seconds = hearts.reduce(0) { $0 + $1.seconds }
        heartRate = hearts.isEmpty ? nil : hearts.reduce(0) { $0 + $1.rate * $1.seconds } / seconds
    }

    /// The total of an attribute; nil if it is not known, or a total of it means nothing.
    public subscript(attribute: WorkoutSummary.Attribute) -> Double? { totals[attribute] }
}
