/// Which of a day's distances a way is part of.
public enum DistanceKind: String, CaseIterable, Hashable, Sendable, Codable, CodingKeyRepresentable {
    /// On foot: workouts, and steps outside of them.
    case foot
    /// By bicycle.
    case bicycle
    /// In water.
    case swimming
    /// Anything else that people do with their own strength.
    case other
}

/// What kind of movement a workout is, by the name of its activity: its own words, or those of the file that it came from.
public enum WorkoutKind: Hashable, Sendable {
    case foot, bicycle, swimming
    /// A bicycle with a motor.
    case assistedBicycle
    /// A motor, a lift or a slope does the work.
    case carried(String)
    case other(String)
    /// The name says nothing.
    case unknown

    /// The kind of an activity of this name.
    public init(named name: String) {
        let name = name.lowercased()
        let words = name.split { !$0.isLetter }
        func begins(_ parts: [String]) -> Bool { words.contains { word in parts.contains { word.hasPrefix($0) } } }
        func has(_ parts: [String]) -> Bool { parts.contains { name.contains($0) } }
        let isElectric = begins(["ebik", "electric"]) || zip(words, words.dropFirst()).contains { $0 == "e" && $1.hasPrefix("bik") }
        let carriers: Set<Substring> = ["bus", "train", "car", "ferry"]
        if begins(["driv", "motor", "lift", "transition", "snowboard", "snowmobil", "flying", "hang"])
            || has(["alpine ski", "downhill ski"]) || words.contains(where: carriers.contains)
        {
            self = .carried(name)
        } else if begins(Self.rolling) {
            self = .other(name)
        } else if begins(["run", "jog", "walk", "hik", "treadmill", "mountaineer", "snowshoe"]) {
            self = .foot
        } else if isElectric {
            self = .assistedBicycle
        } else if begins(["cycl", "biking", "bike", "bicycl", "spinning", "ride"]) || has(["mountainbik"]) {
            self = .bicycle
        } else if begins(["swim"]) {
            self = .swimming
        } else if ["workout", "generic", "training", "fitness equipment", "multisport", "other"].contains(name) {
            self = .unknown
        } else {
            self = .other(name)
        }
    }

    /// What begins the names of what is done on wheels, on runners or in a boat, except bicycles.
    private static let rolling = [
        "wheelchair", "handcycl", "row", "skat", "kayak", "cano", "paddl", "sail", "surf", "horse", "ski",
    ]

    /// Which of a day's distances its way is part of; nil if its way is not done with one's own strength.
    public var distance: DistanceKind? {
        switch self {
        case .foot: .foot
        case .bicycle: .bicycle
        case .swimming: .swimming
        case .other, .unknown: .other
        case .assistedBicycle, .carried: nil
        }
    }

    /// Whether steps in its time are steps of its way: on wheels and in water they are not.
    var isOfSteps: Bool {
        guard case .other(let name) = self else { return distance == .foot || distance == .other }
        return !name.split { !$0.isLetter }.contains { word in Self.rolling.contains { word.hasPrefix($0) } }
    }

    /// Whether two workouts can be the same one: they are of the same kind, or the kind of one of them is not known.
    fileprivate func fits(_ other: WorkoutKind) -> Bool {
        switch (self, other) {
        case (.unknown, _), (_, .unknown), (.bicycle, .assistedBicycle), (.assistedBicycle, .bicycle): true
        default: self == other
        }
    }
}

// Two devices may have recorded the same workout, and the same file may come twice.

/// When a workout was, and what was done: enough to find out whether two workouts are the same one.
public struct WorkoutSpan: Hashable, Sendable {
    /// What was done.
    public let kind: WorkoutKind
    /// Unix milliseconds.
    public let start: Int64
    /// Unix milliseconds, not before `start`.
    public let end: Int64

    /// A workout from its start to its end.
    public init(_ kind: WorkoutKind, from start: Int64, to end: Int64) {
        (self.kind, self.start, self.end) = (kind, start, max(start, end))
    }

    /// Whether both are the same workout: they are of the same kind, or the kind of one of them is not known; and what
    /// they have in common is at least four fifths of the shorter and half of the longer one. Those that do not overlap
    /// are never the same, however close they are.
    public func isSame(as other: WorkoutSpan) -> Bool {
        guard kind.fits(other.kind) else { return false }
        if start == other.start, end == other.end { return true }
        let common = min(end, other.end) - max(start, other.start)
        let lengths = [end - start, other.end - other.start].sorted()
        return common > 0 && common * 5 >= lengths[0] * 4 && common * 2 >= lengths[1]
    }
}
