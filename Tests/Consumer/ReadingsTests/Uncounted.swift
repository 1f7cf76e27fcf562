import Files
import HouseholdSupport
import Records
import Storage

@testable import Readings

/// Counts nothing: what readings mean to people is kept in the rooms above.
final class Uncounted: ReadingsSink {
    let deletions: Deletions
    private let store: Store
    private let keys: Keys

    init(_ store: Store, _ keys: Keys) {
        deletions = Deletions(store, keys)
        self.store = store
        self.keys = keys
    }

    func take(_ arrivals: [Arrival], _ clocks: [ClockArrival], now: Int64) {}

    func committed() {}

    func rolledBack() {}

    func forgetRead() {}

    func corrections(of stream: StoredStream) throws(VaultError) -> Corrections {
        guard let person = try keys.person(stream.user, version: stream.secretVersion) else { return Corrections() }
        var reader = StreamReader(stream, person, store)
        return try Corrections(of: stream, &reader, store)
    }
}

extension Household {
    /// The parts of a consumer without a broker, as they are after a start, where nothing is kept of the readings but
    /// themselves.
    func open(
        people: String = Household.usualPeople, now: Int64 = start, sessionCapacity: Int = 1024,
        densest: Density.Limits = Density.Limits(), limits: StorageLimits = StorageLimits()
    ) throws -> Parts {
        var parts = try open(
            people: people, now: now, sessionCapacity: sessionCapacity, densest: densest, adding: Schema(),
            counting: Uncounted.init)
        parts.ingest.allowances = StorageAllowances(limits)
        return parts
    }
}
