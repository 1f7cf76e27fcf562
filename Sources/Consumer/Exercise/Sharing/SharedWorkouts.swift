package import Features
import Files
package import Fitness
package import Pictures
package import Records
package import Telemetry
package import Workouts

// What other features show of a person's workouts, for that person to share: only what the person's own pictures and lists show.

/// The workouts of a person, read for sharing. Belongs to the thread of its source.
package struct SharedWorkouts {
    let asked: WorkoutHistory.Asked

    /// - Parameter zone: that of people who have named none.
    package init(_ source: ReadSource, of user: ID, zone: String) {
        asked = WorkoutHistory.Asked(source, user, zone)
    }

    /// The same on the session's thread.
    package init(_ store: Store, _ keys: Keys, of user: ID, zone: String) {
        asked = WorkoutHistory.Asked(WorkoutRows(store, keys), user, zone)
    }

    /// What may be told of a workout that is over, with start and end hidden as in its picture.
    /// - Throws: if the person has no such workout.
    package func poster(_ id: ID) throws -> (activity: Activity, poster: WorkoutPoster) {
        let drawing = try asked.drawing(id)
        let poster = WorkoutPicture(of: id).poster(drawing, try asked.history, in: try asked.units())
        return (drawing.workout.activity, poster)
    }

    /// The workouts that began on some days; all there are if it is nil.
    package func summaries(on days: ClosedRange<CalendarDay>?) throws -> [WorkoutSummary] {
        guard let days else { return try asked.summaries(WorkoutHistory.Filter()).map(\.summary) }
        return try WorkoutReports.summaries(on: days, WorkoutHistory.Filter(), asked).map(\.summary)
    }
}
