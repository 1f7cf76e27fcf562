/// What a physical activity monitor counted (Step Counter Activity Summary Data, 2B40).
///
/// Layout: header, one byte; flags, one; session, two; sub-session, two; relative time in seconds, four; sequence,
/// four; then each flagged field in three bytes, in the order of the flags. Experimental: known from implementations
/// made before the service's release.
public struct StepCounterSummary: Hashable, Sendable {
    /// The session that the counts belong to.
    public var session: UInt16
    /// The part of the session.
    public var subSession: UInt16
    /// Seconds since the session began.
    public var relativeSeconds: UInt32
    /// The number of this summary.
    public var sequence: UInt32
    /// Steps of normal walking (bit 0).
    public var walkingSteps: UInt32?
    /// Steps of intense walking (bit 1).
    public var intensitySteps: UInt32?
    /// Floors climbed (bit 2).
    public var floors: UInt32?
    /// Distance (bit 3), in the sensor's unit.
    public var distance: UInt32?
    /// How long the sensor was worn (bit 4), in the sensor's unit.
    public var wornDuration: UInt32?

    /// What the characteristic says.
    public init(gatt bytes: [UInt8]) throws(MalformedValue) {
        var reader = ByteReader(bytes, of: "step counter summary")
        _ = try reader.byte()
        let flags = try reader.byte()
        session = try reader.uint16Little()
        subSession = try reader.uint16Little()
        relativeSeconds = try reader.uint32Little()
        sequence = try reader.uint32Little()
        walkingSteps = flags & 1 << 0 != 0 ? try reader.uint24Little() : nil
        intensitySteps = flags & 1 << 1 != 0 ? try reader.uint24Little() : nil
        floors = flags & 1 << 2 != 0 ? try reader.uint24Little() : nil
        distance = flags & 1 << 3 != 0 ? try reader.uint24Little() : nil
        wornDuration = flags & 1 << 4 != 0 ? try reader.uint24Little() : nil
    }

    /// All steps, walking and intense, or nil if neither is there. Two 24-bit numbers cannot overflow.
    public var steps: UInt32? {
        guard walkingSteps != nil || intensitySteps != nil else { return nil }
        return (walkingSteps ?? 0) + (intensitySteps ?? 0)
    }
}
