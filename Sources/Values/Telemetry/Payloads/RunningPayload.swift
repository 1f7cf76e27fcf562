/// Live running or walking:
/// `{"time":…,"speed_mps":2.5,"cadence":166,"stride_m":0.79,"distance_m":1000.0,"running":true,"steps":1234,
/// "derived":true}`, absent fields left out.
public struct RunningPayload: Payload {
    /// Unix milliseconds.
    public var time: Int64
    /// Metres per second.
    public var metresPerSecond: Double
    /// As the foot pod says, in 1/minute.
    public var cadence: Int
    /// Length of a stride in metres.
    public var strideMetres: Double?
    /// Total distance in metres, as the foot pod counts.
    public var distanceMetres: Double?
    /// Running rather than walking.
    public var running: Bool
    /// Steps so far.
    public var steps: Int64?
    /// Whether `steps` are the gateway's own, from the cadence; nil if they are not.
    public var derived: Bool?

    /// What is published for a measurement that arrived at `wall`, Unix milliseconds, with the steps counted so far.
    public init(_ measurement: RunningSpeedAndCadence, steps: StepCount? = nil, at wall: Int64) {
        time = wall
        metresPerSecond = measurement.metresPerSecond
        cadence = Int(measurement.cadencePerMinute)
        strideMetres = measurement.strideCentimetres.map { Double($0) / 100 }
        distanceMetres = measurement.distanceDecimetres.map { Double($0) / 10 }
        running = measurement.isRunning
        self.steps = steps.map { Int64($0.counter) }
        derived = steps?.isDerived == true ? true : nil
    }

    public var json: JSON {
        .object(present: [
            "time": .integer(time),
            "speed_mps": .number(metresPerSecond),
            "cadence": .integer(Int64(cadence)),
            "stride_m": strideMetres.map(JSON.number),
            "distance_m": distanceMetres.map(JSON.number),
            "running": .bool(running),
            "steps": steps.map(JSON.integer),
            "derived": derived.map(JSON.bool),
        ])
    }

    private enum CodingKeys: String, CodingKey {
        case time, cadence, running, steps, derived
        case metresPerSecond = "speed_mps"
        case strideMetres = "stride_m"
        case distanceMetres = "distance_m"
    }
}
