// Two devices may have recorded the same workout. Wherever workouts are counted, one of the recordings counts, with what only the others
// know; the others count nowhere.

/// Recordings of one workout.
public struct SameWorkouts: Hashable, Sendable {
    /// The one that counts, with what only the others know.
    public private(set) var counted: DayWorkout
    /// The others, those first that are to be preferred.
    public private(set) var others: [DayWorkout] = []

    /// How many that overlap, one with the next, are compared with each other: nobody has so many recordings of anything.
    public static let mostCompared = 200

    /// All workouts of some, each in one group, in the order of when they began. Where too many overlap, each counts alone.
    /// - Parameter day: the day of a moment. Of recordings on both sides of midnight, those of the earlier day are preferred,
    ///   because that day does not know the next one.
    public static func groups(of workouts: [DayWorkout], day: (Int64) -> CalendarDay) -> [SameWorkouts] {
        workouts.partedByTime(\.times).flatMap { part -> [SameWorkouts] in
            // Most overlap with no other one, and nothing else need be known of these.
            guard part.count > 1, part.count <= mostCompared else { return part.map { SameWorkouts(counted: $0) } }
            let days = Dictionary(grouping: part) { day($0.times.lowerBound) }.sorted { $0.key < $1.key }
            return groups(inOrder: days.flatMap { $0.value.sorted { $0.goesBefore($1) } })
        }
    }

    /// The same of workouts that begin with the one that is to be preferred to all others.
    static func groups(inOrder workouts: [DayWorkout]) -> [SameWorkouts] {
        var groups: [SameWorkouts] = []
        for workout in workouts {
            guard let same = groups.firstIndex(where: { $0.counted.isSame(as: workout) }) else {
                groups.append(SameWorkouts(counted: workout))
                continue
            }
            groups[same].counted.fill(from: workout)
            groups[same].others.append(workout)
        }
        return groups
    }

    private init(counted: DayWorkout) { self.counted = counted }
}

extension DayWorkout {
    /// Whether both are recordings of the same workout. Those of one file never are.
    func isSame(as other: DayWorkout) -> Bool {
        if let file, file == other.file { return false }
        return span.isSame(as: other.span)
    }

    private var span: WorkoutSpan { WorkoutSpan(kind, from: times.lowerBound, to: times.upperBound) }

    /// Whether it is preferred to another recording of the same workout on the same day.
    func goesBefore(_ other: DayWorkout) -> Bool {
        if rank != other.rank { return rank > other.rank }
        let lengths = (times.upperBound - times.lowerBound, other.times.upperBound - other.times.lowerBound)
        if lengths.0 != lengths.1 { return lengths.0 > lengths.1 }
        return (times.lowerBound, id) < (other.times.lowerBound, other.id)
    }
}

extension Sequence {
    /// Parts, in the order of when their first element begins: no element overlaps with one of another part.
    @inlinable
    public func partedByTime(_ times: (Element) -> Range<Int64>) -> [[Element]] {
        var (parts, end): ([[Element]], Int64) = ([], .min)
        let all = map { (element: $0, times: times($0)) }.sorted { $0.times.lowerBound < $1.times.lowerBound }
        for (element, times) in all {
            // What begins when another one ends goes with it: both may have no length.
            if times.lowerBound > end || parts.isEmpty { parts.append([]) }
            parts[parts.count - 1].append(element)
            end = Swift.max(end, times.upperBound)
        }
        return parts
    }
}
