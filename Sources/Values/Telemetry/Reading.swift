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
    }

    /// The kinds of values. The raw values are those of a readings block.
    public enum Kind: UInt8, CaseIterable, Sendable {
        /// Heart rate.
        case heartRate = 1
        /// Steps.
        case steps = 2
        /// Temperature.
        case temperature = 3
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
        }
    }
}

/// A moment by two clocks. The wall clock is what people mean, and may be wrong or stepped; the monotonic one never steps, but
/// means nothing beyond its boot.
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

    /// No time on the wire lies further from 0 than this many milliseconds (2^53, about 285,000 years: exact in every JSON reader too), so
    /// that sums and differences of times cannot overflow.
    public static let limit: Int64 = 1 << 53

    static let wallRange: ClosedRange<Int64> = -limit...limit
    static let monotonicRange: ClosedRange<UInt64> = 0...UInt64(limit)
}

/// A step counter: cumulative, and restarting when whoever counts likes.
public struct StepCount: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// Steps so far; wraps around.
    public var counter: UInt32
    /// Whether the gateway derived it from a foot pod's cadence (`CadenceSteps`); otherwise the sensor counted.
    public var isDerived: Bool

    /// A counter from its parts.
    public init(_ counter: UInt32, isDerived: Bool = false) {
        self.counter = counter
        self.isDerived = isDerived
    }

    /// What a sensor counted.
    public init(integerLiteral counter: UInt32) { self.init(counter) }
}

/// A body temperature.
public struct Temperature: Hashable, Sendable {
    /// Thousandths of a degree Celsius.
    public var thousandths: Int32
    /// Where it was taken, if the sensor says.
    public var site: TemperatureSite?
    /// Whether the thermometer was still on its way to a measurement (2A1E). Such a one can be told, and is never stored.
    public var isIntermediate = false

    /// A temperature in thousandths of a degree Celsius; refuses what no instrument measures (beyond about two million degrees).
    public init(thousandths: Int64, site: TemperatureSite? = nil) throws(MalformedValue) {
        guard let exact = Int32(exactly: thousandths) else {
            throw MalformedValue("temperature", .outOfRange("thousandths of a degree, 32 bits"))
        }
        self.thousandths = exact
        self.site = site
    }

    /// Degrees Celsius.
    public var celsius: Double { Double(thousandths) / 1000 }
}
