// What sensors that move say, as readings.

extension Motion {
    /// What a foot pod says.
    public init(_ measurement: RunningSpeedAndCadence) {
        self.init(
            metresPerSecond: measurement.metresPerSecond,
            totalMetres: measurement.distanceDecimetres.map { Double($0) / 10 },
            cadence: Double(measurement.cadencePerMinute), source: .foot)
    }

    /// What a sensor on a bicycle says, with the rates that follow from it and those before.
    /// - Parameter millimetres: the wheel's circumference.
    public init(
        _ measurement: CyclingSpeedAndCadence, _ rates: CyclingRates.Rates, wheel millimetres: Int, watts: Double? = nil
    ) {
        let metres = Double(millimetres) / 1000
        self.init(
            metresPerSecond: rates.wheel.map { $0 / 60 * metres },
            totalMetres: measurement.wheel.map { Double($0.count) * metres },
            cadence: rates.crank, watts: watts, source: .bicycle)
    }

    /// What a power meter says, with the rates that follow from it and those before. A negative power is no power.
    /// - Parameter millimetres: the wheel's circumference.
    public init(_ measurement: CyclingPower, _ rates: CyclingRates.Rates, wheel millimetres: Int) {
        self.init(
            CyclingSpeedAndCadence(wheel: measurement.wheel, crank: measurement.crank), rates, wheel: millimetres,
            watts: max(0, Double(measurement.watts)))
    }
}

extension Position {
    /// Where a sensor says that it is; nil if it does not know now.
    public init?(_ measurement: LocationAndSpeed) {
        guard let location = measurement.location, measurement.status == .ok || measurement.status == .estimated else {
            return nil
        }
        self.init(
            latitude: Double(location.latitude) / 1e7, longitude: Double(location.longitude) / 1e7,
            altitudeMetres: measurement.elevationHundredths.map { Double($0) / 100 }, source: .sensor)
    }
}
