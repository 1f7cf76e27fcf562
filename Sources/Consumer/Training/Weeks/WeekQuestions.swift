import Accounts
import Daemon
import Days
import Desk
import Exercise
import Features
import Files
import Fitness
import Insight
import Records
import Telemetry

// What people ask of their weeks and days of training. It is read on the readers' threads, of the asker and of nobody else.

/// Answers `training/week` and `training/day`.
enum WeekQuestions {
    static func verbs(_ readers: FeatureReaders, _ context: PeopleContext) -> [Verb] {
        [
            readers.questions.verb("training/week", .trainingWeek) { request in
                try answer(about: request.optionalDay("day"), request, context)
            },
            readers.questions.verb("training/day", .trainingDay) { request in
                let (user, day, now) = (try request.user, try request.optionalDay("day"), context.now())
                let zone = context.settings.timeZone
                return { source in
                    try self.day(day, of: user, Documents(store: source.store, keys: source.keys), zone: zone, now: now)
                }
            },
        ]
    }

    /// Reads the asker's week that has a day, or today.
    /// - Parameter first: what the reply begins with.
    static func answer(
        about day: CalendarDay? = nil, _ request: PeopleRequest, _ context: PeopleContext, _ first: [JSON.Member] = []
    ) throws(ReplyError) -> StoreReaders.Read {
        let (user, zone, now) = (try request.user, context.settings.timeZone, context.now())
        return { source in
            let documents = Documents(store: source.store, keys: source.keys)
            let today = try Histories(source.store, source.keys, zone: zone).history(of: user).localDays.day(of: now)
            let week = try WholeWeek((day ?? today).week, of: user, documents, zone: zone)
            return .object(first + (try week.members(of: user, documents)))
        }
    }

    private static func day(
        _ wanted: CalendarDay?, of user: ID, _ documents: Documents, zone: String, now: Int64
    ) throws(VaultError) -> JSON {
        let days = Days(documents.store, documents.keys, Histories(documents.store, documents.keys, zone: zone))
        let history = try days.histories.history(of: user)
        let day = wanted ?? history.localDays.day(of: now)
        let done = try WorkoutsOfDays(day...day, of: user, documents, history)
        let goals = try days.totalsWithoutHeartRate(of: user, on: day).goals
        let progress = Goal.allCases.compactMap { goal in
            goals[goal]?.percent.map { JSON.Member(goal.field, .number($0, decimals: 1)) }
        }
        let profile = try documents.read("profile", of: user).flatMap { Profile(kept: $0) }
        let known: KeyValuePairs<String, JSON?> = [
            "day": .string("\(day)"), "energy_kcal": done.kilocalories.map { JSON.number($0, decimals: 0) },
            "duration_s": .integer(Int64(done.seconds)), "workouts": .integer(Int64(done.workouts.count)),
            "muscles": .array(done.muscles.map(\.json)), "progress": .object(progress),
            "picture": .bool(try documents.store.documents(of: user).contains("picture")),
        ]
        return .object(
            known.compactMap { name, value in value.map { JSON.Member(name, $0) } }
                + (profile?.bodyMass(on: day) ?? []))
    }
}

extension WholeWeek {
    /// What people see of it.
    fileprivate func members(of user: ID, _ documents: Documents) throws(VaultError) -> [JSON.Member] {
        return [
            JSON.Member("from", .string("\(week.days.lowerBound)")),
            JSON.Member("to", .string("\(week.days.upperBound)")),
            JSON.Member("chosen", .array(chosen.map(\.json))),
            JSON.Member("workouts", .integer(Int64(done.workouts.count))),
            JSON.Member("duration_s", .integer(Int64(done.seconds))),
            JSON.Member("muscles", .array(done.muscles.map(\.json))),
            JSON.Member("exercises", .integer(Int64(done.trainings.reduce(0) { $0 + $1.exercises }))),
        ] + (try Self.last(of: user, documents).map { [JSON.Member("last", $0)] } ?? [])
    }

    /// The latest workout that is over, of any week; nil if there is none.
    private static func last(of user: ID, _ documents: Documents) throws(VaultError) -> JSON? {
        let rows = WorkoutRows(documents.store, documents.keys)
        // One that is under way may be the only one of its day.
        for day in try rows.days(of: user, upTo: .max, limit: 2) {
            guard let last = try rows.workouts(of: user, on: day...day).first(where: \.workout.timer.isOver)?.workout
            else { continue }
            let training = try TrainingRows(documents).record(last.id, of: user)
            return [
                "workout": .string(last.id.text), "time": .integer(last.started),
                "title": .string(training?.title ?? last.title),
            ]
        }
        return nil
    }
}

extension KeptWorkout {
    /// What it is called, unless it followed a plan.
    fileprivate var title: String { origin?.name ?? activity.name }
}
