public import Fitness

/// What is wrong with an area.
public enum AreaProblem: Error, Hashable, Sendable {
    /// A radius has to be within `AreaShape.radii`.
    case radius
    /// A polygon has to have so many corners as `AreaShape.corners` says, all of them on the Earth and none of them
    /// twice in a row.
    case corners
    /// Sides of the polygon cross or touch each other.
    case crossing
    /// Two corners are farther apart than `AreaShape.widest`.
    case tooWide
}

/// A part of the Earth's surface: a circle, or a polygon whose sides are the shortest ways between its corners. It may
/// lie around a pole or across the date line. Only what can be watched exists.
///
/// A straight line on a map is nearly such a side: less than 10 m away from it over 10 km.
public struct AreaShape: Hashable, Sendable {
    /// What it is.
    public enum Form: Hashable, Sendable {
        /// All places so near.
        case circle(middle: Place, radiusMetres: Double)
        /// By its corners, in their order.
        case polygon([Place])
    }

    /// What it is.
    public let form: Form
    /// Of a polygon.
    private let outline: Outline?

    /// What a circle's radius may be, in metres. No position is better than the smallest.
    public static let radii: ClosedRange<Double> = 20...500_000
    /// How many corners a polygon may have.
    public static let corners = 3...100
    /// How far any two corners of a polygon may be apart, in metres.
    public static let widest: Double = 1_000_000

    /// A circle.
    /// - Parameter radiusMetres: within `radii`.
    public init(middle: Place, radiusMetres: Double) throws(AreaProblem) {
        guard middle.isOnEarth, Self.radii.contains(radiusMetres) else { throw .radius }
        (form, outline) = (.circle(middle: middle, radiusMetres: radiusMetres), nil)
    }

    /// A polygon.
    /// - Parameter corners: in their order around the area, in either direction; the last is not the first again.
    public init(corners: [Place]) throws(AreaProblem) {
        guard Self.corners.contains(corners.count), corners.allSatisfy(\.isOnEarth) else { throw .corners }
        for index in corners.indices where corners[index] == corners[(index + 1) % corners.count] { throw .corners }
        (form, outline) = (.polygon(corners), try Outline(corners))
    }

    /// How far a place is from the border, in metres: positive outside, negative inside. What is not on the Earth is
    /// infinitely far outside.
    public func signedDistance(of place: Place) -> Double {
        guard place.isOnEarth else { return .infinity }
        if let outline { return outline.signedDistance(of: place) }
        guard case .circle(let middle, let radius) = form else { return .infinity }
        return middle.metres(to: place) - radius
    }

    /// How far inside anything has to be at most to be inside beyond doubt, in metres: half of a circle's radius, and
    /// what is like it in a polygon. Some of the area is always farther inside.
    var depthMetres: Double {
        if let outline { return outline.depthMetres }
        guard case .circle(_, let radius) = form else { return .infinity }
        return radius / 2
    }
}

extension Place {
    /// Whether there is such a place.
    var isOnEarth: Bool { (-90...90).contains(latitude) && (-180...180).contains(longitude) }
}
