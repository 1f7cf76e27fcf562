/// One heart-rate notification (Heart Rate Measurement, 2A37; GATT Specification Supplement 3.113).
///
/// Layout: flags; heart rate, one or two bytes; energy expended, two bytes, if flagged; RR intervals, two bytes each,
/// to the end, if flagged. Flags: bit 0 two-byte heart rate, bit 1 contact detected, bit 2 contact supported (bit 1
/// means nothing without it), bit 3 energy, bit 4 RR. All little-endian.
public struct HeartRateMeasurement: Hashable, Sendable {
    /// Whether the sensor touches the skin. The raw values are those of the contact column of a block.
    public enum Contact: UInt8, Sendable {
        /// The sensor does not say.
        case notSupported = 0
        /// The sensor can tell, and does not touch the skin: the value cannot be trusted.
        case notDetected = 1
        /// The sensor touches the skin.
        case detected = 2
    }

    /// Beats per minute.
    public var beatsPerMinute: UInt16
    /// Whether the sensor touches the skin.
    public var contact: Contact
    /// Energy expended since the sensor was reset, in kilojoules; it stays at 65535 once there. Nil if the
    /// notification has none.
    public var energyKilojoules: UInt16?
    /// Times between beats since the last notification, oldest first, in 1/1024 s; at most 255.
    public var rrIntervals: [UInt16]
    /// Whether any of them stands for a beat: mostly chest straps know them. An interval of 0 does not.
    public var hasBeats: Bool { rrIntervals.contains { $0 > 0 } }

    /// No notification can carry more RR intervals.
    public static let maximumIntervals = (GATT.maximumValueLength - 2) / 2

    /// A measurement from its parts.
    public init(
        beatsPerMinute: UInt16, contact: Contact = .notSupported, energyKilojoules: UInt16? = nil,
        rrIntervals: [UInt16] = []
    ) {
        self.beatsPerMinute = beatsPerMinute
        self.contact = contact
        self.energyKilojoules = energyKilojoules
        self.rrIntervals = rrIntervals
    }

    /// What a notification says. Half an RR interval is truncation; without the RR flag, bytes after the declared
    /// fields are ignored, because a later version may declare them.
    public init(gatt bytes: [UInt8]) throws(MalformedValue) {
        guard bytes.count <= GATT.maximumValueLength else {
            throw MalformedValue("heart rate measurement", .outOfRange("more than \(GATT.maximumValueLength) bytes"))
        }
        var reader = ByteReader(bytes, of: "heart rate measurement")
        let flags = Flags(rawValue: try reader.byte())
        beatsPerMinute = flags.contains(.twoBytes) ? try reader.uint16Little() : UInt16(try reader.byte())
        contact =
            if !flags.contains(.contactSupported) {
                .notSupported
            } else if flags.contains(.contactDetected) {
                .detected
            } else {
                .notDetected
            }
        energyKilojoules = flags.contains(.energy) ? try reader.uint16Little() : nil
        rrIntervals = []
        guard flags.contains(.rrIntervals), reader.remaining > 0 else { return }
        rrIntervals.reserveCapacity(reader.remaining / 2)
        while reader.remaining > 0 {
            rrIntervals.append(try reader.uint16Little())
        }
    }

    /// The notification that says this, in the shortest form: one byte of heart rate if it fits.
    public var gatt: [UInt8] {
        var flags: Flags = []
        if beatsPerMinute > 255 { flags.insert(.twoBytes) }
        if contact != .notSupported { flags.insert(.contactSupported) }
        if contact == .detected { flags.insert(.contactDetected) }
        if energyKilojoules != nil { flags.insert(.energy) }
        if !rrIntervals.isEmpty { flags.insert(.rrIntervals) }

        var bytes = [flags.rawValue]
        if flags.contains(.twoBytes) {
            bytes.appendLittle(beatsPerMinute)
        } else {
            bytes.append(UInt8(truncatingIfNeeded: beatsPerMinute))
        }
        if let energyKilojoules { bytes.appendLittle(energyKilojoules) }
        for interval in rrIntervals { bytes.appendLittle(interval) }
        return bytes
    }

    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let twoBytes = Flags(rawValue: 1 << 0)
        static let contactDetected = Flags(rawValue: 1 << 1)
        static let contactSupported = Flags(rawValue: 1 << 2)
        static let energy = Flags(rawValue: 1 << 3)
        static let rrIntervals = Flags(rawValue: 1 << 4)
    }
}
