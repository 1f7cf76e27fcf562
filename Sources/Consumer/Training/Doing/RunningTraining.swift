import Exercise
import Fitness
import Telemetry
import TrainingPlans
import Workouts

// The time of a plan is that of its workout without pauses, in milliseconds: while the workout is paused it stands still, and nobody has
// to write down in both when that was.

/// A training that is under way. Belongs to the session's thread.
struct RunningTraining {
    private(set) var record: TrainingRecord
    private(set) var progress: PlanProgress
    /// When the person last did something of the plan, in Unix milliseconds.
    private var acted: Int64
    /// The zone of the heart rate now; nil if there is none.
    var zone: Int?

    /// One that begins.
    init(_ plan: TrainingPlan, _ title: String, in workout: KeptWorkout, from choice: ID?) {
        record = TrainingRecord(
            workout: workout.id, started: workout.started, plan: plan.token, kind: plan.kind.rawValue, title: title,
            choice: choice)
        (progress, acted) = (PlanProgress(plan, at: 0), workout.started)
        keepState()
    }

    /// One that was kept; nil if it cannot go on.
    init?(_ record: TrainingRecord) {
        guard let state = record.state, let kept = state["progress"], let progress = PlanProgress(kept: kept),
            case .integer(let acted)? = state["acted"]
        else { return nil }
        (self.record, self.progress, self.acted) = (record, progress, acted)
    }

    private mutating func keepState() {
        record.state = ["progress": progress.json, "acted": .integer(acted)]
    }

    // MARK: What happens

    /// What goes on, of which people are told when it is something else.
    struct Place: Equatable {
        let exercise: Int
        let set: Int
        let phase: PlanProgress.Phase
    }

    var place: Place { Place(exercise: progress.index, set: progress.set, phase: progress.phase) }

    /// Lets time pass, in Unix milliseconds.
    mutating func pass(to time: Int64, _ timer: WorkoutTimer) {
        progress.pass(to: timer.activeMilliseconds(at: time))
    }

    /// The person does something.
    mutating func take(_ event: PlanEvent, at time: Int64, _ timer: WorkoutTimer) throws(PlanEventProblem) {
        guard timer.state != .paused else { throw .paused }
        try progress.take(event, at: timer.activeMilliseconds(at: time))
        acted = max(acted, time)
        keepState()
    }

    /// The workout has ended.
    /// - Parameter person: as they were on its day.
    mutating func end(_ timer: WorkoutTimer, _ person: Person) {
        // Perhaps it had ended before somebody said so: what has ended by itself since then must not count.
        if let kept = record.state?["progress"], let atLastAct = PlanProgress(kept: kept) { progress = atLastAct }
        pass(to: timer.ended ?? .max, timer)
        let work = progress.work
        record.muscles = Muscle.allCases.compactMap { muscle in
            let (sets, seconds) = (work.sets[muscle] ?? 0, work.seconds[muscle] ?? 0)
            guard sets > 0 || seconds > 0 else { return nil }
            return MuscleWork(muscle: muscle.rawValue, sets: sets, seconds: seconds)
        }
        record.exercises = work.exercises
        record.kilocalories = progress.kilocalories(person).flatMap { $0 < 0.5 ? nil : Int($0.rounded()) }
        record.state = nil
    }

    /// How long it is until something ends by itself, in milliseconds; nil if nothing does.
    func left(at time: Int64, _ timer: WorkoutTimer) -> Int64? {
        progress.ends.map { max(0, $0 - timer.activeMilliseconds(at: time)) }
    }

    /// Until when the person was at it for all that is known, in Unix milliseconds: they follow the clock until something waits for
    /// them, or the plan is done.
    func lastSeen(_ timer: WorkoutTimer) -> Int64 {
        max(acted, timer.moment(ofActiveMilliseconds: progress.since) ?? 0)
    }

    // MARK: As people get it

    /// Whether the heart beats as it is meant to; nil where that does not matter, or is not known.
    func isInZone(_ timer: WorkoutTimer) -> Bool? {
        timer.state == .paused ? nil : zone.flatMap { progress.isReached(byZone: $0) }
    }

    /// What goes on at a time in Unix milliseconds.
    func json(at time: Int64, _ timer: WorkoutTimer) -> JSON {
        let exercise = progress.exercise
        let isPaused = timer.state == .paused && progress.phase != .over
        let left = left(at: time, timer)
        let repetitions: Int? = if case .repetitions(let count) = exercise.effort { count } else { nil }
        return .object(present: [
            "time": .integer(time), "workout": .string(record.workout.text), "plan": .string(record.plan),
            "kind": .string(record.kind), "title": .string(record.title), "exercise": .string(exercise.id),
            "name": .string(exercise.name), "part": .string(exercise.part.rawValue),
            "number": .integer(Int64(progress.index + 1)), "of": .integer(Int64(progress.plan.exercises.count)),
            "set": .integer(Int64(progress.set + 1)), "sets": .integer(Int64(exercise.sets)),
            "repetitions": repetitions.map { .integer(Int64($0)) },
            "phase": .string(isPaused ? PlanProgress.Phase.paused.rawValue : progress.phase.rawValue),
            "ends": isPaused ? nil : left.map { .integer(time + $0) },
            "left_s": isPaused ? left.map { .integer(($0 + 999) / 1000) } : nil,
            "zone": exercise.zone.map { .integer(Int64($0)) }, "in_zone": isInZone(timer).map(JSON.bool),
            "next": progress.following.map { .string($0.name) },
            "muscles": .array(exercise.primary.map { .string($0.rawValue) }),
        ])
    }
}
