/// How fast somebody runs (RSC Measurement, 2A53; GATT Specification Supplement 3.183).
///
/// Layout: flags; speed, two bytes; cadence, one; stride length, two, if flagged; total distance, four, if flagged.
/// Flags: bit 0 stride length, bit 1 distance, bit 2 running rather than walking.
public struct RunningSpeedAndCadence: Hashable, Sendable {
    /// Speed in 1/256 m/s.
    public var speed256ths: UInt16
    /// Cadence in 1/minute: strides of one leg or steps of both, as the sensor's maker chose.
    public var cadencePerMinute: UInt8
    /// Stride length in centimetres.
    public var strideCentimetres: UInt16?
    /// Total distance in decimetres.
    public var distanceDecimetres: UInt32?
    /// Whether the sensor considers it running rather than walking.
    public var isRunning: Bool

    /// Speed in metres per second.
    public var metresPerSecond: Double { Double(speed256ths) / 256 }

    /// A measurement from its parts.
    public init(
        speed256ths: UInt16, cadencePerMinute: UInt8, strideCentimetres: UInt16? = nil,
        distanceDecimetres: UInt32? = nil, isRunning: Bool = false
    ) {
        self.speed256ths = speed256ths
        self.cadencePerMinute = cadencePerMinute
        self.strideCentimetres = strideCentimetres
        self.distanceDecimetres = distanceDecimetres
        self.isRunning = isRunning
    }

    /// What a notification says. Reserved flags and trailing bytes are ignored.
    public init(gatt bytes: [UInt8]) throws(MalformedValue) {
        var reader = ByteReader(bytes, of: "running speed and cadence")
        let flags = try reader.byte()
        speed256ths = try reader.uint16Little()
        cadencePerMinute = try reader.byte()
        strideCentimetres = flags & Self.strideFlag != 0 ? try reader.uint16Little() : nil
        distanceDecimetres = flags & Self.distanceFlag != 0 ? try reader.uint32Little() : nil
        isRunning = flags & Self.runningFlag != 0
    }

    /// The notification that says this.
    public var gatt: [UInt8] {
        var flags: UInt8 = 0
        if strideCentimetres != nil { flags |= Self.strideFlag }
        if distanceDecimetres != nil { flags |= Self.distanceFlag }
        if isRunning { flags |= Self.runningFlag }
        var bytes = [flags]
        bytes.appendLittle(speed256ths)
        bytes.append(cadencePerMinute)
        if let strideCentimetres { bytes.appendLittle(strideCentimetres) }
        if let distanceDecimetres { bytes.appendLittle(distanceDecimetres) }
        return bytes
    }

    private static let strideFlag: UInt8 = 1 << 0
    private static let distanceFlag: UInt8 = 1 << 1
    private static let runningFlag: UInt8 = 1 << 2
}
