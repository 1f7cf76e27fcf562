/// One value from a sensor, with the moment it arrived.
public struct Reading: Hashable, Sendable {
    /// What was measured.
    public enum Value: Hashable, Sendable {
        /// A heart-rate notification, whole.
        case heartRate(HeartRateMeasurement)
        /// A step counter.
        case steps(StepCount)
        /// A body temperature.
        case temperature(Temperature)
        /// A position.
        case position(Position)
        /// Speed, distance, cadence and power by a sensor.
        case motion(Motion)
        /// Steps by a phone's pedometer.
        case pedometer(PedometerSpan)
    }

    /// The kinds of values. The raw values are those of a readings block.
    public enum Kind: UInt8, CaseIterable, Sendable {
        /// Heart rate.
        case heartRate = 1
        /// Steps.
        case steps = 2
        /// Temperature.
        case temperature = 3
        /// Positions.
        case position = 4
        /// Speed, distance, cadence and power.
        case motion = 5
        /// Steps by a phone's pedometer.
        case pedometer = 6
    }

    /// When it arrived at the gateway.
    public var moment: Moment
    /// What it says.
    public var value: Value

    /// A reading from its parts.
    public init(at moment: Moment, _ value: Value) {
        self.moment = moment
        self.value = value
    }

    /// The kind of `value`.
    public var kind: Kind {
        switch value {
        case .heartRate: .heartRate
        case .steps: .steps
        case .temperature: .temperature
        case .position: .position
        case .motion: .motion
        case .pedometer: .pedometer
        }
    }
}

/// A moment by two clocks. The wall clock is what people mean, and may be wrong or stepped; the monotonic one never
/// steps, but means nothing beyond its boot.
public struct Moment: Hashable, Sendable {
    /// Unix time in milliseconds, UTC.
    public var wall: Int64
    /// Milliseconds since boot, suspension included (CLOCK_BOOTTIME).
    public var monotonic: UInt64

    /// A moment from its parts.
    public init(wall: Int64, monotonic: UInt64) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// No time on the wire is further from 0 than this many milliseconds (2^53, about 285,000 years: exact in every
    /// JSON reader too), so sums and differences of times cannot overflow.
    public static let limit: Int64 = 1 << 53

    static let wallRange: ClosedRange<Int64> = -limit...limit
    static let monotonicRange: ClosedRange<UInt64> = 0...UInt64(limit)
}
