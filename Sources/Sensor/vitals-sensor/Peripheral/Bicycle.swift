import Telemetry

/// A bicycle's wheel and cranks, as a sensor of speed and cadence counts them (CSC Measurement, 2A5B).
///
/// Its counts begin a few revolutions before they wrap around, so a listener soon sees that; the times wrap around
/// every 64 s by themselves.
struct Bicycle {
    private var wheel = Turning()
    private var crank = Turning()
    private var last: Double?

    /// Metres in one turn of the wheel: 28 inches, 25 mm.
    static let circumference = 2.105
    static let firstWheelCount: UInt32 = .max - 9
    static let firstCrankCount: UInt16 = .max - 9

    /// Rides on until a moment of the activity, in seconds.
    mutating func ride(until elapsed: Double, metresPerSecond: Double, cadencePerMinute: Double) {
        defer { last = elapsed }
        guard let last else { return }
        wheel.turn(from: last, to: elapsed, perSecond: metresPerSecond / Self.circumference)
        crank.turn(from: last, to: elapsed, perSecond: cadencePerMinute / 60)
    }

    /// The notification: flags for both; wheel revolutions and time, crank revolutions and time.
    var gatt: [UInt8] {
        let wheelCount = Self.firstWheelCount &+ UInt32(truncatingIfNeeded: wheel.count)
        let crankCount = Self.firstCrankCount &+ UInt16(truncatingIfNeeded: crank.count)
        return [UInt8(3)] + littleEndian(wheelCount) + littleEndian(wheel.ticks) + littleEndian(crankCount)
            + littleEndian(crank.ticks)
    }

    /// The notification of a power meter in the cranks (Cycling Power Measurement, 2A63): the power, and the cranks as they
    /// are counted above.
    func power(_ watts: Int16) -> [UInt8] {
        let count = Self.firstCrankCount &+ UInt16(truncatingIfNeeded: crank.count)
        return CyclingPower(watts: watts, crank: .init(count: count, time: crank.ticks)).gatt
    }
}

/// Something that turns.
private struct Turning {
    private var revolutions = 0.0
    /// When the last whole revolution ended, in seconds.
    private var time = 0.0

    var count: Int { Int(revolutions) }

    /// In 1/1024 s.
    var ticks: UInt16 { UInt16(truncatingIfNeeded: Int(time * 1024)) }

    mutating func turn(from start: Double, to end: Double, perSecond rate: Double) {
        let before = count
        revolutions += rate * (end - start)
        if count > before { time = end - (revolutions - Double(count)) / rate }
    }
}
