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
            people: "demo: { sensors: [\"home/strap\", \"home/belt\", \"home/band\"] }, other: { sensors: [\"home/watch\"] }")
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
        let counted = try storedByStream(user).mapValues(Counted.init).filter { !$0.value.minutes.isEmpty }
        let kept = try tiers.minutes(of: user, in: Self.always).all.filter { !$0.minutes.isEmpty }
        let right = Counted.hours(of: counted)
        let hours = try tiers.hours(of: user, in: Self.always)
        let recount = try self.minutes.recount(of: user)
        return kept.map(\.source.number).sorted() == counted.keys.sorted()
            && kept.allSatisfy { one in
                one.minutes.map(\.number) == counted[one.source.number]?.minutes.map(\.number)
                    && one.minutes.map(\.minute) == counted[one.source.number]?.minutes.map(\.minute)
            } && hours.map(\.number) == right.map(\.number) && zip(hours, right).allSatisfy { Self.isSame($0.samples, $1.samples) }
            && recount == (Set(counted.values.flatMap { $0.minutes.map(\.number) }).count, 0)
    }

    /// How many samples all minutes have.
    package func samplesKept() throws -> Int {
        try tiers.minutes(of: demo, in: Self.always).together.reduce(0) { $0 + $1.minute.samples.count }
    }

    /// Sums may be rounded differently, because they were added up in another order.
    private static func isSame(_ one: HeartRateSamples, _ other: HeartRateSamples) -> Bool {
        var other = other
        if abs(one.sum - other.sum) == 1 { other.sum = one.sum }
        return one == other
    }

    package func stored(_ user: ID) throws -> [Reading] {
        try storedByStream(user).values.flatMap { $0 }.sorted { $0.moment.wall < $1.moment.wall }
    }

    private func storedByStream(_ user: ID) throws -> [Int64: [Reading]] {
        var readings: [Int64: [Reading]] = [:]
        let damaged = try StoredReadings(store: parts.store, keys: parts.keys).eachOfStreams(
            of: user, .heartRate, from: -Moment.limit, to: Moment.limit + 1
        ) { reading, stream in
            readings[stream, default: []].append(reading)
            return true
        }
        guard damaged == 0 else { throw TestFailure("\(damaged) rows do not open") }
        return readings
    }
}

extension HeartRateSources {
    /// The samples of all sources by minute, in order.
    package var together: [(number: Int64, minute: HeartRateMinute)] {
        var together: [Int64: HeartRateMinute] = [:]
        for one in all {
            for (number, minute) in one.minutes { together[number, default: HeartRateMinute()].merge(minute) }
        }
        return together.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
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
            if measurement.rrIntervals.contains(where: { $0 > 0 }) { byMinute[minute]?.hasIntervals = true }
            byMinute[minute]?.samples.add(Int(measurement.beatsPerMinute))
            byHour[hour, default: HeartRateSamples()].add(Int(measurement.beatsPerMinute))
        }
        minutes = byMinute.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        hours = byHour.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The hours of several sources without records, each alone: what is held, slot by slot, and the extremes of each minute's
    /// best source.
    package static func hours(of sources: [Int64: Counted]) -> [(number: Int64, samples: HeartRateSamples)] {
        var held: [Int64: (rank: [Int64], mean: Double)] = [:]
        var best: [Int64: (rank: [Int64], samples: HeartRateSamples)] = [:]
        for (source, counted) in sources {
            let minutes = Dictionary(uniqueKeysWithValues: counted.minutes.map { ($0.number, $0.minute) })
            let slots = counted.minutes.flatMap { number, minute in
                (0..<12 as Range<Int64>).filter { minute.slots & 1 << UInt16($0) != 0 }.map { number * 12 + $0 }
            }
            for (index, slot) in slots.enumerated() {
                func gap(_ other: Int) -> Int64? {
                    guard slots.indices.contains(other), floor(slots[other], 720) == floor(slot, 720) else { return nil }
                    return abs(slots[other] - slot)
                }
                let (before, after) = (gap(index - 1), gap(index + 1))
                let interval: Int64 = [before, after].compactMap { $0 }.filter { $0 <= 180 }.min() ?? .max
                guard let minute = minutes[floor(slot, 12)], let mean = minute.samples.mean else { continue }
                let rank: [Int64] = [minute.hasIntervals ? 0 : 1, interval, source]
                func isBetter(_ other: [Int64]?) -> Bool { other.map { rank.lexicographicallyPrecedes($0) } ?? true }
                for one in slot..<min(slot + HeldHeartRates.held(before: before, after: after), (floor(slot, 720) + 1) * 720)
                where isBetter(held[one]?.rank) { held[one] = (rank, mean) }
                if isBetter(best[floor(slot, 12)]?.rank) { best[floor(slot, 12)] = (rank, minute.samples) }
            }
        }
        var hours: [Int64: HeartRateSamples] = [:]
        for (number, minute) in best { hours[floor(number, 60), default: HeartRateSamples()].merge(minute.samples) }
        for (hour, slots) in Dictionary(grouping: held, by: { floor($0.key, 720) }) {
            hours[hour]?.count = 100 * slots.count
            hours[hour]?.sum = Int((slots.reduce(0) { $0 + $1.value.mean } * 100).rounded())
        }
        return hours.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
        Int64((Double(number) / Double(divisor)).rounded(.down))
    }
}
