import Days
import Files
import Fitness
import Telemetry
import Workouts

// What is found out of a workout's samples together, once it is over or in its detail view.

/// How a workout went.
struct WorkoutReview {
    /// The line of a list.
    let line: [JSON.Member]
    /// By positions.
    let course: Course
    /// It makes splits and best times; nil if no source says about as much as the workout's distance.
    let way: Way?
    /// The best times; none if positions do not show that it was outdoors.
    let best: [BestTime]
    /// The heart rates that hold in it, in the order of their times.
    let hearts: [HeldHeartRate]

    /// - Parameter now: in Unix milliseconds.
    init(_ workout: KeptWorkout, _ samples: WorkoutSamples, _ history: History, now: Int64) {
        let fold = workout.fold(samples, history)
        let moment = workout.timer.ended ?? now
        let figures = fold.figures(at: moment)
        course = workout.course(samples)
        way = workout.way(samples, course, figures)
        let seconds = Double(workout.activeMilliseconds(figures)) / 1000
        let moving = way?.movingSeconds(of: seconds, workout.activity)
        line = figures.members(
            workout, history.person(at: workout.started),
            movingSeconds: moving.flatMap { $0 <= 0.99 * seconds ? $0 : nil })
        best = course.metres > 0 && workout.agrees(course) ? way?.bestTimes(workout.activity) ?? [] : []
        hearts = fold.heldHeartRates(at: moment)
    }
}

extension KeptWorkout {
    /// The way of the first source that is about as long as the workout was: on a bicycle, indoors and of an imported file that
    /// of a sensor or device goes before positions, and otherwise behind them. Indoors positions say nothing.
    func way(_ samples: WorkoutSamples, _ course: Course, _ figures: WorkoutFigures) -> Way? {
        let motions = samples.all.compactMap { sample -> MotionReading? in
            if case .motion(let reading) = sample { reading } else { nil }
        }
        let (sensors, positions) = (Way(motions, activity, timer), activity.isIndoors ? nil : Way(course))
        let isSensorFirst = origin != nil || activity.kind.distance == .bicycle || activity.isIndoors
        let ways = [sensors, positions].compactMap { $0 }
        return (isSensorFirst ? ways : ways.reversed()).first { way in
            guard way.metres > 0 else { return false }
            return metres(figures).map { abs(way.metres - $0) <= $0 / 5 } ?? true
        }
    }
}
