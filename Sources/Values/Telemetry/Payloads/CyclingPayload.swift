/// Live cycling: `{"time":…,"wheel_revolutions":12345,"wheel_rpm":171.4,"crank_revolutions":402,"crank_rpm":85.3}`,
/// absent fields left out: a sensor may watch only one of the two, and there is no rate if no revolution has ended
/// since the notification before. A power meter adds `"power_w":212`.
public struct CyclingPayload: Payload {
    /// Unix milliseconds.
    public var time: Int64
    /// Revolutions of the wheel as the sensor counts; wraps around at 32 bits.
    public var wheelRevolutions: Int64?
    /// Revolutions of the wheel in a minute, to a tenth.
    public var wheelPerMinute: Double?
    /// Revolutions of the crank as the sensor counts; wraps around at 16 bits.
    public var crankRevolutions: Int64?
    /// Revolutions of the crank in a minute, to a tenth.
    public var crankPerMinute: Double?
    /// Watts, of a power meter; negative if the pedals are driven.
    public var watts: Int64?

    /// What is published for a measurement that arrived at `wall`, Unix milliseconds, with the rates that follow from
    /// it and those before.
    public init(_ measurement: CyclingSpeedAndCadence, _ rates: CyclingRates.Rates = .init(), at wall: Int64) {
        time = wall
        wheelRevolutions = measurement.wheel.map { Int64($0.count) }
        wheelPerMinute = rates.wheel.map(tenths)
        crankRevolutions = measurement.crank.map { Int64($0.count) }
        crankPerMinute = rates.crank.map(tenths)
    }

    /// The same for what a power meter says.
    public init(_ measurement: CyclingPower, _ rates: CyclingRates.Rates = .init(), at wall: Int64) {
        self.init(CyclingSpeedAndCadence(wheel: measurement.wheel, crank: measurement.crank), rates, at: wall)
        watts = Int64(measurement.watts)
    }

    public var json: JSON {
        .object(present: [
            "time": .integer(time),
            "wheel_revolutions": wheelRevolutions.map(JSON.integer),
            "wheel_rpm": wheelPerMinute.map(JSON.number),
            "crank_revolutions": crankRevolutions.map(JSON.integer),
            "crank_rpm": crankPerMinute.map(JSON.number),
            "power_w": watts.map(JSON.integer),
        ])
    }

    private enum CodingKeys: String, CodingKey {
        case time
        case wheelRevolutions = "wheel_revolutions"
        case wheelPerMinute = "wheel_rpm"
        case crankRevolutions = "crank_revolutions"
        case crankPerMinute = "crank_rpm"
        case watts = "power_w"
    }
}

private func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
