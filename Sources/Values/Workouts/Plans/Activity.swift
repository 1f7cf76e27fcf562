public import Fitness

/// What a person does in a workout. What follows from it is here, so that no other file asks which activity it is.
public enum Activity: Hashable, Sendable {
    /// The name of an activity that a person made up.
    public struct Name: Hashable, Sendable {
        /// How long a name may be, in bytes of UTF-8.
        public static let longestBytes = WorkoutNames.longestBytes

        /// The name.
        public let text: String

        /// A name; nil if it is empty or blank, longer than 64 bytes, has a control character or a line break, or is
        /// one of the activities that are known.
        public init?(_ text: String) {
            guard WorkoutNames.isKept(text), !Activity.known.contains(where: { $0.name == text }) else { return nil }
            self.text = text
        }
    }

    /// Running.
    case running
    /// Walking.
    case walking
    /// Riding a bicycle.
    case cycling
    /// Anything else, of which only the name is known.
    case custom(Name)

    /// The activities that are more than a name.
    public static let known: [Activity] = [.running, .walking, .cycling]

    /// The activity with a name: `running`, `walking`, `cycling`, or one that a person made up; nil if that is no name.
    public init?(named text: String) {
        if let activity = Self.known.first(where: { $0.name == text }) {
            self = activity
        } else if let name = Name(text) {
            self = .custom(name)
        } else {
            return nil
        }
    }

    /// The name, in English for those that are known.
    public var name: String {
        switch self {
        case .running: "running"
        case .walking: "walking"
        case .cycling: "cycling"
        case .custom(let name): name.text
        }
    }

    /// What kind of movement it is. A name that somebody made up is searched, which is slow: ask once, and not for each sample.
    public var kind: WorkoutKind {
        switch self {
        case .running, .walking: .foot
        case .cycling: .bicycle
        case .custom(let name): WorkoutKind(named: name.text)
        }
    }

    /// How a person moves on foot; nil if it is not on foot, or not known.
    public var gait: Gait? {
        switch self {
        case .running: .running
        case .walking: .walking
        case .cycling, .custom: nil
        }
    }

    /// Whether steps are counted: only on foot.
    public var countsSteps: Bool { gait != nil }

    /// Whether it is done in a place where positions say nothing: on a machine, or in a pool.
    public var isIndoors: Bool {
        guard case .custom(let name) = self else { return false }
        let text = name.text.lowercased()
        return Self.indoors.contains { text.contains($0) }
    }

    /// What the names of such activities have in them, in the words of files.
    private static let indoors = [
        "treadmill", "indoor", "virtual", "spinning", "stationary", "rowing machine", "ergometer", "cross trainer",
        "elliptical",
        "stair", "lap swimming", "pool",
    ]

    /// Whether a sensor on a wheel says how far it was, rather than positions.
    var isOnWheel: Bool { kind == .bicycle || kind == .assistedBicycle }

    /// What a position may need to be believed, in metres a second: 12 on foot, and 30 otherwise.
    public var fastestMetresPerSecond: Double { kind == .foot ? 12 : 30 }

    /// Below this speed in metres a second a person stands: 0.5 on foot, that of some forty steps a minute, from which
    /// on steps have a purpose (Tudor-Locke et al., Medicine & Science in Sports & Exercise 43(7), 2011), and 1
    /// otherwise.
    var standingMetresPerSecond: Double { kind == .foot ? 0.5 : 1 }

    /// What a change of altitude may need to be believed, in metres a second.
    ///
    /// On foot it is 3: on stairs people reach two for moments (Margaria et al., Journal of Applied Physiology 21,
    /// 1966). Otherwise it is 8: the fastest that is believed, 30, on a slope of 27 %.
    public var fastestClimbMetresPerSecond: Double { gait == nil ? 8 : 3 }

    /// Its row in the table of metabolic equivalents; nil if it has none.
    public var equivalents: MetabolicEquivalent.Activity? {
        switch self {
        case .running: .running
        case .walking: .walking
        case .cycling: .cycling
        case .custom: nil
        }
    }
}
