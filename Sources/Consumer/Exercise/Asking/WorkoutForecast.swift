import Contract
import Days
import Desk
import Features
import Files
import Fitness
import Records
import Telemetry
import Workouts

/// Answers `workouts/forecast`, on a reader's thread: about how long somebody would run over some distances, and about how much oxygen they
/// use at the most.
enum WorkoutForecast {
    /// How many runs are opened at most to find those that show an uptake, and for how many seconds they lasted together.
    private static let (mostOpened, mostSeconds) = (20, 24 * 3600.0)

    static func verbs(_ readers: FeatureReaders, _ context: PeopleContext) -> [Verb] {
        [
            readers.questions.verb("workouts/forecast", .workoutsForecast, isLong: true) { request in
                let user = try request.user
                let (zone, now) = (context.settings.timeZone, context.now())
                return { source in try forecast(now: now, WorkoutHistory.Asked(source, user, zone)) }
            }
        ]
    }

    private static func forecast(now: Int64, _ asked: WorkoutHistory.Asked) throws -> JSON {
        var filter = WorkoutHistory.Filter()
        filter.from = max(filter.from, now - Int64(RaceForecast.mostDays) * 86_400_000)
        filter.to = min(filter.to, now + 1)
        var runs: [KeptWorkout] = []
        try asked.each(filter) { workout throws(VaultError) in if workout.activity.gait == .running { runs.append(workout) } }
        return .object(present: ["race_times": races(runs), "oxygen_uptake": try uptake(runs, asked, now: now)])
    }

    // MARK: Race times

    private static func races(_ runs: [KeptWorkout]) -> JSON {
        let best = runs.compactMap { run in run.summary.map { (run, $0.bestTimes) } }.flatMap { run, times in times.map { (run, $0) } }
        return .array(
            RaceForecast.distances.compactMap { metres -> JSON? in
                let found = best.compactMap { run, best in RaceForecast.seconds(over: metres, from: best).map { (seconds: $0, run: run, best: best) } }
                guard let least = found.min(by: { ($0.seconds, $0.run.id.text) < ($1.seconds, $1.run.id.text) }) else { return nil }
                return [
                    "distance_m": .number(metres, decimals: 1), "seconds": .number(least.seconds, decimals: 1), "id": .string(least.run.id.text),
                    "from": ["distance_m": .number(least.best.metres, decimals: 1), "seconds": .number(least.best.seconds, decimals: 1)],
                ]
            })
    }

    // MARK: Oxygen uptake

    /// Only with a heart rate at rest and a maximum that the person has entered: by age, the maximum is too far off.
    private static func uptake(_ runs: [KeptWorkout], _ asked: WorkoutHistory.Asked, now: Int64) throws(VaultError) -> JSON? {
        var (found, left): ([Double], Double) = ([], mostSeconds)
        for run in runs.filter(isLongAndFlat).prefix(mostOpened) {
            let heart = try asked.history.person(at: run.started).heart
            guard let rest = heart.resting, let maximum = heart.maximum else { continue }
            left -= Double(run.span(now: now).count) / 1000
            guard left > 0 else { break }
            let samples = try WorkoutSamples(of: asked.user, run, now: now, asked.rows.store, asked.rows.keys)
            let review = try WorkoutReview(run, samples, asked.history, now: now)
            guard review.course.metres > 0, run.agrees(review.course),
                let steady = review.way?.steady(after: OxygenUptake.beginning, review.hearts, run.timer),
                let uptake = OxygenUptake.of(speed: steady.speed, heartRate: steady.heartRate, rest: rest, maximum: maximum)
            else { continue }
            found.append(uptake)
            if found.count == OxygenUptake.runs { break }
        }
        return OxygenUptake.median(found).map { uptake in
            ["ml_per_kg_min": .number(uptake, decimals: 0), "tolerance_percent": .integer(OxygenUptake.tolerancePercent), "runs": .integer(Int64(found.count))]
        }
    }

    /// What its figures say of it, before anything is opened.
    private static func isLongAndFlat(_ run: KeptWorkout) -> Bool {
        guard !run.activity.isIndoors, let summary = run.summary, summary[.duration] ?? 0 >= OxygenUptake.least,
            let metres = summary[.distance], metres > 0, let ascent = summary[.ascent], summary[.heartRate] != nil
        else { return false }
        return ascent / (metres / 1000) < OxygenUptake.mostAscent
    }
}

extension RequestContract {
    fileprivate static let workoutsForecast = RequestContract(
        """
        What follows from the runs of the last twelve weeks: what is not known is left out. There is no marathon, because for half of all runners \
        the formula is ten minutes and more too fast there.
        """,
        answers: .record([
            .always(
                "race_times",
                .array(
                    of: .object(
                        "RaceTime", "About how long a race would take, by the best time of a run.",
                        [
                            .always("distance_m", .number), .always("seconds", .number), .always("id", .id.about("of the run")),
                            .always(
                                "from",
                                .object(
                                    "RaceTimeSource", "The best time.", [.always("distance_m", .number), .always("seconds", .number)])),
                        ]), atMost: Int64(RaceForecast.distances.count))),
            .known(
                "oxygen_uptake",
                .object(
                    "OxygenUptake",
                    """
                    About the most that the person uses, as the median of their latest steady runs outdoors; only with a heart rate at rest and a \
                    highest one in the profile.
                    """,
                    [.always("ml_per_kg_min", .count), .always("tolerance_percent", .count), .always("runs", .count)])),
        ]))
}
