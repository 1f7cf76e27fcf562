import Days
import DaysSupport
import HouseholdSupport
import Readings
import Records
import Storage

@testable import Features
@testable import vitals_consumer

extension Household {
    /// The parts of a consumer with the tables of all features, because the commands know all features.
    func open(
        people: String = Household.usualPeople, now: Int64 = start, sessionCapacity: Int = 1024,
        densest: Density.Limits = Density.Limits(), adding schema: Schema = Feature.all.schema,
        deriving: (Store, Keys) -> [any Derivation] = { _, _ in [] }
    ) throws -> Parts {
        try open(
            people: people, now: now, sessionCapacity: sessionCapacity, densest: densest, adding: schema
        ) { store, keys in
            let derivations = deriving(store, keys)
            return Totals(store, keys, derivations, stale: StaleHours(store, keys, derivations))
        }
    }
}
