import Files
import Records
import Telemetry
import Workouts

// A heart that leaves the zone that its person has chosen for the workout, or is back in it. When that is said, `TargetZone` decides. What was
// said is in the workout's row before anybody hears it: after a restart nothing is said twice.

extension RunningWorkouts {
    /// Tells that the heart has left the zone, or is back, if that is to be said now.
    func tellZone(_ user: ID) throws(VaultError) {
        let now = context.now()
        guard let one = running[user], var target = one.target, let figures = one.knownFigures(now: now) else { return }
        let isActive = one.workout.timer.state == .running
        guard let place = target.look(figures.heartRate?.zone, isActive: isActive, at: now) else {
            looked(user, target)
            return
        }
        var told: KeptWorkout?
        try context.store.change(user) { () throws(VaultError) in
            guard var workout = try rows.underWay(of: user)?.workout, workout.id == one.workout.id else { return }
            workout.target = target
            try rows.write(workout, of: user)
            told = workout
        }
        guard let told else { return }
        looked(user, target)
        replace(told, of: user)
        if let one = running[user] { observers.tell(place, one, figures, now: now) }
    }
}
