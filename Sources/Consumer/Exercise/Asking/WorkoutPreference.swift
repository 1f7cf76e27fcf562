import Daemon
import Days
import Desk
import Features
import Files
import Fitness
import Records
import Telemetry

/// `workouts/prefer`: of several recordings of a workout, the person chooses the one that counts. Belongs to the session's thread.
// Proof of @unchecked: touched by the desk's handlers only, which run on that thread.
final class WorkoutPreference: @unchecked Sendable {
    private let context: PeopleContext
    private let rows: WorkoutRows
    private let days: Days

    init(_ parts: FeatureParts) {
        (context, days) = (parts.context, parts.days)
        rows = WorkoutRows(context.store, context.keys)
    }

    /// Weeks of workouts are opened for it: nobody has more to choose.
    var verbs: [Verb] {
        [
            Verb(
                "workouts/prefer", .workoutsPrefer, own: Allowance(perSecond: 0.1, burst: 50),
                .atOnce { [self] in try prefer($0) })
        ]
    }

    private func prefer(_ request: PeopleRequest) throws -> JSON {
        let (user, id) = (try request.user, try request.id("id"))
        do {
            let answer = try context.store.attempt(naming: [user]) { try prefer(id, of: user) }.get()
            days.committed()
            context.changes.changed([user])
            return answer
        } catch {
            days.rolledBack()
            throw error
        }
    }

    /// Within a transaction: what is said of the recordings, and what their day comes to.
    private func prefer(_ id: ID, of user: ID) throws -> JSON {
        guard let chosen = try rows.workout(id, of: user)?.workout else {
            throw ReplyError(.notFound, "there is no such workout", field: "id")
        }
        guard chosen.timer.isOver else {
            throw ReplyError(.notAllowed, "the workout is under way: stop it first", field: "id")
        }
        let local = try days.histories.history(of: user).localDays
        guard let recordings = try rows.recordings(of: chosen, user, { () throws(VaultError) in local }) else {
            throw ReplyError(.notAllowed, "there is no other recording of this workout", field: "id")
        }
        let all = [recordings.workout] + recordings.others
        guard all.allSatisfy({ local.day(of: $0.started) >= local.day(of: chosen.started) }) else {
            throw ReplyError(.notAllowed, "the other recording began on the day before, and counts there", field: "id")
        }
        for recording in all where recording.isPreferred != (recording.id == id) {
            try keep(recording.id, recording.id == id, user)
        }
        guard let told = try rows.recordings(of: chosen, user, { () throws(VaultError) in local }) else {
            return ["id": .string(id.text), "recordings": .array([])]
        }
        return ["id": .string(id.text), "recordings": WorkoutHistory.json(told, without: id)]
    }

    private func keep(_ id: ID, _ isPreferred: Bool, _ user: ID) throws {
        // What the others know is not kept with it.
        guard var workout = try rows.workout(id, of: user)?.workout else { return }
        workout.isPreferred = isPreferred
        try rows.write(workout, of: user)
        if let ofDay = workout.ofDay {
            try days.take(ofDay, of: user, silently: true, wasCounted: true, now: context.now())
        }
    }
}
