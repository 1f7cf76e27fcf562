package import Days
package import Fitness
package import HouseholdSupport
package import Readings
import Records
import Storage
package import Telemetry
import TestSupport

/// A household whose heart rates are kept by the minute.
package struct Hearts {
    package let household: Household
    package var parts: Parts
    package let minutes: HeartRateMinutes
    package let demo: ID
    package let other: ID

    package init(densest: Density.Limits = Density.Limits()) throws {
        household = try Household()
        parts = try household.open(
            people: "demo: { sensors: [\"home/strap\", \"home/belt\"] }, other: { sensors: [\"home/watch\"] }")
        minutes = HeartRateMinutes(parts.store, parts.keys)
        parts.ingest = Ingest(
            parts.store, parts.keys, gateways: parts.settings.gateways,
            totals: Totals(parts.store, parts.keys, [minutes]), densest: densest)
        demo = try ID("demo")
        other = try ID("other")
    }

    package var tiers: HeartRateTiers { HeartRateTiers(parts.store, parts.keys) }

    /// Folds all that is closed before an hour.
    package func fold(before hour: Int64 = .max, now: Int64 = start + 1_000_000_000_000) throws {
        while try minutes.fold(before: hour, now: now) {}
    }

    /// Counts again what is marked stale.
    package func catchUp() throws {
        let stale = StaleHours(parts.store, parts.keys, [minutes])
        for user in [demo, other] where try !stale.catchUp(user, within: .seconds(60)) {
            throw TestFailure("the hours of \(user) were not computed in time")
        }
    }

    private static let always = -Moment.limit - 3_600_000..<Moment.limit + 1

    /// What is kept, by the minute and by the hour, has to be what the stored readings say.
    package func agrees(_ user: ID? = nil) throws -> Bool {
        let user = user ?? demo
        let readings = try stored(user)
        let minutes = try tiers.minutes(of: user, in: Self.always)
        let hours = try tiers.hours(of: user, in: Self.always)
        let recount = try self.minutes.recount(of: user)
        return minutes.map(\.number) == Counted(readings).minutes.map(\.number)
            && minutes.map(\.minute) == Counted(readings).minutes.map(\.minute)
            && hours.map(\.number) == Counted(readings).hours.map(\.number)
            && hours.map(\.samples) == Counted(readings).hours.map(\.samples) && recount == (minutes.count, 0)
    }

    package func stored(_ user: ID) throws -> [Reading] {
        var readings: [Reading] = []
        let damaged = try StoredReadings(store: parts.store, keys: parts.keys).forEach(
            of: user, .heartRate, from: -Moment.limit, to: Moment.limit + 1
        ) { readings.append($0) }
        guard damaged == 0 else { throw TestFailure("\(damaged) rows do not open") }
        return readings
    }
}

/// Readings counted without the code that is tested.
package struct Counted {
    package var minutes: [(number: Int64, minute: HeartRateMinute)] = []
    package var hours: [(number: Int64, samples: HeartRateSamples)] = []

    package init(_ readings: [Reading]) {
        var (byMinute, byHour): ([Int64: HeartRateMinute], [Int64: HeartRateSamples]) = ([:], [:])
        for reading in readings {
            guard case .heartRate(let measurement) = reading.value, measurement.beatsPerMinute >= 25,
                measurement.beatsPerMinute <= 240, measurement.contact != .notDetected
            else { continue }
            let seconds = (Double(reading.moment.wall) / 1000).rounded(.down)
            let (minute, hour) = (Int64((seconds / 60).rounded(.down)), Int64((seconds / 3600).rounded(.down)))
            byMinute[minute, default: HeartRateMinute()].slots |= 1 << UInt16((Int64(seconds) - minute * 60) / 5)
            byMinute[minute]?.samples.add(Int(measurement.beatsPerMinute))
            byHour[hour, default: HeartRateSamples()].add(Int(measurement.beatsPerMinute))
        }
        minutes = byMinute.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        hours = byHour.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
