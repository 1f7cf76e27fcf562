import Daemon
import Days
import Desk
import Exercise
import Features
package import Files
import Records
package import Telemetry

// A post may show a workout instead of the week. The post keeps no figures: those of the workout are read when somebody looks. It goes
// with the workout, in the same transaction.

extension Posts {
    var workoutVerbs: [Verb] {
        [
            readers.statistics.verb("posts/way", .postsWay, bulk: Allowance(perSecond: 2, burst: 30)) {
                [unowned self] request in try way(request)
            }
        ]
    }

    private func way(_ request: PeopleRequest) throws -> StoreReaders.Read {
        let (user, id, zone) = (try request.user, try request.id("post"), self.zone)
        let hidden: Set<ID> = Set([try seen(id, by: user).author]).filter(context.doors.isBeingForgotten)
        return { source in
            var shown = try ShownPosts(to: user, source.store, source.keys, zone: zone, hiding: hidden)
            guard let post = try shown.post(id) else { throw Self.unknown }
            guard let workout = post.workout, workout.showsWay else {
                throw ReplyError(.notFound, "this post shows no way", field: "post")
            }
            return ["way": try SharedWorkouts(source, of: post.author, zone: zone).way(workout.id)]
        }
    }
}

extension Posts: WorkoutRemovalObserver {
    package func people(touchedByRemoving workouts: Set<ID>, of user: ID) throws(VaultError) -> Set<ID> {
        try others(on: posts(of: user, showing: workouts))
    }

    package func removingWorkouts(_ workouts: Set<ID>, of user: ID) throws(VaultError) {
        for post in try posts(of: user, showing: workouts) {
            let seen = try viewers.viewers(of: [post], by: user)
            // A transaction before this may have been rolled back.
            removed[user]?.removeAll { $0.post == post.id }
            removed[user, default: []].append((post.id, Set(seen.keys)))
            try rows.remove(post)
        }
    }

    private func posts(of user: ID, showing workouts: Set<ID>) throws(VaultError) -> [Post] {
        try rows.posts(of: user).filter { post in post.workout.map { workouts.contains($0.id) } ?? false }
    }

    /// What was removed with a workout is committed now. A post that is still there was not: the transaction was rolled back.
    package func changed(_ users: Set<ID>) {
        guard !removed.isEmpty else { return }
        for user in users {
            for (post, viewers) in removed.removeValue(forKey: user) ?? [] where !isThere(post) {
                tell(viewers, ["post": .string(post.text), "removed": true])
            }
        }
    }

    /// False if nobody can say: then those who have seen it look again.
    private func isThere(_ post: ID) -> Bool {
        do throws(VaultError) { return try rows.post(post) != nil } catch { return false }
    }
}
