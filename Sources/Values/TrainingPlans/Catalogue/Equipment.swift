/// What an exercise needs besides a body, by the names of the catalogue. Their order is a part of tokens, and never
/// changes.
public enum Equipment: String, CaseIterable, Hashable, Sendable {
    /// Nothing: everybody has it.
    case bodyOnly = "body only"
    /// Elastic bands.
    case bands
    /// A long bar with weights.
    case barbell
    /// A tower with a cable.
    case cable
    /// One or two short bars with weights.
    case dumbbell
    /// A bent bar with weights.
    case curlBar = "e-z curl bar"
    /// A large ball to sit on.
    case exerciseBall = "exercise ball"
    /// A roll of foam.
    case foamRoll = "foam roll"
    /// Balls of iron with a handle.
    case kettlebells
    /// A machine, as there are in studios.
    case machine
    /// A heavy ball.
    case medicineBall = "medicine ball"
    /// Something else, such as a bar to hang from, a sloping bench, a box, cones, or a second person.
    case other

    /// Whether it can be moved fast: no bar, stack of weights or machine is swung against the clock.
    var isLight: Bool {
        switch self {
        case .bodyOnly, .bands, .dumbbell, .exerciseBall, .kettlebells, .medicineBall, .other: true
        case .barbell, .cable, .curlBar, .foamRoll, .machine: false
        }
    }
}
