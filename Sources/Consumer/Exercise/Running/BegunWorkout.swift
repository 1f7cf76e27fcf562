import Days
import Files
import Readings
import Records
package import Telemetry
package import Workouts

/// A workout that has just begun, and whose row is written.
package struct BegunWorkout {
    let user: ID
    package let workout: KeptWorkout
    fileprivate let history: History
    /// Those that are recorded differently from now on.
    fileprivate let sensors: Set<SensorName>
}

extension RunningWorkouts {
    /// Begins a workout that has no goal, now, with the gear that is used for the activity by default. Called within a
    /// transaction that holds the person; `tell(_:)` is called once that is committed.
    /// - Throws: what the person is told of a workout that is in its way.
    package func begin(_ activity: Activity, of user: ID) throws -> BegunWorkout {
        var workout = try KeptWorkout(
            id: drawnID(), activity, goal: nil, endsAtGoal: false, start: context.now())
        workout.gear = try GearDocument(documents: context.documents).read(user).usual(for: activity)?.id
        return try keep(workout, of: user)
    }

    /// The same for a workout that a request describes.
    func keep(_ workout: KeptWorkout, of user: ID) throws -> BegunWorkout {
        guard try rows.underWay(of: user) == nil else {
            throw ReplyError(
                .busy, "a workout is under way: stop or cancel it before you start another one", field: "activity")
        }
        let start = workout.started
        let day = WorkoutRows.day(start)
        for entry in try rows.workouts(of: user, on: day - 3...day + 1)
        where entry.workout.timer.ended.map({ $0 > start }) ?? false {
            throw ReplyError(
                .invalid, "there was another workout at that time: start this one later, or delete that one",
                field: "at")
        }
        guard try rows.count(of: user) < WorkoutRows.most else {
            throw ReplyError(.notAllowed, "you have \(WorkoutRows.most) workouts: delete some")
        }
        try rows.write(workout, of: user)
        return BegunWorkout(
            user: user, workout: workout, history: try history(of: user), sensors: try record(true, user))
    }

    /// Everybody hears of a workout that has begun.
    package func tell(_ begun: BegunWorkout) {
        begin(begun.workout, of: begun.user, begun.history)
        tell(.began, begun.user, begun.workout)
        context.changes.changed([begun.user])
        if !begun.sensors.isEmpty { context.doors.bringStreamsInLine(of: begun.sensors) }
    }
}

// MARK: - What features above ask

extension RunningWorkouts {
    /// The workout that a person is doing; nil if there is none.
    package func workout(of user: ID) -> KeptWorkout? { running[user]?.workout }

    /// What the person is shown of it, as in the reply to `workouts/current`; nil if there is none.
    package func shown(of user: ID) -> JSON? { running[user].map(shown) }

    /// Has something said to the person, where anybody says anything.
    package func announce(_ announcement: WorkoutAnnouncement) { observers.tell(announcement) }
}
