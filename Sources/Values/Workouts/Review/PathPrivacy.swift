public import Fitness
import Glibc

/// How far from its start and its end a path is hidden, in metres, unless something else is set: that is where
/// people live.
public let hiddenMetres = 200.0

/// A path for others: without every place that is within so many metres of its start or its end, whenever the person
/// came by there. Where places are left out, or where the line between two places comes so near, the path is cut.
///
/// A path of several pieces has several starts: its first piece may be one wrong position, or end around the corner. All
/// pieces at the beginning are hidden until they have gone farther than so many metres in all, and the start of the
/// piece with which they do so is hidden like the first. It is the same at the end.
///
/// What is drawn with fewer places is hidden first and simplified then: the simplified path has other ends.
public func hidingEnds(
    of path: [[Place]], within metres: Double = hiddenMetres, _ displacement: Displacement = .none
) -> [[Place]] {
    let ends = HiddenEnds(of: path, within: metres, displacement)
    var shown: [[Place]] = []
    for piece in path {
        var last: Place?
        for place in piece {
            guard !ends.hide(place) else {
                last = nil
                continue
            }
            if last.map({ ends.hide(lineFrom: $0, to: place) }) != false { shown.append([]) }
            last = place
            shown[shown.count - 1].append(place)
        }
    }
    return shown
}

/// How far the middle of what is hidden lies from the start or the end itself. Without it, a path that leaves what is
/// hidden in two places, or two paths that do so in one, say where the middle is: so far from each of them. With one
/// that nobody else knows, they say where the start is not; and as it is always the same, many of them say no more.
public struct Displacement: Hashable, Sendable {
    /// In shares of the distance that is hidden: together at most a half.
    let east, north: Double

    private init(east: Double, north: Double) { (self.east, self.north) = (east, north) }

    /// The middle is the start itself.
    public static let none = Displacement(east: 0, north: 0)

    /// A displacement by bytes that are anything alike and secret; what is beyond the first eight does not count.
    public init(secret bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes.prefix(8)) + [UInt8](repeating: 0, count: 8)
        func number(_ bytes: ArraySlice<UInt8>) -> Double { bytes.reduce(0) { $0 * 256 + Double($1) } / 4_294_967_296 }
        // As likely anywhere in the circle.
        let (angle, share) = (number(bytes[..<4]) * 2 * Double.pi, number(bytes[4..<8]).squareRoot() / 2)
        (east, north) = (share * cos(angle), share * sin(angle))
    }

    /// What a displacement of one is; none is more than half of that.
    static let metres = 200.0

    var isNone: Bool { east == 0 && north == 0 }
}

/// What is near the starts and the ends of a path.
struct HiddenEnds {
    private let planes: [Plane]
    private let metres: Double

    init(of path: [[Place]], within metres: Double, _ displacement: Displacement) {
        let pieces = path.map { $0.filter(\.isSomewhere) }
        let starts = ends(pieces, metres)
        let backwards = ends(pieces.reversed().map { $0.reversed() }, metres)
        // By the same way whatever is hidden: of two pictures that hide differently much, the middles are the same.
        let unit = metres > 0 ? Displacement.metres : 0
        planes = (starts + backwards).map { end in
            Plane(at: Plane(at: end).place(east: displacement.east * unit, north: displacement.north * unit))
        }
        // What is so near the end itself is still in it, and how far the middle is off does not show.
        self.metres = displacement.isNone ? metres : metres + unit / 2
    }

    /// Whether a place is so near.
    func hide(_ place: Place) -> Bool {
        // Written so that what is no number hides all.
        !place.isSomewhere || !planes.allSatisfy { $0.place.metres(to: place) > metres }
    }

    /// Whether the straight line between two places comes so near.
    func hide(lineFrom one: Place, to other: Place) -> Bool {
        !planes.allSatisfy { $0.metres(toLineFrom: one, to: other) > metres }
    }
}

/// The starts of the pieces at the beginning of a path, up to the one with which they go farther than so many metres.
/// How far a piece goes is how far any of its places is from its start: standing still drifts, and gets nowhere.
private func ends(_ pieces: [[Place]], _ metres: Double) -> [Place] {
    var (ends, gone) = ([Place](), 0.0)
    for piece in pieces {
        guard let start = piece.first else { continue }
        ends.append(start)
        gone += piece.lazy.map { $0.metres(to: start) }.max() ?? 0
        if gone > metres { break }
    }
    return ends
}

extension Place {
    /// Whether its coordinates are on the Earth.
    fileprivate var isSomewhere: Bool { (-90...90).contains(latitude) && (-180...180).contains(longitude) }
}
