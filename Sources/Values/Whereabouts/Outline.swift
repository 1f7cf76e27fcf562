import Fitness

/// The outline of a polygon on the Earth: its edges are parts of great circles, the shortest ways between its corners.
/// It is judged in three dimensions, so it may lie around a pole or across the date line.
struct Outline: Hashable, Sendable {
    /// What is nearer than this to an edge touches it, in metres.
    private static let touch = 0.1

    private let corners: [Direction]
    private let plane: StraightPlane
    private let points: [StraightPlane.Point]
    /// A circle of this radius in metres fits in it somewhere.
    let depthMetres: Double

    /// The outline with these corners, which are on the Earth, in their order.
    init(_ places: [Place]) throws(AreaProblem) {
        for (index, place) in places.enumerated() {
            guard places[..<index].allSatisfy({ $0.metres(to: place) <= AreaShape.widest }) else { throw .tooWide }
        }
        let corners = places.map { Direction($0) }
        let middle = corners.reduce(Direction(0, 0, 0)) { Direction($0.x + $1.x, $0.y + $1.y, $0.z + $1.z) }
        // What is at most 1,000 km across is on one side of the Earth.
        guard let plane = StraightPlane(at: middle) else { throw .tooWide }
        let points = corners.compactMap { plane.point($0) }
        guard points.count == corners.count else { throw .tooWide }
        guard !Self.meetsItself(points) else { throw .crossing }
        (self.corners, self.plane, self.points) = (corners, plane, points)
        // However a polygon looks, its area is no more than that of a band along its edges, as wide as the largest
        // circle in it (Bonnesen): that circle's radius is at least area / perimeter.
        let area = Self.edges(points).reduce(0) { $0 + $1.0.cross($1.1) } / 2
        depthMetres = abs(area) / Self.edges(points).reduce(0) { $0 + ($1.1 - $1.0).length }
    }

    /// How far a place is from the outline in metres: negative inside it.
    func signedDistance(of place: Place) -> Double {
        let here = Direction(place)
        let way = Self.edges(corners).map { here.metres(toEdgeFrom: $0.0, to: $0.1) }.min() ?? .infinity
        return contains(here) ? -way : way
    }

    private func contains(_ direction: Direction) -> Bool {
        // What the plane does not show is a quarter of the Earth's circumference away.
        guard let here = plane.point(direction) else { return false }
        // A ray to the east leaves what it is in by an odd number of edges.
        return Self.edges(points).reduce(false) { isInside, edge in
            let (start, end) = (edge.0 - here, edge.1 - here)
            guard (start.north > 0) != (end.north > 0) else { return isInside }
            return (start.cross(end) > 0) == (end.north > start.north) ? !isInside : isInside
        }
    }

    private static func edges<Corner>(_ corners: [Corner]) -> Zip2Sequence<[Corner], [Corner]> {
        zip(corners, Array(corners.dropFirst() + corners.prefix(1)))
    }

    private static func meetsItself(_ points: [StraightPlane.Point]) -> Bool {
        let edges = Array(edges(points))
        for (index, one) in edges.enumerated() {
            for (later, other) in edges.enumerated().dropFirst(index + 1) {
                let (isNext, isBefore) = (later == index + 1, index == 0 && later == edges.count - 1)
                // Neighbours have one corner in common; only the others may not meet anything.
                var ends: [(StraightPlane.Point, (StraightPlane.Point, StraightPlane.Point))] = []
                if !isBefore { ends += [(one.0, other), (other.1, one)] }
                if !isNext { ends += [(one.1, other), (other.0, one)] }
                if isNext && isBefore { return true }
                if ends.contains(where: { $0.0.metres(toLineFrom: $0.1.0, to: $0.1.1) < touch }) { return true }
                if !isNext, !isBefore, cross(one, other) { return true }
            }
        }
        return false
    }

    private static func cross(
        _ one: (StraightPlane.Point, StraightPlane.Point), _ other: (StraightPlane.Point, StraightPlane.Point)
    ) -> Bool {
        func sides(
            _ edge: (StraightPlane.Point, StraightPlane.Point), _ ends: (StraightPlane.Point, StraightPlane.Point)
        ) -> Bool {
            let line = edge.1 - edge.0
            return (line.cross(ends.0 - edge.0) > 0) != (line.cross(ends.1 - edge.0) > 0)
        }
        return sides(one, other) && sides(other, one)
    }
}
