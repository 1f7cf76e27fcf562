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
        let measured = try measured(workout, originals, of: user)
        let before = try hide(measured, of: user)
        let (now, gone) = (context.now(), Set(originals.map(\.id)).union([id]))
        do {
            _ = try context.answered.once(
                request, now: now, with: try context.changes.people(touchedByRemoving: gone, of: user)
            ) {
                try rows.remove(id, of: user)
                if try days.remove(workout: id, from: workout.started, of: user, now: now) {
                    let day = WorkoutRows.day(workout.started)
                    for near in day - 2...day + 2 { try rows.mark(of: user, on: near) }
                }
                try versions.removeAll(of: id, user)
                try context.changes.removingWorkouts(gone, of: user)
                return message
            }
        } catch {
            days.rolledBack()
            throw error
        }
        days.committed()
        context.changes.changed([user])
        guard let first = measured.ranges.first?.lowerBound, let end = measured.ranges.last?.upperBound else {
            return request.done(message)
        }
        // What stays in between is not counted.
        var uncounted = SeparateRanges([first..<end]).subtracting(measured)
        for range in before.ranges { uncounted.insert(range) }
        let count = try HiddenCount(user, first..<end, before: uncounted, context.store, context.keys) { count in
            request.finish(
                count.map { ["message": "Workout details deleted", "deleted": .integer(Int64($0))] })
        }
        packing.remove(count)
    }

    /// Hides what was measured at some times.
    /// - Returns: what was hidden before.
    private func hide(_ times: SeparateRanges, of user: ID) throws -> SeparateRanges {
        var before: SeparateRanges?
        for range in times.ranges {
            guard let earlier = try deletions.hide(range, of: user, withWay: true) else {
                throw ReplyError(
                    .invalid, "too much was deleted piece by piece: delete a longer range of heart rates first")
            }
            before = before ?? earlier
        }
        return before ?? SeparateRanges()
    }


    /// The times when a workout and its uncorrected versions were measured, without the times of other workouts.
    private func measured(
        _ workout: KeptWorkout, _ originals: [KeptWorkout], of user: ID
    ) throws(VaultError) -> SeparateRanges {
        let recorded = ([workout] + originals).filter { $0.origin?.isByHand != true }
        let times = SeparateRanges(
            recorded.flatMap { one in
                one.parts.isEmpty ? [one.span(now: one.started)] : one.parts.map { $0.start..<$0.end }
            })
        guard let first = times.ranges.first?.lowerBound, let end = times.ranges.last?.upperBound else { return times }
        let others = try rows.workouts(of: user, on: WorkoutRows.day(first) - 3...WorkoutRows.day(end))
            .map(\.workout).filter { $0.id != workout.id && $0.origin?.isByHand != true }
        return times.subtracting(SeparateRanges(others.map { $0.span(now: context.now()) }))
    }
}
