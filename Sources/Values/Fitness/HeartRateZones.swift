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

    /// Where the zones 2 to 5 begin: 60, 70, 80 and 90 % of the maximum.
    public var zoneBounds: [Double]? {
        maximumHeartRate.map { maximum in [0.6, 0.7, 0.8, 0.9].map { $0 * maximum } }
    }

    /// The zone of a heart rate, 1 to 5: everything below 60 % is zone 1.
    public func zone(heartRate: Double) -> Int? {
        zoneBounds.map { bounds in 1 + bounds.filter { heartRate >= $0 }.count }
    }
}
