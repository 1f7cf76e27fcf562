import Days
package import Fitness
import Telemetry

// What a day's energy comes to. Each part is as the rest of the house counts it:
//
//     resting   the basal rate of the day's body (Mifflin-St Jeor), for the part of the day that has passed; known with a whole profile
//     active    what workouts and the steps outside of them took beyond rest (`DayTotals.kilocalories`)

/// What a person has eaten and used on a day, in kilocalories.
package struct EnergyBalance: Equatable, Sendable {
    package let eaten: Nutrition
    /// For the part of the day that has passed; nil if it is not known.
    package let resting: Double?
    /// Nil if nothing is known.
    package let active: Double?
    /// What the body uses at rest in the rest of the day.
    private let toCome: Double

    /// What was eaten, less what was used; nil if it is not known what the body uses at rest.
    package var balance: Double? { resting.map { eaten.kilocalories - $0 - (active ?? 0) } }

    /// What may still be eaten until both are the same at the end of the day.
    package var left: Double? { balance.map { max(0, toCome - $0) } }

    /// - Parameters:
    ///   - person: as they were on the day.
    ///   - passed: how much of the day has passed, from 0 to 1.
    package init(eaten: Nutrition, _ day: DayTotals, of person: Person, passed: Double = 1) {
        let resting = person.basalKilocaloriesPerDay.flatMap { $0 > 0 ? $0 : nil }
        (self.eaten, active) = (eaten, day.kilocalories)
        (self.resting, toCome) = (resting.map { $0 * passed }, (resting ?? 0) * (1 - passed))
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
