import Days
import Exercise
import Files
import Fitness
import Records
import Telemetry
import Workouts

// What a member has done in a challenge is the sum over that member's own days, from its first to its last. A day is what the calendar
// showed where they were, so nobody has more or less time than the others.

/// What people have done on the days of a challenge. Belongs to the thread of its store and keys; read-only ones will do.
struct ChallengeValues {
    private let days: Days
    private let workouts: WorkoutRows

    init(_ store: Store, _ keys: Keys, zone: String) {
        days = Days(store, keys, Histories(store, keys, zone: zone))
        workouts = WorkoutRows(store, keys)
    }

    /// A whole number, so that those who have done the same are equal: steps, metres, minutes or workouts. What was not
    /// recorded is nothing.
    func value(of user: ID, in challenge: Challenge) throws(VaultError) -> Int64 {
        switch challenge.measure {
        case .steps:
            try days.totalsWithoutHeartRate(of: user, in: challenge.days).reduce(0) { sum, day in
                sum + Int64(day.steps?.total ?? 0)
            }
        case .distance: try metres(of: user, in: challenge, \.metresOnFoot)
        case .allDistance: try metres(of: user, in: challenge, \.metres)
        case .minutes:
            try over(user, challenge).reduce(0) { $0 + $1.activeMilliseconds } / 60_000
        case .workouts: Int64(try over(user, challenge).count)
        }
    }

    private func metres(
        of user: ID, in challenge: Challenge, _ ofDay: (DayTotals) -> Double?
    ) throws(VaultError) -> Int64 {
        Self.whole(try days.totalsWithoutHeartRate(of: user, in: challenge.days).reduce(0.0) { $0 + (ofDay($1) ?? 0) })
    }

    /// What is measured may be damaged, and is no number then.
    private static func whole(_ value: Double) -> Int64 {
        value.isFinite ? Int64(min(max(value, 0), 1e15).rounded()) : 0
    }

    /// The workouts that count and began on one of the days.
    private func over(_ user: ID, _ challenge: Challenge) throws(VaultError) -> [KeptWorkout] {
        try workouts.counted(of: user, over: challenge.days, try days.histories.history(of: user).localDays)
    }
}
