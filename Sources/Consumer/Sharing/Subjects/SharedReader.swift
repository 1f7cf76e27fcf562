import Days
import Exercise
import Features
import Files
import Fitness
import Insight
import Pictures
import Posts
import Push
import Records
import Telemetry
import Workouts

// What is shared is told to a tenth of a kilometre and to the minute, of several workouts, too: where there is only one, a more exact
// total, less what its picture draws, would be how long the hidden parts of its way are (`WorkoutPoster.areEndsHidden`).

/// Makes what a person shares of what is kept of them, in their language and units. Belongs to the thread of its source.
struct SharedReader {
    let source: ReadSource
    let user: ID
    /// That of people who have named none.
    let zone: String
    /// Unix milliseconds.
    let now: Int64
    let words: SharedFigures

    /// - Throws: a `ReplyError` if there is nothing of the kind.
    func content(of subject: SharedSubject, withPicture: Bool) throws -> SharedContent {
        switch subject {
        case .workout(let id): try workout(id, withPicture)
        case .report(let period, let day): try report(period, day, withPicture)
        case .statistics: try statistics()
        case .goal(let goal, let day): try self.goal(goal, day, withPicture)
        case .post(let id): try post(id, withPicture)
        }
    }

    private var workouts: SharedWorkouts { SharedWorkouts(source, of: user, zone: zone) }

    private func workout(_ id: ID, _ withPicture: Bool) throws -> SharedContent {
        let (activity, poster) = try workouts.poster(id)
        guard let day = poster.day else { throw SharedGoal.nothing }
        return SharedContent(
            words.workout(activity, poster, day), picture: try drawn(withPicture ? poster.picture(.light) : nil),
            day: day)
    }

    private func report(
        _ period: ReportSpan.Period, _ day: CalendarDay?, _ withPicture: Bool
    ) throws -> SharedContent {
        let statistics = try Statistics(of: user, source.store, source.keys, zone: zone, now: now)
        let day = day ?? statistics.today
        let span = period.days(around: day)
        let days = try statistics.all(span)
        let (totals, done) = (PeriodTotals(days), WorkoutTotals(try workouts.summaries(on: span)))
        guard totals.steps != nil || done.workouts > 0 else { throw SharedGoal.nothing }
        var picture: Picture?
        if withPicture, period == .month {
            let rings = GoalRings(day.calendarMonth, days)
            if !rings.goals.isEmpty { picture = try MonthOfRings(rings).picture(.light) }
        } else if withPicture, period == .day {
            picture = try dial(.steps, day)?.picture()
        }
        return SharedContent(
            words.report(period, span, totals, done), picture: try drawn(picture), day: span.lowerBound)
    }

    private func statistics() throws -> SharedContent {
        let summaries = try workouts.summaries(on: nil)
        guard !summaries.isEmpty else {
            throw ReplyError(.notFound, "you have no workouts yet, so there are no statistics to share", field: "what")
        }
        let today = try Histories(source.store, source.keys, zone: zone).history(of: user).localDays.day(of: now)
        return SharedContent(words.statistics(summaries), day: today)
    }

    private func goal(_ goal: Goal, _ day: CalendarDay?, _ withPicture: Bool) throws -> SharedContent {
        guard let shared = try dial(goal, day) else { throw SharedGoal.nothing }
        return SharedContent(shared.text, picture: try drawn(withPicture ? shared.picture() : nil), day: shared.day)
    }

    private func drawn(_ picture: Picture?) throws(PictureError) -> AppriseMessage.Picture? {
        guard let picture else { return nil }
        return AppriseMessage.Picture(try picture.png())
    }

    private func post(_ id: ID, _ withPicture: Bool) throws -> SharedContent {
        let posts = OwnPosts(source, of: user)
        guard try !posts.showsWorkout(id) else {
            throw ReplyError(.notAllowed, "this post shows a workout: share the workout itself", field: "post")
        }
        guard let post = try posts.post(id) else {
            throw ReplyError(.notFound, "you have no such post", field: "post")
        }
        let days = try Histories(source.store, source.keys, zone: zone).history(of: user).localDays
        var picture: AppriseMessage.Picture?
        if withPicture, let kept = post.picture, let type = AppriseMessage.Picture.Kind(rawValue: kept.type) {
            picture = AppriseMessage.Picture(kept.bytes, type)
        }
        let day = days.day(of: post.time)
        let text = words.post(post.text, workouts: Int(post.workouts), seconds: Double(post.seconds), day)
        return SharedContent(text, picture: picture, day: day)
    }

    private func dial(_ goal: Goal, _ day: CalendarDay?) throws(VaultError) -> SharedGoal? {
        let days = Days(source.store, source.keys, Histories(source.store, source.keys, zone: zone))
        return try SharedGoal(goal, on: day, of: user, days, now: now, words.language, words.units)
    }
}
