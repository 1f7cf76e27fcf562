/// A body temperature as a sensor reported it.
public struct TemperatureReading: Hashable, Sendable {
    /// Which sensor.
    public var sensor: String
    /// Unix milliseconds.
    public var time: Int64
    /// Degrees Celsius.
    public var celsius: Double

    /// A reading.
    public init(sensor: String, time: Int64, celsius: Double) {
        (self.sensor, self.time, self.celsius) = (sensor, time, celsius)
    }
}

/// What follows from a day's body temperatures, in degrees Celsius. A sum of temperatures means nothing.
public struct TemperatureDay: Hashable, Sendable, Codable {
    /// The mean of the readings.
    public var mean: Double
    /// The lowest.
    public var minimum: Double
    /// The highest.
    public var maximum: Double
    /// The latest.
    public var last: Double

    /// A day of these readings, in any order; the same value of the same sensor and time counts once. Nil if there
    /// is none.
    public init?(_ readings: some Sequence<TemperatureReading>) {
        // Always in the same order: sums of fractions depend on it, and a recount must come to the same result.
        let readings = Set(readings).sorted { ($0.time, $0.sensor, $0.celsius) < ($1.time, $1.sensor, $1.celsius) }
        let values = readings.map(\.celsius)
        guard let last = values.last, let minimum = values.min(), let maximum = values.max() else { return nil }
        mean = values.reduce(0, +) / Double(values.count)
        (self.minimum, self.maximum, self.last) = (minimum, maximum, last)
    }
}
