public import Fitness
import Glibc

/// A plane that touches the Earth at a place: what is nearby has nearly the same distances on it.
public struct Plane: Sendable {
    /// Where it touches.
    public let place: Place
    private let narrowing: Double

    /// The plane that touches the Earth at a place.
    public init(at place: Place) {
        self.place = place
        narrowing = max(0, cos(place.latitude * Double.pi / 180))
    }

    /// The way to another place in metres. A number that is none counts as 0.
    public func way(to other: Place) -> (east: Double, north: Double) {
        var degrees = other.longitude - place.longitude
        if degrees > 180 { degrees -= 360 } else if degrees < -180 { degrees += 360 }
        let metres = 6_371_008.8 * Double.pi / 180
        let (east, north) = (degrees * metres * narrowing, (other.latitude - place.latitude) * metres)
        return (east.isFinite ? east : 0, north.isFinite ? north : 0)
    }

    /// The place so many metres away; `way` leads there. Where the plane leaves the Earth, it is a place near the pole.
    func place(east: Double, north: Double) -> Place {
        let metres = 6_371_008.8 * Double.pi / 180
        var longitude = place.longitude + (narrowing > 1e-6 ? east / metres / narrowing : 0)
        if longitude > 180 { longitude -= 360 } else if longitude < -180 { longitude += 360 }
        return Place(latitude: min(max(place.latitude + north / metres, -90), 90), longitude: longitude)
    }

    /// How near the straight line between two places comes to this one, in metres.
    func metres(toLineFrom one: Place, to other: Place) -> Double {
        let (start, end) = (way(to: one), way(to: other))
        let line = (east: end.east - start.east, north: end.north - start.north)
        let square = line.east * line.east + line.north * line.north
        let share = square > 0 ? -(start.east * line.east + start.north * line.north) / square : 0
        let part = max(0, min(1, share))
        let nearest = (east: start.east + part * line.east, north: start.north + part * line.north)
        return (nearest.east * nearest.east + nearest.north * nearest.north).squareRoot()
    }
}
