import Days
package import Fitness
import Telemetry
package import Workouts

// What a day's energy comes to. Each part is as the rest of the house counts it:
//
//     resting   the basal rate of the day's body (Mifflin-St Jeor), for the whole day; known with a whole profile
//     active    the day's steps, which are net already (`DayTotals.kilocalories`), and what workouts took beyond theirs
//
// A workout's energy includes what the body uses at rest, as its formulas do. That is taken off, or it would count twice. So
// would a run's steps, which are among the day's: of a workout, only what goes beyond the steps in it is added.

/// What a person has eaten and used on a day, in kilocalories.
package struct EnergyBalance: Equatable, Sendable {
    package let eaten: Nutrition
    /// For the whole day; nil if it is not known.
    package let resting: Double?
    /// Nil if nothing is known.
    package let active: Double?

    /// What was eaten, less what was used; nil if it is not known what the body uses at rest.
    package var balance: Double? { resting.map { eaten.kilocalories - $0 - (active ?? 0) } }

    /// What may still be eaten until both are the same.
    package var left: Double? { balance.map { max(0, -$0) } }

    package init(eaten: Nutrition, resting: Double?, active: Double?) {
        (self.eaten, self.resting, self.active) = (eaten, resting, active)
    }

    /// - Parameters:
    ///   - person: as they were on the day.
    ///   - workouts: those that began on the day.
    package init(eaten: Nutrition, _ day: DayTotals, _ workouts: [WorkoutSummary], of person: Person) {
        let resting = person.basalKilocaloriesPerDay.flatMap { $0 > 0 ? $0 : nil }
        self.init(
            eaten: eaten, resting: resting,
            active: Self.active(day, workouts, of: person, restingPerSecond: (resting ?? 0) / 86_400))
    }

    private static func active(
        _ day: DayTotals, _ workouts: [WorkoutSummary], of person: Person, restingPerSecond: Double
    ) -> Double? {
        let known = workouts.filter { $0[.energy] != nil }
        guard day.kilocalories != nil || !known.isEmpty else { return nil }
        var (active, stepped) = (day.kilocalories ?? 0, day.kilocalories ?? 0)
        for workout in known {
            let net = max(0, (workout[.energy] ?? 0) - restingPerSecond * (workout[.duration] ?? 0))
            let overlap = min(stepped, Self.stepped(workout, net: net, day, person))
            stepped -= overlap
            active += max(0, net - overlap)
        }
        return active
    }

    /// How much of a workout is in the energy of the day's steps, at most.
    private static func stepped(
        _ workout: WorkoutSummary, net: Double, _ day: DayTotals, _ person: Person
    ) -> Double {
        guard let energy = day.kilocalories, let steps = day.steps?.total, steps > 0 else { return 0 }
        if let own = workout[.steps] { return energy * min(1, own / Double(steps)) }
        guard let gait = workout.activity.gait else { return 0 }
        return workout[.distance].flatMap { person.kilocalories(metres: $0, gait) } ?? net
    }
}

extension EnergyBalance {
    /// `"total":{…},"burned":{…},"balance_kcal":…,"left_kcal":…`
    /// - Parameter isToday: whether the day still goes on: nothing is left of others.
    func members(isToday: Bool) -> [JSON.Member] {
        func whole(_ value: Double?) -> JSON? { value.map { .number($0, decimals: 0) } }
        let all: KeyValuePairs<String, JSON?> = [
            "total": .object(eaten.members),
            "burned": .object(present: ["resting_kcal": whole(resting), "active_kcal": whole(active)]),
            "balance_kcal": whole(balance), "left_kcal": isToday ? whole(left) : nil,
        ]
        return all.compactMap { name, value in value.map { JSON.Member(name, $0) } }
    }
}
