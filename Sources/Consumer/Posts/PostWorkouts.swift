import Daemon
import Days
import Desk
import Exercise
import Features
package import Files
import Records
package import Telemetry

// A post may show a workout instead of the week. It has no figures of its own: those of the workout are read when somebody looks. It goes
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
    package func people(touchedByRemoving workout: ID, of user: ID) throws(VaultError) -> Set<ID> {
        try others(on: rows.posts(of: user).filter { $0.workout?.id == workout })
    }

    package func removingWorkout(_ workout: ID, of user: ID) throws(VaultError) {
        for post in try rows.posts(of: user) where post.workout?.id == workout {
            let seen = try viewers.viewers(of: [post], by: user)
            removed[user, default: []].append((post.id, Set(seen.keys)))
            try rows.remove(post)
        }
    }

    /// What was removed with a workout is committed now. If it is not, whoever looks again finds the post.
    package func changed(_ users: Set<ID>) {
        guard !removed.isEmpty else { return }
        for user in users {
            for (post, viewers) in removed.removeValue(forKey: user) ?? [] {
                tell(viewers, ["post": .string(post.text), "removed": true])
            }
        }
    }
}
