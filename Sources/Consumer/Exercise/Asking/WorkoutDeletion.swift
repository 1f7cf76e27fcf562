import Daemon
import Days
import Desk
import Features
import Files
import Readings
import Records
import Telemetry

/// `workouts/delete`: a workout goes for good, and with it the heart rates, positions and motions of its time. Belongs to the session's thread.
// Proof of @unchecked: touched by the desk's handlers only, which run on that thread.
final class WorkoutDeletion: @unchecked Sendable {
    private let context: PeopleContext
    private let deletions: Deletions
    private let packing: Packing
    private let rows: WorkoutRows
    private let versions: WorkoutVersions
    private let days: Days

    init(_ parts: FeatureParts) {
        (context, deletions, packing, days) = (parts.context, parts.deletions, parts.packing, parts.days)
        rows = WorkoutRows(context.store, context.keys)
        versions = WorkoutVersions(context.store, context.keys)
    }

    var verbs: [Verb] {
        [
            Verb(
                "workouts/delete", .workoutsDelete, own: Allowance(perSecond: 1, burst: 50),
                .later { [self] request in request.answering { try delete(request) } })
        ]
    }

    private func delete(_ request: PeopleRequest) throws {
        let (user, id) = (try request.user, try request.id("id"))
        let message: JSON = ["message": "Workout details deleted"]
        guard let workout = try rows.workout(id, of: user)?.workout else {
            // Perhaps this very request has deleted it.
            return request.done(
                try context.answered.once(request, now: context.now()) {
                    throw ReplyError(.notFound, "there is no such workout", field: "id")
                })
        }
        guard workout.timer.isOver else {
            throw ReplyError(.notAllowed, "the workout is under way: stop or cancel it first", field: "id")
        }
        // First what was measured: if this is interrupted, the workout is still there to be deleted again.
        let originals = try versions.all(of: id, user).map(\.kept)
        let span = try whole(workout, originals, of: user)
        guard let before = try deletions.hide(span, of: user, withWay: true) else {
            throw ReplyError(
                .invalid, "too much was deleted piece by piece: delete a longer range of heart rates first")
        }
        let now = context.now()
        do {
            _ = try context.answered.once(
                request, now: now, with: try context.changes.people(touchedByRemoving: id, of: user)
            ) {
                try rows.remove(id, of: user)
                if try days.remove(workout: id, from: workout.started, of: user, now: now) {
                    let day = WorkoutRows.day(workout.started)
                    for near in day - 2...day + 2 { try rows.mark(of: user, on: near) }
                }
                try versions.removeAll(of: id, user)
                for gone in Set(originals.map(\.id)).union([id]) { try context.changes.removingWorkout(gone, of: user) }
                return message
            }
        } catch {
            days.rolledBack()
            throw error
        }
        days.committed()
        let count = try HiddenCount(user, span, before: before, context.store, context.keys) { count in
            request.finish(
                count.map { ["message": "Workout details deleted", "deleted": .integer(Int64($0))] })
        }
        packing.remove(count)
        context.changes.changed([user])
    }
    /// The times of a workout, and of what it was before it was corrected, as far as no other workout is of these.
    private func whole(_ workout: KeptWorkout, _ originals: [KeptWorkout], of user: ID) throws(VaultError) -> Range<Int64> {
        let span = workout.span(now: workout.started)
        let spans = originals.map { $0.span(now: $0.started) }
        var first = spans.reduce(span.lowerBound) { min($0, $1.lowerBound) }
        var end = spans.reduce(span.upperBound) { max($0, $1.upperBound) }
        guard first..<end != span else { return span }
        for entry in try rows.workouts(of: user, on: WorkoutRows.day(first) - 3...WorkoutRows.day(end))
        where entry.workout.id != workout.id {
            let other = entry.workout.span(now: context.now())
            if other.lowerBound < span.lowerBound { first = max(first, min(other.upperBound, span.lowerBound)) }
            // What follows at once may begin with the last moment.
            if other.upperBound > span.upperBound { end = min(end, max(other.lowerBound, span.upperBound - 1)) }
        }
        return first..<end
    }
}
