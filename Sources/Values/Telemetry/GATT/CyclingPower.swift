/// What a power meter on a bicycle measures (Cycling Power Measurement, 2A63; GATT Specification Supplement 3.65).
///
/// Layout: flags, two bytes; power, two, signed. Then, each if its flag is set: pedal power balance, one; accumulated
/// torque, two; wheel revolutions, four, and the time of the last, two; crank revolutions, two, and the time of the last,
/// two. What may follow (forces, angles, energy) is not read.
public struct CyclingPower: Hashable, Sendable {
    /// Watts; negative if the pedals are driven.
    public var watts: Int16
    /// The wheel, if the sensor watches it: the time of its last revolution is in 1/2048 s here.
    public var wheel: CyclingSpeedAndCadence.Revolutions<UInt32>?
    /// The crank, if the sensor watches it: the time of its last revolution is in 1/1024 s.
    public var crank: CyclingSpeedAndCadence.Revolutions<UInt16>?

    /// How many ticks of the wheel's time make a second.
    public static let wheelTicksPerSecond = 2048

    /// A measurement from its parts.
    public init(
        watts: Int16, wheel: CyclingSpeedAndCadence.Revolutions<UInt32>? = nil,
        crank: CyclingSpeedAndCadence.Revolutions<UInt16>? = nil
    ) {
        self.watts = watts
        self.wheel = wheel
        self.crank = crank
    }

    /// What a notification says. Reserved flags and whatever follows the crank are ignored.
    public init(gatt bytes: [UInt8]) throws(MalformedValue) {
        var reader = ByteReader(bytes, of: "cycling power")
        let flags = try reader.uint16Little()
        watts = Int16(bitPattern: try reader.uint16Little())
        if flags & Self.balanceFlag != 0 { _ = try reader.byte() }
        if flags & Self.torqueFlag != 0 { _ = try reader.uint16Little() }
        wheel = nil
        crank = nil
        if flags & Self.wheelFlag != 0 {
            wheel = .init(count: try reader.uint32Little(), time: try reader.uint16Little())
        }
        if flags & Self.crankFlag != 0 {
            crank = .init(count: try reader.uint16Little(), time: try reader.uint16Little())
        }
    }

    /// The notification that says this, and nothing else.
    public var gatt: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittle((wheel == nil ? 0 : Self.wheelFlag) | (crank == nil ? 0 : Self.crankFlag))
        bytes.appendLittle(UInt16(bitPattern: watts))
        if let wheel {
            bytes.appendLittle(wheel.count)
            bytes.appendLittle(wheel.time)
        }
        if let crank {
            bytes.appendLittle(crank.count)
            bytes.appendLittle(crank.time)
        }
        return bytes
    }

    private static let balanceFlag: UInt16 = 1 << 0
    private static let torqueFlag: UInt16 = 1 << 2
    private static let wheelFlag: UInt16 = 1 << 4
    private static let crankFlag: UInt16 = 1 << 5
}
