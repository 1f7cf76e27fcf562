package import Features
package import Telemetry
package import Workouts

/// What has happened in a workout that is under way.
package enum WorkoutTurn: Equatable, Sendable {
    /// The person has started it.
    case began
    /// The person has interrupted it.
    case paused
    /// The person goes on.
    case resumed
    /// A second has passed.
    case goesOn
    /// Its goal is reached, which does not end it. Told once; after a restart of the service perhaps again, with the same time.
    case reachedGoal
    /// The heart has left the zone that the person has chosen, or is back in it, and they are to hear of it.
    case zone(TargetZone.Place)
    /// It is over, and kept.
    case ended(KeptWorkout.End)
    /// It is over, and nothing is kept of it.
    case cancelled
}

/// A workout as it is at one of its turns.
package struct ObservedWorkout: Sendable {
    package let user: ID
    package let id: ID
    package let activity: Activity
    /// What the person wanted to reach; nil if nothing.
    package let goal: WorkoutGoal?
    /// The chosen zone of heart rate; nil if none was chosen.
    package let zone: Int?
    /// When the turn was taken, or the goal reached, in Unix milliseconds: people may name a time that is long ago.
    package let time: Int64
    /// How it goes; nil while that must first be counted, as after a restart of the service.
    package let figures: WorkoutFigures?

    /// Whether the turn was taken more than a minute ago: it is no news any more. People name such a time, and after an absence of the
    /// service it ends a workout whose goal was reached meanwhile.
    package func isLate(now: Int64) -> Bool { now - time > 60_000 }
}

/// Something that a person should hear during their workout, from a feature that knows nothing of voices.
package struct WorkoutAnnouncement: Sendable {
    package let user: ID
    package let workout: ID
    /// What to say, in words.
    package let text: @Sendable (Language) -> String

    package init(to user: ID, of workout: ID, _ text: @escaping @Sendable (Language) -> String) {
        (self.user, self.workout, self.text) = (user, workout, text)
    }
}

/// Hears of the turns of workouts: see `RunningWorkouts.tell(_:)`. A turn is told once it is committed, on the session's thread.
package protocol WorkoutObserver: AnyObject {
    /// A person's workout has taken a turn.
    func turned(_ turn: WorkoutTurn, _ workout: ObservedWorkout)

    /// Something is to be said of it now.
    func announced(_ announcement: WorkoutAnnouncement)
}

extension WorkoutObserver {
    package func announced(_ announcement: WorkoutAnnouncement) {}
}

/// Those who hear of workouts. Belongs to the session's thread. Whoever hears of a turn may have something announced at once.
final class WorkoutObservers {
    private struct Entry {
        weak var observer: (any WorkoutObserver)?
    }

    private var entries: [Entry] = []
    /// The workouts whose goal was told to be reached.
    private var reached: Set<ID> = []

    func add(_ observer: any WorkoutObserver) { entries.append(Entry(observer: observer)) }

    /// Tells that a second has passed, and before that that the goal is reached if it is and was not told.
    func tellOfSecond(_ one: RunningWorkout, now: Int64) {
        guard !entries.isEmpty else { return }
        let figures = one.knownFigures(now: now)
        if !one.workout.endsAtGoal, let time = figures?.goalReached, reached.insert(one.workout.id).inserted {
            tell(.reachedGoal, ObservedWorkout(one, at: time, figures))
        }
        tell(.goesOn, ObservedWorkout(one, at: now, figures))
    }

    /// Tells what the person, or the service in their place, has done, which is the workout's latest event.
    func tell(_ kind: WorkoutEvent.Kind, _ one: RunningWorkout) {
        guard !entries.isEmpty else { return }
        let workout = one.workout
        let time = workout.timer.latest ?? workout.started
        tell(kind.turn(workout.end), ObservedWorkout(one, at: time, one.knownFigures(now: time)))
        if workout.timer.isOver { reached.remove(workout.id) }
    }

    /// Tells that the heart has left its zone, or is back.
    func tell(_ place: TargetZone.Place, _ one: RunningWorkout, _ figures: WorkoutFigures, now: Int64) {
        tell(.zone(place), ObservedWorkout(one, at: now, figures))
    }

    private func tell(_ turn: WorkoutTurn, _ workout: ObservedWorkout) {
        for entry in entries { entry.observer?.turned(turn, workout) }
    }

    func tell(_ announcement: WorkoutAnnouncement) {
        for entry in entries { entry.observer?.announced(announcement) }
    }

    /// Everything of a workout is gone.
    func forget(_ workout: ID) { reached.remove(workout) }
}

extension ObservedWorkout {
    fileprivate init(_ one: RunningWorkout, at time: Int64, _ figures: WorkoutFigures?) {
        let workout = one.workout
        self.init(
            user: one.user, id: workout.id, activity: workout.activity, goal: workout.goal, zone: workout.target?.zone,
            time: time, figures: figures)
    }
}

extension WorkoutEvent.Kind {
    fileprivate func turn(_ end: KeptWorkout.End?) -> WorkoutTurn {
        switch self {
        case .start: .began
        case .pause: .paused
        case .resume: .resumed
        case .stop: .ended(end ?? .person)
        case .cancel: .cancelled
        }
    }
}
