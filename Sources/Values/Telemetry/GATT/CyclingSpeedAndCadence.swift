/// Revolutions of a bicycle's wheel and crank (CSC Measurement, 2A5B; GATT Specification Supplement 3.55).
///
/// Layout: flags; wheel revolutions, four bytes, and the time of the last, two, if bit 0; crank revolutions, two, and
/// the time of the last, two, if bit 1. Counts and times wrap around; times are in 1/1024 s, so they wrap every 64 s.
public struct CyclingSpeedAndCadence: Hashable, Sendable {
    /// Revolutions so far, and when the last one was.
    public struct Revolutions<Count: FixedWidthInteger & UnsignedInteger & Sendable>: Hashable, Sendable {
        /// Revolutions so far; wraps around.
        public var count: Count
        /// When the last one ended, in 1/1024 s; wraps around.
        public var time: UInt16

        /// Revolutions from their parts.
        public init(count: Count, time: UInt16) {
            self.count = count
            self.time = time
        }

        /// What happened since an earlier notification. If no time elapsed there was no new revolution, whatever the
        /// counts say.
        public func since(_ earlier: Self) -> Turn {
            let ticks = time &- earlier.time
            return Turn(revolutions: ticks == 0 ? 0 : UInt32(truncatingIfNeeded: count &- earlier.count), ticks: ticks)
        }
    }

    /// Revolutions between two notifications.
    public struct Turn: Hashable, Sendable {
        /// Whole revolutions.
        public var revolutions: UInt32
        /// Time between the ends of the last revolutions, in 1/1024 s.
        public var ticks: UInt16

        /// The same time in seconds.
        public var seconds: Double { Double(ticks) / 1024 }
        /// The rate, or nil if no time elapsed.
        public var perMinute: Double? { ticks == 0 ? nil : Double(revolutions) * 60 / seconds }
    }

    /// The wheel, if the sensor watches it.
    public var wheel: Revolutions<UInt32>?
    /// The crank, if the sensor watches it.
    public var crank: Revolutions<UInt16>?

    /// A measurement from its parts.
    public init(wheel: Revolutions<UInt32>? = nil, crank: Revolutions<UInt16>? = nil) {
        self.wheel = wheel
        self.crank = crank
    }

    /// What a notification says.
    public init(gatt bytes: [UInt8]) throws(MalformedValue) {
        var reader = ByteReader(bytes, of: "cycling speed and cadence")
        let flags = try reader.byte()
        wheel = nil
        crank = nil
        if flags & 1 << 0 != 0 {
            wheel = Revolutions(count: try reader.uint32Little(), time: try reader.uint16Little())
        }
        if flags & 1 << 1 != 0 {
            crank = Revolutions(count: try reader.uint16Little(), time: try reader.uint16Little())
        }
    }
}
