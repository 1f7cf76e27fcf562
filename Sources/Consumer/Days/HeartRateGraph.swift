package import Files
import Fitness
import Readings
package import Records
package import Telemetry

// A curve of a span of time: buckets of one width, each with the lowest, the mean and the highest heart rate in it. A
// bucket is made of samples if it is narrower than a minute, of minutes if it is narrower than an hour, and of
// hours otherwise: so a curve of five years is made of fewer numbers than a curve of a month. Where buckets begin, and
// how wide they are, is rounded so that each minute and each hour is in one bucket: a bucket has the same values as
// its samples, whether it was made of samples, minutes or hours.

/// What a curve shows.
package struct HeartRateGraph: Equatable {
    /// What buckets are made of.
    package enum Tier: String, CaseIterable {
        case samples, minutes, hours

        /// The beginning and the width of its buckets are multiples of one of these, in milliseconds; narrower buckets
        /// only have the first.
        var resolutions: [Int64] {
            switch self {
            case .samples: [1, 1000]
            case .minutes: [60_000]
            case .hours: [3_600_000]
            }
        }

        /// Buckets from this width on are made of something wider, in milliseconds.
        var limit: Int64 {
            switch self {
            case .samples: 60_000
            case .minutes: 3_600_000
            case .hours: .max
            }
        }
    }

    let tier: Tier
    /// Unix milliseconds: the beginning of the first bucket, and an end no later than that of the last.
    package let times: Range<Int64>
    /// The width of each bucket, in milliseconds.
    package let width: Int64
    /// The samples in each bucket.
    var buckets: [HeartRateSamples]

    /// How many points a curve has at most, and how many if the request does not say.
    package static let (mostPoints, usualPoints): (Int64, Int64) = (2000, 500)

    /// Empty buckets for a span of time, in Unix milliseconds: at most `points`, from 1 on.
    package init(_ asked: Range<Int64>, points: Int64) {
        for tier in Tier.allCases {
            for resolution in tier.resolutions {
                let first = asked.lowerBound.floorDivided(by: resolution) * resolution
                let end = -(-asked.upperBound).floorDivided(by: resolution) * resolution
                // Rounded up to whole buckets' parts of the resolution.
                let units = (end - first) / resolution
                let width = max(1, (units + points - 1) / points) * resolution
                let limit = resolution == 1 ? 1000 : tier.limit
                guard width < limit else { continue }
                self.tier = tier
                times = first..<end
                self.width = width
                buckets = Array(repeating: HeartRateSamples(), count: Int((end - first + width - 1) / width))
                return
            }
        }
        // Hours have no limit.
        (tier, times, width, buckets) = (.hours, asked, .max, [HeartRateSamples()])
    }

    /// Reads what is in the buckets.
    package mutating func fill(of user: ID, _ store: Store, _ keys: Keys) throws(VaultError) {
        let tiers = HeartRateTiers(store, keys)
        var buckets = buckets
        let (width, first) = (width, times.lowerBound)
        // The last bucket is whole, too.
        let whole = first..<first + Int64(buckets.count) * width
        switch tier {
        case .samples:
            _ = try StoredReadings(store: store, keys: keys).forEach(
                of: user, .heartRate, from: whole.lowerBound, to: whole.upperBound
            ) { reading in
                guard let rate = reading.heartRate else { return }
                buckets[Int((reading.moment.wall - first) / width)].add(rate)
            }
        case .minutes:
            try tiers.forEachMinute(of: user, in: whole) { number, minute in
                buckets[Int((number * 60_000 - first) / width)].merge(minute.samples)
            }
        case .hours:
            try tiers.forEachHour(of: user, in: whole) { number, samples in
                buckets[Int((number * 3_600_000 - first) / width)].merge(samples)
            }
        }
        self.buckets = buckets
    }

    /// The reply. With 2,000 buckets it has less than 64 KiB.
    package var json: JSON {
        let full = buckets.indices.filter { !buckets[$0].isEmpty }
        func column(_ number: (HeartRateSamples) -> JSON) -> JSON { .array(full.map { number(buckets[$0]) }) }
        return [
            "from": .integer(times.lowerBound), "to": .integer(times.upperBound), "width_ms": .integer(width),
            "tier": .string(tier.rawValue), "index": .array(full.map { .integer(Int64($0)) }),
            "min": column { .integer(Int64($0.minimum)) }, "mean": column { .number($0.mean.map(Self.rounded) ?? 0) },
            "max": column { .integer(Int64($0.maximum)) },
        ]
    }

    /// To one decimal.
    package static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}
