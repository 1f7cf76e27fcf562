extension Person {
    /// The maximum heart rate by age, beats per minute: 208 - 0.7 age (Tanaka et al. 2001).
    public var maximumHeartRate: Double? {
        ageYears.map { 208 - 0.7 * $0 }
    }

    /// The heart rate at a fraction of the reserve between rest and maximum (Karvonen).
    public func heartRate(reserve fraction: Double) -> Double? {
        guard let rest = restingHeartRate, let maximum = maximumHeartRate else { return nil }
        return rest + fraction * (maximum - rest)
    }

    /// Where the zones 1 to 5 begin: 50, 60, 70, 80 and 90 % of the maximum (Edwards, The Heart Rate Monitor Book, 1993).
    public var zoneBounds: [Double]? {
        maximumHeartRate.map { maximum in [0.5, 0.6, 0.7, 0.8, 0.9].map { $0 * maximum } }
    }

    /// The zone of a heart rate, 0 to 5: what is below zone 1 is in zone 0, which counts nowhere.
    public func zone(heartRate: Double) -> Int? { zoneBounds.map { Self.zone(heartRate, $0) } }

    /// The zone of a heart rate by where zones begin, from 1 on.
    public static func zone(_ heartRate: Double, _ bounds: [Double]) -> Int { bounds.count { heartRate >= $0 } }
}
