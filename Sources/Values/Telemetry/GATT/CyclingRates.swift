/// How fast wheel and crank turn, from one notification to the next.
///
/// A notification names the time of the last revolution, which wraps around every 64 s. If no revolution ended since
/// the notification before, there is no rate; if the last one ended a minute ago or more, the sensor's times no
/// longer tell how long ago, and there is no rate either. A power meter names the wheel's time in half as long ticks, which
/// wrap around every 32 s.
public struct CyclingRates: Hashable, Sendable {
    /// Revolutions in a minute; nil if they are not known.
    public struct Rates: Hashable, Sendable {
        /// Of the wheel.
        public var wheel: Double?
        /// Of the crank.
        public var crank: Double?

        /// Rates from their parts.
        public init(wheel: Double? = nil, crank: Double? = nil) {
            self.wheel = wheel
            self.crank = crank
        }
    }

    /// The last revolution, and when it was first reported.
    private struct Latest<Count: FixedWidthInteger & UnsignedInteger & Sendable>: Hashable, Sendable {
        var revolutions: CyclingSpeedAndCadence.Revolutions<Count>
        var monotonic: UInt64
    }

    private var wheel: Latest<UInt32>?
    private var crank: Latest<UInt16>?

    /// Rates before the first notification.
    public init() {}

    /// The rates at a notification that arrived at `monotonic`, milliseconds since boot.
    public mutating func add(_ measurement: CyclingSpeedAndCadence, at monotonic: UInt64) -> Rates {
        Rates(
            wheel: Self.advance(&wheel, to: measurement.wheel, at: monotonic),
            crank: Self.advance(&crank, to: measurement.crank, at: monotonic))
    }

    /// The same for a power meter. One value takes measurements of one characteristic: their ticks differ.
    public mutating func add(_ measurement: CyclingPower, at monotonic: UInt64) -> Rates {
        Rates(
            wheel: Self.advance(
                &wheel, to: measurement.wheel, at: monotonic, ticksPerSecond: CyclingPower.wheelTicksPerSecond),
            crank: Self.advance(&crank, to: measurement.crank, at: monotonic))
    }

    private static func advance<Count>(
        _ latest: inout Latest<Count>?, to new: CyclingSpeedAndCadence.Revolutions<Count>?, at monotonic: UInt64,
        ticksPerSecond: Int = 1024
    ) -> Double? {
        guard let new, new.time != latest?.revolutions.time else { return nil }
        defer { latest = Latest(revolutions: new, monotonic: monotonic) }
        // A bit less than the time after which the ticks wrap around.
        let longest = UInt64(60_000 * 1024 / ticksPerSecond)
        guard let latest, monotonic >= latest.monotonic, monotonic - latest.monotonic < longest else { return nil }
        return new.since(latest.revolutions).perMinute.map { $0 * Double(ticksPerSecond) / 1024 }
    }
}
