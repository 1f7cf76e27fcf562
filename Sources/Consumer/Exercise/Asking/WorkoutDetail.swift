import Days
import Files
import Fitness
import Telemetry
import Workouts

// Everything about one workout: the line of a list, the path, what it was like over distance and time.

extension WorkoutHistory {
    /// Of a workout that is under way, it is what is stored so far.
    /// - Parameters:
    ///   - units: whether splits are by the kilometre or by the mile.
    ///   - now: in Unix milliseconds.
    static func show(
        _ id: ID, of user: ID, _ count: Int, _ units: Units, now: Int64, _ asked: Asked
    ) throws -> JSON {
        guard let workout = try asked.rows.workout(id, of: user)?.workout else {
            throw ReplyError(.notFound, "there is no such workout", field: "id")
        }
        let samples = try WorkoutSamples(of: user, workout, now: now, asked.rows.store, asked.rows.keys)
        let review = try WorkoutReview(workout, samples, asked.history, now: now)
        let course = review.course
        let hearts = samples.all.compactMap { sample -> HeartRateReading? in
            if case .heartRate(let reading) = sample { reading } else { nil }
        }
        let recordings =
            try workout.timer.isOver
            ? asked.rows.recordings(of: workout, user) { () throws(VaultError) in try asked.history.localDays } : nil
        let counts = recordings.map { $0.workout.id == workout.id }
        var figures = JSON.object(review.line)
        if counts == true { for other in recordings?.others ?? [] { figures = figures.filled(from: other.figures ?? .null) } }
        let best = review.best
        guard case .object(let filled) = figures else { return [:] }
        // The best times of another recording count where this one has none.
        let line = best.isEmpty ? filled : filled.filter { $0.name != WorkoutFigures.best.name }
        let agrees = workout.agrees(course)
        let splits =
            (review.way?.splits(every: units.way, climbs: course.climbs, hearts: review.hearts, workout.timer) ?? [])
            .prefix(mostSplits)
        let zones = try asked.history.person(at: workout.started).zones(for: workout.activity.kind)
        let corrections = try WorkoutVersions(asked.rows.store, asked.rows.keys).count(of: id, user)
        let whole =
            line
            + present([
                ("note", workout.note.map { .string($0) }), ("corrections", corrections > 0 ? .integer(corrections) : nil),
                ("part_of", workout.partOf.map { .string($0.text) }),
                (HeartRateZones.field.name, zones?.json), (WorkoutFigures.target.name, workout.target?.json(zones)),
                ("gear", try asked.gear().json(of: workout.gear ?? (counts == true ? recordings?.workout.gear : nil))),
                (WorkoutFigures.counts.name, counts == false ? false : nil),
                ("recordings", recordings.map { json($0, without: workout.id) }),
                ("pauses", pauses(workout)),
                ("splits", splits.isEmpty ? nil : .array(splits.map(json))),
                ("best", best.isEmpty ? nil : .array(best.map(json))),
                ("positions_differ", workout.differs(course) ? true : nil),
            ])
        // As many points as have room. A path that was simplified is simplified further.
        var (count, pieces) = (count, course.path)
        while true {
            pieces = simplified(pieces, to: count)
            let shown = JSON.object(
                whole
                    + present([
                        ("path", path(pieces)), ("over_distance", agrees ? overDistance(course, count) : nil),
                        ("heart_rates", heartRates(hearts, workout, count)),
                    ]))
            guard count > 2, shown.bytes.count > longestReply else { return shown }
            count = max(2, count * 3 / 4)
        }
    }

    /// How many splits and pauses are listed: the first ones, and the longest.
    private static let (mostSplits, mostPauses) = (200, 200)

    /// The other recordings of a workout, first the one that counts.
    static func json(_ recordings: CountedWorkout, without id: ID) -> JSON {
        let all = [recordings.workout] + recordings.others
        return .array(
            all.filter { $0.id != id }.prefix(mostRecordings).map { one -> JSON in
                .object(present: [
                    "id": .string(one.id.text), "activity": .string(one.activity.name),
                    "name": one.origin?.name.map { .string($0) },
                    "started": .integer(one.started), "ended": one.timer.ended.map { .integer($0) },
                    "source": (one.origin?.source).map { .string($0) },
                    "counts": .bool(one.id == recordings.workout.id),
                ])
            })
    }

    /// How many other recordings are listed.
    static let mostRecordings = 10

    private static func pauses(_ workout: KeptWorkout) -> JSON? {
        let spans = workout.timer.intervals
        let all = zip(spans, spans.dropFirst()).map { one, next in (one.end ?? next.start)...next.start }
        let longest = all.sorted { $0.upperBound - $0.lowerBound > $1.upperBound - $1.lowerBound }.prefix(mostPauses)
        let pauses = longest.sorted { $0.lowerBound < $1.lowerBound }.map { pause -> JSON in
            ["from": .integer(pause.lowerBound), "to": .integer(pause.upperBound)]
        }
        return pauses.isEmpty ? nil : .array(pauses)
    }

    /// Pieces of `[latitude, longitude]`: between two of them there was a pause, or nobody knows the way.
    private static func path(_ pieces: [[Place]]) -> JSON? {
        guard !pieces.isEmpty else { return nil }
        return .array(
            pieces.map { piece in
                .array(piece.map { .array([rounded($0.latitude, 6) ?? .null, rounded($0.longitude, 6) ?? .null]) })
            })
    }

    private static func overDistance(_ course: Course, _ count: Int) -> JSON? {
        let series = course.series(points: count)
        guard !series.isEmpty else { return nil }
        return .array(
            series.map { point in
                .object(present: [
                    "distance_m": rounded(point.metres, 1),
                    "pace_s": rounded(point.pace?.secondsPerKilometre, 1),
                    "altitude_m": rounded(point.altitude, 1),
                ])
            })
    }

    private static func heartRates(_ hearts: [HeartRateReading], _ workout: KeptWorkout, _ count: Int) -> JSON? {
        let points = HeartRateSeries.points(hearts, workout.timer, points: count)
        guard !points.isEmpty else { return nil }
        return .array(
            points.map { point in
                .object(present: [
                    "seconds": rounded(point.seconds, 1),
                    "mean": rounded(point.mean, 1),
                    "min": .integer(Int64(point.minimum)),
                    "max": .integer(Int64(point.maximum)),
                ])
            })
    }

    private static func json(_ split: Split) -> JSON {
        .object(present: [
            "distance_m": rounded(split.metres, 1),
            "seconds": rounded(split.seconds, 1),
            "ascent_m": rounded(split.ascentMetres, 1),
            "heart_rate": rounded(split.heartRate, 1),
            "pace": split.pace.map { .string($0.text) },
        ])
    }

    static func json(_ time: BestTime) -> JSON {
        .object(present: [
            "distance_m": rounded(time.metres, 3),
            "seconds": rounded(time.seconds, 1),
            "start_s": rounded(time.start, 1),
            "pace": time.pace.map { .string($0.text) },
        ])
    }
}
