/// A heart rate at a time.
public struct HeartRateReading: Hashable, Sendable {
    /// Unix milliseconds.
    public let time: Int64
    /// Beats per minute, as a sensor reports it. What is not plausible is passed over where heart rates are counted.
    public let beatsPerMinute: Int

    /// A heart rate in beats per minute, at a time in Unix milliseconds.
    public init(time: Int64, beatsPerMinute: Int) {
        (self.time, self.beatsPerMinute) = (time, beatsPerMinute)
    }
}

/// A count of a step counter, which only rises until it restarts at 0.
public struct StepReading: Hashable, Sendable {
    /// Unix milliseconds.
    public let time: Int64
    /// Steps since the counter began.
    public let counter: UInt32

    /// A count at a time in Unix milliseconds.
    public init(time: Int64, counter: UInt32) {
        (self.time, self.counter) = (time, counter)
    }
}

/// The steps of a span of time, as the pedometer of a phone reports them.
public struct PedometerReading: Hashable, Sendable {
    /// Unix milliseconds.
    public let from: Int64
    /// Unix milliseconds.
    public let time: Int64
    /// Steps in between.
    public let steps: UInt32

    /// The steps of a span; nil if it does not end after its beginning.
    public init?(from: Int64, to time: Int64, steps: UInt32) {
        guard from < time else { return nil }
        (self.from, self.time, self.steps) = (from, time, steps)
    }
}

/// What a foot pod, a power meter or another sensor on a bicycle measures. What cannot be is taken for unknown.
public struct MotionReading: Hashable, Sendable {
    /// Which of the sensors it is. Each sensor has its own order of times. If several measure the same thing, that with
    /// the lowest number counts.
    public let sensor: UInt8
    /// Unix milliseconds.
    public let time: Int64
    /// Speed in metres a second.
    public let metresPerSecond: Double?
    /// A total distance in metres that only rises until it restarts.
    public let totalMetres: Double?
    /// Steps, or turns of the crank, in a minute.
    public let cadence: Double?
    /// Power in watts.
    public let watts: Double?

    /// A reading at a time in Unix milliseconds.
    public init(
        sensor: UInt8 = 0, time: Int64, metresPerSecond: Double? = nil, totalMetres: Double? = nil,
        cadence: Double? = nil,
        watts: Double? = nil
    ) {
        func known(_ value: Double?, upTo most: Double) -> Double? {
            value.flatMap { $0 >= 0 && $0 <= most ? $0 : nil }
        }
        (self.sensor, self.time) = (sensor, time)
        self.metresPerSecond = known(metresPerSecond, upTo: 60)
        self.totalMetres = known(totalMetres, upTo: 1e9)
        self.cadence = known(cadence, upTo: 400)
        self.watts = known(watts, upTo: 4000)
    }
}

/// What is measured during a workout.
public enum WorkoutSample: Hashable, Sendable {
    /// Where the person is.
    case position(TrackPoint)
    /// A heart rate.
    case heartRate(HeartRateReading)
    /// A count of a step counter.
    case steps(StepReading)
    /// Steps by the pedometer of a phone, which count where there is no counter.
    case pedometer(PedometerReading)
    /// Speed, distance, cadence and power by a sensor.
    case motion(MotionReading)

    /// Unix milliseconds; of a span, its end.
    public var time: Int64 {
        switch self {
        case .position(let point): point.time
        case .heartRate(let reading): reading.time
        case .steps(let reading): reading.time
        case .pedometer(let reading): reading.time
        case .motion(let reading): reading.time
        }
    }

    /// Which stream it belongs to. Each stream has its own order, and so has each sensor.
    var stream: Int {
        switch self {
        case .position: 0
        case .heartRate: 1
        case .steps: 2
        case .pedometer: 3
        case .motion(let reading): 4 + Int(reading.sensor)
        }
    }

    /// What decides which of several samples of one stream and one time stays.
    private var rank: [Double] {
        switch self {
        case .position(let point): point.rank
        case .heartRate(let reading): [Double(reading.beatsPerMinute)]
        case .steps(let reading): [Double(reading.counter)]
        case .pedometer(let reading): [Double(reading.from), Double(reading.steps)]
        case .motion(let reading):
            [reading.metresPerSecond, reading.totalMetres, reading.cadence, reading.watts].map { $0 ?? .infinity }
        }
    }

    /// Samples in the order of their times, those of one time always in the same order, and each stream's times once.
    public static func inOrder(_ samples: some Sequence<WorkoutSample>) -> [WorkoutSample] {
        samples.inOrder(by: { ($0.time, $0.stream) }, \.rank)
    }
}
