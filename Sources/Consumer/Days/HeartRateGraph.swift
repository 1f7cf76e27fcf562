package import Files
import Fitness
import Readings
package import Records
package import Telemetry

// A curve of a span of time: buckets of one width, each with the lowest, the mean and the highest heart rate in it. A
// bucket is made of samples if it is narrower than a minute, of minutes if it is narrower than an hour, and of
// hours otherwise: so a curve of five years is made of fewer numbers than a curve of a month. Where buckets begin, and
// how wide they are, is rounded so that each minute and each hour is in one bucket: with one sensor, a bucket has the same
// extremes as its samples, whether it was made of samples, minutes or hours. The mean of a bucket is that over its time, but where
// samples are drawn; of a bucket of hours, each hour is counted alone. So is the mean of the whole span, which is not the mean of what
// is drawn. Of several sensors at once the best one of each slot counts; for the
// extremes of minutes and hours, that of each minute (`HeartRateSources`).

/// Finds the buckets of times that ascend, mostly by a bucket that it has found before.
private struct BucketCursor {
    private let first: Int64
    private let width: Int64
    private var current = 0
    /// Where the current bucket ends.
    private(set) var end: Int64

    init(_ first: Int64, _ width: Int64) { (self.first, self.width, end) = (first, width, first + width) }

    /// The bucket of a time from the first one's beginning on, not before the one that was asked for last.
    mutating func index(of time: Int64) -> Int {
        guard time >= end else { return current }
        current = Int((time - first) / width)
        end = first + (Int64(current) + 1) * width
        return current
    }
}

/// How long each heart rate holds in a curve.
private struct Held {
    /// In all that was asked for.
    private(set) var all = HeldTime()
    /// In each bucket of minutes: those are whole minutes, and so whole slots.
    private(set) var inBuckets: [HeldTime]
    private let asked: Range<Int64>
    private var bucket: BucketCursor

    init(_ asked: Range<Int64>, _ whole: Range<Int64>, _ width: Int64, _ buckets: Int) {
        self.asked = HeldHeartRates.slots(in: asked)
        inBuckets = Array(repeating: HeldTime(), count: buckets)
        let slot = HeldHeartRates.slotMilliseconds
        bucket = BucketCursor(HeldHeartRates.slots(in: whole).lowerBound, width / slot)
    }

    /// Adds what some minutes hold within a window of the buckets. Windows ascend.
    mutating func add(_ minutes: HeartRateSources, in window: Range<Int64>) {
        let (asked, window) = (asked, HeldHeartRates.slots(in: window))
        var (all, bucket) = (all, bucket)
        inBuckets.withUnsafeMutableBufferPointer { inBuckets in
            minutes.forEachPiece { piece in
                let mean = piece.mean
                var from = max(piece.slots.lowerBound, window.lowerBound)
                let last = min(piece.slots.upperBound, window.upperBound)
                let length = min(last, asked.upperBound) - max(from, asked.lowerBound)
                if length > 0 { all.add(length, mean) }
                guard !inBuckets.isEmpty else { return }
                while from < last {
                    let index = bucket.index(of: from)
                    let end = min(bucket.end, last)
                    inBuckets[index].add(end - from, mean)
                    from = end
                }
            }
        }
        (self.all, self.bucket) = (all, bucket)
    }
}

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
    /// The mean over the time of each bucket of minutes. Those of hours have it already, and samples are as they are.
    private var means: [Double?] = []
    /// The span as a whole; nil if nothing is recorded in it, or if it is so long that buckets are made of hours.
    private var span: Span?

    /// What the heart did in a span of time.
    private struct Span: Equatable {
        let mean: Double
        let samples: HeartRateSamples
        let seconds: Int
    }

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
        let (width, first, times) = (width, times.lowerBound, times)
        var all = HeartRateSamples()
        // The last bucket is whole, too.
        let whole = first..<first + Int64(buckets.count) * width
        var held = Held(times, whole, width, tier == .minutes ? buckets.count : 0)
        switch tier {
        case .samples:
            let minutes = try tiers.minutes(of: user, in: Self.needed(whole))
            held.add(minutes, in: whole)
            var best = BestHeartRates(minutes)
            _ = try StoredReadings(store: store, keys: keys).eachOfStreams(
                of: user, .heartRate, from: whole.lowerBound, to: whole.upperBound
            ) { reading, stream in
                guard let rate = reading.heartRate else { return true }
                let wall = reading.moment.wall
                let isBest = best.isBest(stream, at: wall)
                if isBest.ofSlot { buckets[Int((wall - first) / width)].add(rate) }
                if isBest.ofMinute, times.contains(wall) { all.add(rate) }
                return true
            }
        case .minutes:
            var bucket = BucketCursor(first, width)
            try tiers.forEachWindow(of: user, in: whole) { near, window in
                near.forEachMinute { number, samples, _ in
                    let time = number * 60_000
                    guard window.contains(time) else { return }
                    let index = bucket.index(of: time)
                    buckets[index].merge(samples)
                    // The last bucket may reach beyond the end of what is asked for.
                    if index == buckets.count - 1, times.contains(time) { all.merge(samples) }
                }
                held.add(near, in: window)
            }
            for bucket in buckets.dropLast() { all.merge(bucket) }
        case .hours:
            try tiers.forEachHour(of: user, in: whole) { number, samples in
                buckets[Int((number * 3_600_000 - first) / width)].merge(samples)
            }
        }
        self.buckets = buckets
        means = held.inBuckets.map(\.mean)
        if let mean = held.all.mean { span = Span(mean: mean, samples: all, seconds: held.all.seconds) }
    }

    /// When minutes are needed to know how a span was.
    package static func needed(_ times: Range<Int64>) -> Range<Int64> {
        times.lowerBound - HeldHeartRates.reach..<times.upperBound + HeldHeartRates.reach
    }

    /// The reply. With 2,000 buckets it has less than 64 KiB.
    package var json: JSON {
        let full = buckets.indices.filter { !buckets[$0].isEmpty }
        func column(_ number: (HeartRateSamples) -> JSON) -> JSON { .array(full.map { number(buckets[$0]) }) }
        let shown = full.map { index in (means.isEmpty ? nil : means[index]) ?? buckets[index].mean ?? 0 }
        return .object(present: [
            "from": .integer(times.lowerBound), "to": .integer(times.upperBound), "width_ms": .integer(width),
            "tier": .string(tier.rawValue), "index": .array(full.map { .integer(Int64($0)) }),
            "min": column { .integer(Int64($0.minimum)) }, "mean": .array(shown.map { .number(Self.rounded($0)) }),
            "max": column { .integer(Int64($0.maximum)) }, "span": span.map(Self.json),
        ])
    }

    private static func json(_ span: Span) -> JSON {
        .object(present: [
            "mean": .number(rounded(span.mean)),
            "min": span.samples.isEmpty ? nil : .integer(Int64(span.samples.minimum)),
            "max": span.samples.isEmpty ? nil : .integer(Int64(span.samples.maximum)),
            "recorded_s": .integer(Int64(span.seconds)),
        ])
    }

    /// To one decimal.
    package static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}
