import Fitness
import Glibc

/// The Earth's mean radius in metres, as `Place` has it.
private let earthRadius = 6_371_008.8

/// A direction from the middle of the Earth, which is a place on it. There, neither a pole nor the date line is
/// special.
struct Direction: Hashable, Sendable {
    var x, y, z: Double

    init(_ x: Double, _ y: Double, _ z: Double) { (self.x, self.y, self.z) = (x, y, z) }

    init(_ place: Place) {
        let (latitude, longitude) = (place.latitude * Double.pi / 180, place.longitude * Double.pi / 180)
        self.init(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
    }

    func dot(_ other: Direction) -> Double { x * other.x + y * other.y + z * other.z }

    func cross(_ other: Direction) -> Direction {
        Direction(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }

    var length: Double { dot(self).squareRoot() }

    /// The angle to another direction in radians. Neither has to be of length 1.
    func angle(to other: Direction) -> Double { atan2(cross(other).length, dot(other)) }

    /// The way from here to the nearest place of an edge, which is a part of a great circle, in metres.
    func metres(toEdgeFrom start: Direction, to end: Direction) -> Double {
        let across = start.cross(end)
        // Between both ends, as seen from here, the nearest place is straight ahead; otherwise it is one of the ends.
        let isBeside = across.cross(start).dot(self) > 0 && end.cross(across).dot(self) > 0
        guard isBeside, across.length > 0 else {
            return min(angle(to: start), angle(to: end)) * earthRadius
        }
        let height = min(1, abs(across.dot(self)) / across.length)
        return asin(height) * earthRadius
    }
}

/// A plane that touches the Earth at a place, on which every great circle is a straight line (gnomonic projection). It
/// shows less than half of the Earth.
struct StraightPlane: Hashable, Sendable {
    struct Point: Hashable, Sendable {
        /// Metres.
        var east, north: Double

        static func - (one: Point, other: Point) -> Point {
            Point(east: one.east - other.east, north: one.north - other.north)
        }

        func cross(_ other: Point) -> Double { east * other.north - north * other.east }
        func dot(_ other: Point) -> Double { east * other.east + north * other.north }
        var length: Double { dot(self).squareRoot() }

        /// The way to the nearest point of a line, in metres.
        func metres(toLineFrom start: Point, to end: Point) -> Double {
            let line = end - start
            let square = line.dot(line)
            let share = square > 0 ? max(0, min(1, (self - start).dot(line) / square)) : 0
            return (self - Point(east: start.east + share * line.east, north: start.north + share * line.north)).length
        }
    }

    private let up, east, north: Direction

    /// The plane that touches the Earth in a direction; nil if that has no length.
    init?(at middle: Direction) {
        let length = middle.length
        guard length > 1e-9 else { return nil }
        up = Direction(middle.x / length, middle.y / length, middle.z / length)
        // At a pole any direction may be called east.
        let axis = abs(up.z) < 0.9 ? Direction(0, 0, 1) : Direction(1, 0, 0)
        let across = axis.cross(up)
        east = Direction(across.x / across.length, across.y / across.length, across.z / across.length)
        north = up.cross(east)
    }

    /// Where the plane shows a direction; nil if it does not.
    func point(_ direction: Direction) -> Point? {
        let height = direction.dot(up)
        guard height > 1e-6 else { return nil }
        let scale = earthRadius / height
        return Point(east: direction.dot(east) * scale, north: direction.dot(north) * scale)
    }
}
