public import Fitness

/// How far from its start and its end a path is hidden, in metres, unless somebody sets something else: that is where
/// people live.
public let hiddenMetres = 200.0

/// A path for others: without every place that is within so many metres of its start or its end, whenever somebody came
/// by there. Where places are left out, or where the line between two places comes so near, the path is cut.
///
/// What is drawn with fewer places is hidden first and simplified then: the simplified path has other ends.
public func hidingEnds(of path: [[Place]], within metres: Double = hiddenMetres) -> [[Place]] {
    let places = path.lazy.joined().filter(\.isSomewhere)
    guard let start = places.first, let end = path.lazy.reversed().compactMap({ $0.last(where: \.isSomewhere) }).first
    else { return [] }
    let planes = [Plane(at: start), Plane(at: end)]
    var pieces: [[Place]] = []
    for piece in path {
        var last: Place?
        for place in piece {
            // Written so that what is no number hides all.
            guard place.isSomewhere, place.metres(to: start) > metres, place.metres(to: end) > metres else {
                last = nil
                continue
            }
            let goesOn = last.map { last in planes.allSatisfy { $0.metres(toLineFrom: last, to: place) > metres } }
            if goesOn != true { pieces.append([]) }
            last = place
            pieces[pieces.count - 1].append(place)
        }
    }
    return pieces
}

extension Place {
    /// Whether its coordinates are on the Earth.
    fileprivate var isSomewhere: Bool { (-90...90).contains(latitude) && (-180...180).contains(longitude) }
}
