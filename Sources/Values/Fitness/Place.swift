import Glibc

/// A place on the Earth.
public struct Place: Hashable, Sendable {
    /// Degrees north of the equator.
    public var latitude: Double
    /// Degrees east of Greenwich.
    public var longitude: Double

    /// A place by its coordinates in degrees (WGS 84).
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The way to another place in metres, along a great circle of a sphere of the Earth's mean radius (haversine).
    public func metres(to other: Place) -> Double {
        let radians = Double.pi / 180
        let north = sin((other.latitude - latitude) * radians / 2)
        let east = sin((other.longitude - longitude) * radians / 2)
        let haversine = north * north + cos(latitude * radians) * cos(other.latitude * radians) * east * east
        return 2 * 6_371_008.8 * asin(min(1, haversine.squareRoot()))
    }
}
