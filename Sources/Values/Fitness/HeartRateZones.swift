// The zones 1 to 5 of heart rates begin at five bounds; what is below the first is zone 0, which counts nowhere. This is the one place
// where bounds are made. Days and graphs, which belong to no activity, have those of a run.

/// Where a person's zones begin, and what that was computed from.
public struct HeartRateZones: Hashable, Sendable, Codable {
    /// What zones are computed from.
    public enum Method: String, CaseIterable, Hashable, Sendable, Codable {
        /// 50, 60, 70, 80 and 90 % (Edwards, The Heart Rate Monitor Book, 1993) of the maximum for the age.
        case age
        /// The same shares of the person's maximum.
        case maximum
        /// The same shares of what is between rest and the maximum (Karvonen).
        case reserve
        /// Shares of the heart rate at the lactate threshold (Friel, Total Heart Rate Training): others on a bicycle.
        case threshold
        /// Five bounds that somebody has chosen.
        case limits
    }

    /// What they are computed from.
    public let method: Method
    /// Where the zones 1 to 5 begin, in beats per minute, unrounded.
    public let bounds: [Double]
    /// The maximum that they are computed from; nil if they are not.
    public var maximum: Double?
    /// The heart rate at rest that they are computed from; nil if they are not.
    public var resting: Double?
    /// The heart rate at the lactate threshold that they are computed from; nil if they are not.
    public var threshold: Double?

    fileprivate init(_ method: Method, _ bounds: [Double]) { (self.method, self.bounds) = (method, bounds) }

    /// The bounds as people read them: the lowest whole heart rate of each zone.
    public var shown: [Int] { bounds.map { Int($0.rounded(.up)) } }

    /// The zone of a heart rate, 0 to 5.
    public func zone(of heartRate: Double) -> Int { bounds.count { heartRate >= $0 } }

    /// Where a zone begins and where the next one does, which is nil for the last; nil if the zone does not exist.
    public func range(of zone: Int) -> (from: Double, to: Double?)? {
        guard (1...bounds.count).contains(zone) else { return nil }
        return (bounds[zone - 1], zone < bounds.count ? bounds[zone] : nil)
    }

    fileprivate static let shares = [0.5, 0.6, 0.7, 0.8, 0.9]
    fileprivate static let (onFoot, onBicycle) = ([0, 0.85, 0.9, 0.95, 1], [0, 0.81, 0.9, 0.94, 1])
}

extension Person {
    /// The maximum heart rate by age, beats per minute: 208 - 0.7 age (Tanaka et al. 2001).
    public var maximumByAge: Double? { ageYears.map { 208 - 0.7 * $0 } }

    /// The maximum heart rate in use: the person's own, or else that by age.
    public var maximumHeartRate: Double? { heart.maximum ?? maximumByAge }

    /// The heart rate at a fraction of the reserve between rest and maximum (Karvonen); nil without a reserve.
    public func heartRate(reserve fraction: Double) -> Double? {
        guard let rest = restingHeartRate, let maximum = maximumHeartRate, rest < maximum else { return nil }
        return rest + fraction * (maximum - rest)
    }

    /// Where the person's zones begin; nil if what they are computed from is not known.
    /// - Parameter kind: the activity's: by the threshold, a bicycle has other bounds.
    public func zones(for kind: WorkoutKind = .foot) -> HeartRateZones? {
        let (method, shares) = (heart.method, HeartRateZones.shares)
        switch method {
        case .age, .maximum:
            guard let maximum = method == .age ? maximumByAge : heart.maximum else { return nil }
            var zones = HeartRateZones(method, shares.map { $0 * maximum })
            zones.maximum = maximum
            return zones
        case .reserve:
            let bounds = shares.compactMap { heartRate(reserve: $0) }
            guard !bounds.isEmpty else { return nil }
            var zones = HeartRateZones(method, bounds)
            (zones.maximum, zones.resting) = (maximumHeartRate, restingHeartRate)
            return zones
        case .threshold:
            guard let threshold = heart.threshold else { return nil }
            let isBicycle = kind == .bicycle || kind == .assistedBicycle
            let shares = isBicycle ? HeartRateZones.onBicycle : HeartRateZones.onFoot
            var zones = HeartRateZones(method, shares.map { $0 * threshold })
            zones.threshold = threshold
            return zones
        case .limits: return heart.limits.map { HeartRateZones(method, $0) }
        }
    }
}
