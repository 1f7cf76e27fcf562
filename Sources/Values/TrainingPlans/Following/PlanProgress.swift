// Following a plan is a state that events change. Nobody has to be there when a set or a rest ends: whenever the state is
// asked or changed, what has ended until then ends at the time at which it was due. So a service that was away goes on as if
// it had been there.

public import Fitness
import Telemetry

/// Something that a person does while following a plan.
public enum PlanEvent: String, CaseIterable, Hashable, Sendable {
    /// The set is done; or the rest is over.
    case next
    /// Back to the set that was done, or to the one before.
    case previous
    /// On to the next exercise.
    case skip
}

/// Why an event cannot be.
public enum PlanEventProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The plan is done.
    case over
    /// The workout that follows it is paused.
    case paused
    /// The time is before 1970 or after the year 9999.
    case impossibleTime

    /// What has happened, and what to do.
    public var description: String {
        switch self {
        case .over: "the training is done: stop the workout"
        case .paused: "the training is paused: resume the workout first"
        case .impossibleTime: "no training can be at this time: send Unix milliseconds"
        }
    }
}

/// How far somebody is with a plan, and what they have done of it.
public struct PlanProgress: Hashable, Sendable {
    /// What goes on.
    public enum Phase: String, CaseIterable, Hashable, Sendable {
        /// A set.
        case work
        /// The rest after a set.
        case rest
        /// The workout is paused. Progress knows nothing of that: it gets the workout's time, which stands still then.
        case paused
        /// The plan is done.
        case over
    }

    /// What was done of one exercise.
    struct Done: Hashable, Sendable {
        /// A bit for each set that was done: a set that is done again is still one.
        var sets: UInt8 = 0
        /// How long it took, rests included.
        var milliseconds: Int64 = 0
    }

    /// A set of repetitions that takes longer counts for so long, in milliseconds: somebody has forgotten to say that it was
    /// over.
    static let longestPhase: Int64 = 5 * 60_000

    /// What is followed.
    public let plan: TrainingPlan
    /// Which exercise it is, counted from 0.
    public internal(set) var index = 0
    /// Which set of it, counted from 0.
    public internal(set) var set = 0
    var (isRest, isOver) = (false, false)
    /// When the set or rest has begun, or the plan was done, in Unix milliseconds.
    public internal(set) var since: Int64
    /// The time of the latest change, in Unix milliseconds.
    var latest: Int64
    var done: [Done]

    /// The beginning of a plan.
    /// - Parameter time: Unix milliseconds.
    public init(_ plan: TrainingPlan, at time: Int64) {
        self.plan = plan
        (since, latest) = (time, time)
        done = plan.exercises.map { _ in Done() }
    }

    // MARK: What goes on

    /// What goes on.
    public var phase: Phase { isOver ? .over : isRest ? .rest : .work }

    /// The exercise of this set, or of the set before this rest; the last one if the plan is done.
    public var exercise: PlannedExercise { plan.exercises[index] }

    /// What comes after this set or rest, if it is another exercise; nil if none does.
    public var following: PlannedExercise? {
        let isLast = set + 1 == exercise.sets
        return isLast && index + 1 < plan.exercises.count && !isOver ? plan.exercises[index + 1] : nil
    }

    /// When the set or rest ends by itself, in Unix milliseconds; nil if it is waited for.
    public var ends: Int64? { isOver ? nil : length.map { since + $0 } }

    /// Whether a heart rate in a zone, from 1 to 5, is as high as it is meant to be; nil in rests, and where it
    /// does not matter.
    public func isReached(byZone zone: Int) -> Bool? { phase == .work ? exercise.isReached(byZone: zone) : nil }

    /// How long the set or rest is, in milliseconds; nil for repetitions.
    private var length: Int64? {
        if isRest { return Int64(exercise.restSeconds) * 1000 }
        if case .seconds(let seconds) = exercise.effort { return Int64(seconds) * 1000 }
        return nil
    }

    // MARK: What happens

    /// Lets time pass until a moment in Unix milliseconds: what ends by itself until then, ends. A moment before the latest
    /// one changes nothing.
    public mutating func pass(to time: Int64) {
        guard KeptState.times.contains(time) else { return }
        let time = max(time, latest)
        while let end = ends, end <= time {
            if isRest { endRest(at: end) } else { endSet(at: end) }
        }
        latest = time
    }

    /// Does something at a moment in Unix milliseconds, after what ends by itself until then; throws if it cannot be. A
    /// moment before the latest one is taken for that one: a clock may be set back.
    public mutating func take(_ event: PlanEvent, at time: Int64) throws(PlanEventProblem) {
        guard KeptState.times.contains(time) else { throw .impossibleTime }
        pass(to: time)
        guard !isOver else { throw .over }
        switch event {
        case .next: if isRest { endRest(at: latest) } else { endSet(at: latest) }
        case .previous: goBack()
        case .skip:
            count(until: latest)
            begin(exercise: index + 1, at: latest)
        }
    }

    private mutating func endSet(at time: Int64) {
        count(until: time)
        done[index].sets |= 1 << set
        if index + 1 == plan.exercises.count, set + 1 == exercise.sets {
            (isOver, since) = (true, time)
        } else if exercise.restSeconds == 0 {
            beginNextSet(at: time)
        } else {
            (isRest, since) = (true, time)
        }
    }

    private mutating func endRest(at time: Int64) {
        count(until: time)
        beginNextSet(at: time)
    }

    private mutating func beginNextSet(at time: Int64) {
        guard set + 1 < exercise.sets else { return begin(exercise: index + 1, at: time) }
        set += 1
        (isRest, since) = (false, time)
    }

    private mutating func goBack() {
        count(until: latest)
        if !isRest {
            if set > 0 {
                set -= 1
            } else if index > 0 {
                index -= 1
                set = exercise.sets - 1
            }
        }
        (isRest, since) = (false, latest)
    }

    private mutating func begin(exercise index: Int, at time: Int64) {
        guard index < plan.exercises.count else {
            (isOver, since) = (true, time)
            return
        }
        (self.index, set, isRest, since) = (index, 0, false, time)
    }

    /// Counts the set or rest for its exercise.
    private mutating func count(until time: Int64) {
        done[index].milliseconds += min(max(0, time - since), max(length ?? 0, Self.longestPhase))
    }

    // MARK: What was done

    /// What was done so far; of the set or rest that goes on, nothing.
    public var work: PlanWork {
        zip(plan.exercises, done).reduce(into: PlanWork()) { work, each in
            let (exercise, done) = each
            guard exercise.part == .main else { return }
            let seconds = Int(done.milliseconds / 1000)
            if done.sets != 0 { work.exercises += 1 }
            for muscle in exercise.primary where done.sets != 0 || seconds > 0 {
                work.sets[muscle, default: 0] += done.sets.nonzeroBitCount
                work.seconds[muscle, default: 0] += seconds
            }
        }
    }

    /// An estimate of what all parts that were done so far took, rests included, in kilocalories; nil if the person's weight is
    /// not known.
    public func kilocalories(_ person: Person) -> Double? {
        guard person.weightKilograms != nil else { return nil }
        var sum = 0.0
        for (exercise, done) in zip(plan.exercises, self.done) {
            sum += plan.kilocalories(of: exercise, seconds: Double(done.milliseconds) / 1000, person) ?? 0
        }
        return sum
    }
}
