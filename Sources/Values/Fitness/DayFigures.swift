// What a day comes to: how far somebody went, and what energy that took beyond what the body uses at rest. Workouts count, and
// the steps outside of them; nothing counts twice:
//
//     steps          |--3000--|  |----7600----|        |--2400--|
//     run                        |---8970 m---|                       the steps in it are its own
//     the same by a watch        |--9007 m---|                        counts nowhere
//     counted         3000 steps  8970 m                2400 steps
//
// A workout belongs as a whole to the day when it began. The steps in its time are left out on that day and the next.

/// What a day must know of a workout.
public struct DayWorkout: Hashable, Sendable {
    /// Its id.
    public let id: String
    /// The name of what was done.
    public let activity: String
    /// Unix milliseconds, from its start to its end.
    public let times: Range<Int64>
    /// How far it was, in metres; nil if nothing has measured it.
    public private(set) var metres: Double?
    /// Beyond rest, in kilocalories; nil if it is not known.
    public private(set) var kilocalories: Double?
    /// What it has counted itself, by a foot pod or a file; nil if it has not.
    public private(set) var steps: Double?
    /// Of several that are the same, the one with the highest rank counts: one that the person has chosen, then one that was
    /// started here, then one with more measurements.
    public let rank: Int
    /// A number that the sessions of one file have in common, as those of a triathlon; nil for a whole activity.
    public let file: Int64?
    /// How its active time went; nil if that is not known.
    public private(set) var effort: Effort?

    /// A workout from its parts. What is not above 0 is not known.
    public init(
        id: String, _ activity: String, _ times: Range<Int64>, metres: Double?, kilocalories: Double?,
        steps: Double? = nil, rank: Int, file: Int64? = nil, effort: Effort? = nil
    ) {
        func known(_ value: Double?) -> Double? { value.flatMap { $0.isFinite && $0 > 0 ? $0 : nil } }
        (self.id, self.activity, self.times, self.rank, self.file, self.effort) = (id, activity, times, rank, file, effort)
        (self.metres, self.kilocalories, self.steps) = (known(metres), known(kilocalories), known(steps))
    }

    var kind: WorkoutKind { WorkoutKind(named: activity) }

    /// Those that count, each with the part of its time that is its own: of the same workout twice, one counts, with what only the other one
    /// knows; and of those that overlap otherwise, the second one counts where the first one was not.
    /// - Parameter others: those of days before, which count there.
    static func counted(_ workouts: [DayWorkout], after others: [DayWorkout]) -> [(workout: DayWorkout, share: Double)] {
        var taken = TimeRanges()
        let all = [others, workouts].flatMap { day in day.sorted { $0.goesBefore($1) } }
        let counted = SameWorkouts.groups(inOrder: all).map { group -> (workout: DayWorkout, share: Double) in
            let times = group.counted.times
            let length = times.upperBound - times.lowerBound
            let free = length - taken.length(in: times)
            taken.insert(times)
            return (group.counted, length > 0 ? Double(free) / Double(length) : 1)
        }
        return Array(counted.dropFirst(counted.count { one in others.contains { $0.id == one.workout.id } }))
    }

    /// Takes what it lacks from another recording of the same workout.
    mutating func fill(from other: DayWorkout) {
        metres = metres ?? other.metres
        kilocalories = kilocalories ?? other.kilocalories
        steps = steps ?? other.steps
        if effort?.recorded ?? 0 == 0, let effort = other.effort { self.effort = effort }
    }
}

/// What a day came to, by certain formulas.
public struct DayFigures: Hashable, Sendable, Codable {
    /// The number of the formulas and constants in use. Whoever changes these, or how a step counts as walked or run,
    /// counts it up. 1 knew only steps.
    public static let formulas = 2

    /// The number of the formulas that were used.
    public let formulas: Int
    /// Distances in metres; none if nothing is known.
    public let metres: [DistanceKind: Double]
    /// Beyond rest, in kilocalories; nil if it is not known.
    public let kilocalories: Double?

    /// Figures of certain formulas; nil if nothing is known.
    public init?(formulas: Int = Self.formulas, metres: [DistanceKind: Double], kilocalories: Double?) {
        guard !metres.isEmpty || kilocalories != nil else { return nil }
        (self.formulas, self.metres, self.kilocalories) = (formulas, metres, kilocalories)
    }

    /// The whole distance; nil if no part is known.
    public var allMetres: Double? {
        metres.isEmpty ? nil : DistanceKind.allCases.reduce(0) { $0 + (metres[$1] ?? 0) }
    }

    /// What a person's day comes to; nil if no part is known.
    /// - Parameters:
    ///   - workouts: those that began on the day, in any order.
    ///   - others: those that began on days before, and may have gone on.
    public init?(
        _ steps: StepCounter.Made?, _ workouts: [DayWorkout] = [], others: [DayWorkout] = [], of person: Person
    ) {
        let near = (workouts + others).map { (workout: $0, isOfSteps: $0.kind.isOfSteps) }
        func outside(_ known: (DayWorkout) -> Double?) -> StepCounter.Made.Part? {
            steps?.outside(TimeRanges(near.filter { known($0.workout) != nil || !$0.isOfSteps }.map(\.workout.times)))
        }
        var metres: [DistanceKind: Double] = [:]
        metres[.foot] = outside(\.metres).flatMap { person.metres($0) }
        var kilocalories = outside(\.kilocalories).flatMap { person.kilocalories($0) }
        for (workout, share) in DayWorkout.counted(workouts, after: others) {
            if let way = workout.metres, let kind = workout.kind.distance { metres[kind, default: 0] += share * way }
            if let energy = workout.kilocalories { kilocalories = (kilocalories ?? 0) + share * energy }
        }
        self.init(metres: metres, kilocalories: kilocalories)
    }
}

/// Moments, as ranges that neither touch nor overlap.
struct TimeRanges {
    /// In their order.
    private(set) var ranges: [Range<Int64>] = []

    init(_ ranges: [Range<Int64>] = []) { for range in ranges { insert(range) } }

    mutating func insert(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        let (before, rest) = (ranges.filter { $0.upperBound < range.lowerBound }, ranges.filter { $0.lowerBound > range.upperBound })
        let touching = ranges[before.count..<ranges.count - rest.count]
        let whole = touching.reduce(range) { min($0.lowerBound, $1.lowerBound)..<max($0.upperBound, $1.upperBound) }
        ranges = before + [whole] + rest
    }

    /// How much of a range is in them.
    func length(in range: Range<Int64>) -> Int64 {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
        }
        var sum: Int64 = 0
        while low < ranges.count, ranges[low].lowerBound < range.upperBound {
            let common = ranges[low].clamped(to: range)
            sum += common.upperBound - common.lowerBound
            low += 1
        }
        return sum
    }
}
