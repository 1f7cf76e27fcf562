/// Where somebody was, in the numbers in which it is sealed and sent: a millionth of a degree is 11 cm.
public struct Position: Hashable, Sendable {
    /// What found the position. The raw values are those of a readings block.
    public enum Source: UInt8, CaseIterable, Sendable {
        /// A phone.
        case phone = 0
        /// A satellite receiver beside the gateway.
        case receiver = 1
        /// A sensor with the Location and Navigation service.
        case sensor = 2
        /// A file that was imported.
        case file = 3
    }

    /// Millionths of a degree of latitude (WGS 84), north is positive.
    public let latitude: Int32
    /// Millionths of a degree of longitude (WGS 84), east is positive.
    public let longitude: Int32
    /// Decimetres above mean sea level; nil if it is not known.
    public let altitude: Int32?
    /// How far off the place may be, in decimetres; nil if it is not known. What is further off than can be written is
    /// 65,535.
    public let accuracy: UInt16?
    /// What found it.
    public let source: Source

    static let latitudes: ClosedRange<Int64> = -90_000_000...90_000_000
    static let longitudes: ClosedRange<Int64> = -180_000_000...180_000_000
    /// From the shore of the Dead Sea to where aeroplanes fly.
    static let altitudes: ClosedRange<Int64> = -5_000...200_000

    /// A position from degrees and metres; nil if it is not on the Earth. An altitude or an accuracy that cannot be is
    /// taken for unknown.
    public init?(
        latitude: Double, longitude: Double, altitudeMetres: Double? = nil, accuracyMetres: Double? = nil,
        source: Source
    ) {
        guard (-90.0...90).contains(latitude), (-180.0...180).contains(longitude) else { return nil }
        self.latitude = Int32((latitude * 1e6).rounded())
        self.longitude = Int32((longitude * 1e6).rounded())
        altitude = altitudeMetres.flatMap { (-500.0...20_000).contains($0) ? Int32(($0 * 10).rounded()) : nil }
        accuracy = accuracyMetres.flatMap { $0 >= 0 && $0.isFinite ? UInt16(min($0 * 10, 65_535).rounded()) : nil }
        self.source = source
    }

    init(_ numbers: [Int64?], _ source: Source) {
        latitude = Int32(truncatingIfNeeded: numbers[0] ?? 0)
        longitude = Int32(truncatingIfNeeded: numbers[1] ?? 0)
        altitude = numbers[2].map { Int32(truncatingIfNeeded: $0) }
        accuracy = numbers[3].map { UInt16(truncatingIfNeeded: $0) }
        self.source = source
    }

    var numbers: [Int64?] { [Int64(latitude), Int64(longitude), altitude.map(Int64.init), accuracy.map(Int64.init)] }

    /// Degrees of latitude.
    public var latitudeDegrees: Double { Double(latitude) / 1e6 }
    /// Degrees of longitude.
    public var longitudeDegrees: Double { Double(longitude) / 1e6 }
    /// Metres above mean sea level; nil if it is not known.
    public var altitudeMetres: Double? { altitude.map { Double($0) / 10 } }
    /// How far off it may be in metres; nil if it is not known.
    public var accuracyMetres: Double? { accuracy.map { Double($0) / 10 } }
}

extension Position.Source: CustomStringConvertible {
    /// As people spell it.
    public var description: String {
        switch self {
        case .phone: "phone"
        case .receiver: "receiver"
        case .sensor: "sensor"
        case .file: "file"
        }
    }
}
