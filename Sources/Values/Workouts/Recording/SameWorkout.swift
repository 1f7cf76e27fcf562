// Two devices may have recorded the same workout, and the same file may come twice.

/// When a workout was, and what was done: enough to find out whether two workouts are the same one.
public struct WorkoutSpan: Hashable, Sendable {
    /// Unix milliseconds.
    public let start: Int64
    /// Unix milliseconds, not before `start`.
    public let end: Int64
    private let kind: Kind?

    /// A workout from its start to its end.
    public init(_ activity: Activity, from start: Int64, to end: Int64) {
        (self.start, self.end, kind) = (start, max(start, end), Kind(activity))
    }

    /// Whether both are the same workout: they are of the same kind, or the kind of one of them is not known; and what
    /// they have in common is at least four fifths of the shorter and half of the longer one. Those that do not overlap
    /// are never the same, however close they are.
    public func isSame(as other: WorkoutSpan) -> Bool {
        if let kind, let its = other.kind, kind != its { return false }
        if start == other.start, end == other.end { return true }
        let common = min(end, other.end) - max(start, other.start)
        let lengths = [end - start, other.end - other.start].sorted()
        return common > 0 && common * 5 >= lengths[0] * 4 && common * 2 >= lengths[1]
    }

    /// On foot, by bicycle, in water, or by its name.
    private enum Kind: Hashable {
        case foot, bicycle, water
        case other(String)

        init?(_ activity: Activity) {
            switch activity {
            case .running, .walking: self = .foot
            case .cycling: self = .bicycle
            case .custom(let name):
                let words = name.text.lowercased()
                func has(_ parts: [String]) -> Bool { parts.contains { words.contains($0) } }
                if has(["run", "walk", "hik", "treadmill", "mountaineering", "snowshoeing"]) {
                    self = .foot
                } else if has(["cycl", "bik", "ride", "spinning"]), !has(["motor"]) {
                    self = .bicycle
                } else if has(["swim"]) {
                    self = .water
                } else if ["workout", "generic", "training", "fitness equipment", "multisport", "other"].contains(words) {
                    return nil
                } else {
                    self = .other(words)
                }
            }
        }
    }
}
