/// Steps derived from a foot pod's cadence: what a sensor of running speed and cadence does not count itself.
///
/// Each notification's cadence is taken to hold for the time since the one before. What it cannot know is left out
/// rather than guessed: nothing is counted while the cadence is 0, nor over a gap of more than three seconds between
/// notifications. Walking counts like running. A pod that reports strides of one leg, as its maker may choose, gives
/// half the steps.
public struct CadenceSteps: Hashable, Sendable {
    /// A longer silence says nothing about what happened in it, in milliseconds.
    public static let longestGap: UInt64 = 3000

    /// How much of `part` makes a step: `part` is a cadence in 1/minute times milliseconds.
    private static let step: UInt64 = 60_000

    private var counter: UInt32
    private var part: UInt64 = 0
    private var last: UInt64?

    /// Steps that continue from a counter, before the first notification.
    public init(from counter: UInt32 = 0) { self.counter = counter }

    /// The steps so far, wrapping around at 32 bits; nil before the first notification.
    public var steps: StepCount? { last == nil ? nil : StepCount(counter, isDerived: true) }

    /// Counts the steps of a notification that arrived at `monotonic`, milliseconds since boot.
    public mutating func add(_ measurement: RunningSpeedAndCadence, at monotonic: UInt64) {
        defer { last = monotonic }
        guard let last, monotonic >= last, monotonic - last <= Self.longestGap else { return }
        part += UInt64(measurement.cadencePerMinute) * (monotonic - last)
        counter &+= UInt32(part / Self.step)
        part %= Self.step
    }
}
