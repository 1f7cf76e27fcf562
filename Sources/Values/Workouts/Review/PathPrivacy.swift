public import Fitness

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
public func hidingEnds(of path: [[Place]], within metres: Double = hiddenMetres) -> [[Place]] {
    let ends = HiddenEnds(of: path, within: metres)
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

/// What is near the starts and the ends of a path.
struct HiddenEnds {
    private let planes: [Plane]
    private let metres: Double

    init(of path: [[Place]], within metres: Double) {
        let pieces = path.map { $0.filter(\.isSomewhere) }
        let starts = ends(pieces, metres)
        let backwards = ends(pieces.reversed().map { $0.reversed() }, metres)
        planes = (starts + backwards).map { Plane(at: $0) }
        self.metres = metres
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
