/// Where a sensor is (Location and Speed, 2A67; GATT Specification Supplement 3.132).
///
/// Layout: flags, two bytes. Then, each if its flag is set: speed, two; total distance, three; latitude and longitude,
/// four each, signed; elevation, three, signed. What may follow (heading, times) is not read.
public struct LocationAndSpeed: Hashable, Sendable {
    /// How far the location is to be believed.
    public enum Status: UInt8, CaseIterable, Sendable {
        /// There is no position.
        case none = 0
        /// The position is right.
        case ok = 1
        /// The position is estimated.
        case estimated = 2
        /// It is the last position that was known.
        case lastKnown = 3
    }

    /// Hundredths of a metre a second.
    public var speedHundredths: UInt16?
    /// Metres in all, in tenths.
    public var distanceDecimetres: UInt32?
    /// Ten-millionths of a degree of latitude and of longitude.
    public var location: Location?
    /// Hundredths of a metre above sea level.
    public var elevationHundredths: Int32?
    /// How far the location is to be believed.
    public var status: Status

    /// A place on the wire.
    public struct Location: Hashable, Sendable {
        /// Ten-millionths of a degree, north is positive.
        public var latitude: Int32
        /// Ten-millionths of a degree, east is positive.
        public var longitude: Int32

        /// A place from its parts.
        public init(latitude: Int32, longitude: Int32) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// What a notification says. Whatever follows the elevation is ignored.
    public init(gatt bytes: [UInt8]) throws(MalformedValue) {
        var reader = ByteReader(bytes, of: "location and speed")
        let flags = try reader.uint16Little()
        speedHundredths = flags & 1 << 0 != 0 ? try reader.uint16Little() : nil
        distanceDecimetres = flags & 1 << 1 != 0 ? try reader.uint24Little() : nil
        location = nil
        if flags & 1 << 2 != 0 {
            location = Location(
                latitude: Int32(bitPattern: try reader.uint32Little()),
                longitude: Int32(bitPattern: try reader.uint32Little()))
        }
        elevationHundredths = flags & 1 << 3 != 0 ? try reader.int24Little() : nil
        status = Status(rawValue: UInt8(flags >> 7 & 3)) ?? .none
    }
}
