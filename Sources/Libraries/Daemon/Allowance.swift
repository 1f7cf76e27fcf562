/// How often each of many askers may ask: a burst at once, then a number each second. Belongs to one thread.
public struct Allowance<Asker: Hashable> {
    private struct Bucket {
        var tokens: Double
        var time: UInt64
    }

    private let perSecond: Double
    private let burst: Double
    private let capacity: Int
    private var buckets: [Asker: Bucket] = [:]

    /// - Parameter capacity: how many askers are remembered; one that has used up nothing needs no memory.
    public init(perSecond: Double, burst: Double, capacity: Int = 65_536) {
        self.perSecond = perSecond
        self.burst = burst
        self.capacity = capacity
    }

    /// Takes one; nil if that is allowed, else how many seconds to wait.
    /// - Parameter now: milliseconds of a clock that never runs backwards.
    public mutating func take(_ asker: Asker, now: UInt64) -> Int? {
        if buckets[asker] == nil, buckets.count >= capacity {
            buckets = buckets.filter { tokens($0.value, now) < burst }
            // All remembered askers are busy: a newcomer has to wait for one of them.
            guard buckets.count < capacity else { return 1 }
        }
        var bucket = buckets[asker] ?? Bucket(tokens: burst, time: now)
        bucket.tokens = tokens(bucket, now)
        bucket.time = now
        defer { buckets[asker] = bucket }
        guard bucket.tokens >= 1 else { return max(1, Int(((1 - bucket.tokens) / perSecond).rounded(.up))) }
        bucket.tokens -= 1
        return nil
    }

    /// Takes more than one, whether or not so many are left: what is missing has to come again first, at most a burst.
    public mutating func charge(_ asker: Asker, _ amount: Int, now: UInt64) {
        guard amount > 0, buckets[asker] != nil || buckets.count < capacity else { return }
        let left = buckets[asker].map { tokens($0, now) } ?? burst
        buckets[asker] = Bucket(tokens: max(-burst, left - Double(amount)), time: now)
    }

    private func tokens(_ bucket: Bucket, _ now: UInt64) -> Double {
        min(burst, bucket.tokens + Double(now &- min(now, bucket.time)) / 1000 * perSecond)
    }
}
