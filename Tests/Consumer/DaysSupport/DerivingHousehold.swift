package import Days
package import HouseholdSupport
package import Readings
package import Records
package import Storage
import TestSupport

extension Household {
    /// The parts of a consumer without a broker, as they are after a start, with what is kept of the readings.
    package func open(
        people: String = Household.usualPeople, now: Int64 = start, sessionCapacity: Int = 1024,
        densest: Density.Limits = Density.Limits(), adding schema: Schema = Schema(),
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

extension Parts {
    /// What computes hours again.
    package var stale: StaleHours {
        get throws {
            guard let stale = (ingest.totals as? Totals)?.stale else { throw TestFailure("nothing is derived") }
            return stale
        }
    }
}
