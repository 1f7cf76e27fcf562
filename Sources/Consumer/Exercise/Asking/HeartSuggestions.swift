import Contract
import Days
import Desk
import Features
import Files
import Fitness
import Readings
import Records
import Telemetry
import Workouts

// What was measured of a heart and could be in the profile: the heart rate at rest, and the highest one. Nothing takes it over:
// zones and loads follow from the profile, and are not to change by themselves with each reading that comes late.

/// Answers `profile/suggestions`, on a reader's thread.
enum HeartSuggestions {
    /// How old workouts are at most, in days.
    private static let longestAgo = 365
    /// By how much a heart rate must be above the maximum in use, in beats per minute.
    private static let least = 2.0
    /// How many workouts are opened, those with the highest heart rates first.
    private static let mostOpened = 8
    /// For how many milliseconds these lasted together at most.
    private static let mostMilliseconds: Int64 = 24 * 3_600_000

    static func verbs(_ readers: FeatureReaders, _ context: PeopleContext) -> [Verb] {
        [
            readers.questions.verb("profile/suggestions", .profileSuggestions, isLong: true) { request in
                let user = try request.user
                let (zone, now) = (context.settings.timeZone, context.now())
                return { source in try suggestions(now: now, WorkoutHistory.Asked(source, user, zone), zone: zone) }
            }
        ]
    }

    private static func suggestions(now: Int64, _ asked: WorkoutHistory.Asked, zone: String) throws -> JSON {
        let today = try asked.history.localDays.day(of: now)
        return .object(present: ["resting_heart_rate": try resting(today, asked, zone), "max_heart_rate": try highest(today, now, asked)])
    }

    /// The baseline of the nights before a day.
    private static func resting(_ today: CalendarDay, _ asked: WorkoutHistory.Asked, _ zone: String) throws(VaultError) -> JSON? {
        let (store, keys) = (asked.rows.store, asked.rows.keys)
        let days = Days(store, keys, Histories(store, keys, zone: zone))
        let nights = try days.totals(of: asked.user, in: today.advanced(by: -RestingBaseline.days)...today.advanced(by: -1))
            .compactMap { $0.heartRate?.restingOf == .night ? $0.heartRate?.resting : nil }
        return RestingBaseline.median(nights).map { ["bpm": .number($0, decimals: 0), "nights": .integer(Int64(nights.count))] }
    }

    /// The highest heart rate in a workout of the last year, if it is above the maximum in use.
    private static func highest(_ today: CalendarDay, _ now: Int64, _ asked: WorkoutHistory.Asked) throws(VaultError) -> JSON? {
        let known = try asked.history.person(on: today).maximumHeartRate ?? 0
        var filter = WorkoutHistory.Filter()
        filter.from = max(filter.from, now - Int64(longestAgo) * 86_400_000)
        filter.to = min(filter.to, now + 1)
        var candidates: [(workout: KeptWorkout, most: Double)] = []
        try asked.each(filter) { workout throws(VaultError) in
            guard workout.origin == nil, let most = workout.figures?["heart_rate"]?["max"]?.double, most >= known + least else { return }
            candidates.append((workout, most))
        }
        var found: (workout: KeptWorkout, beatsPerMinute: Double)?
        var left = mostMilliseconds
        for (workout, most) in candidates.sorted(by: { $0.most > $1.most }).prefix(mostOpened) {
            // A mean of ten seconds is not above the highest value.
            if let found, found.beatsPerMinute >= most { break }
            left -= Int64(workout.span(now: now).count)
            guard left > 0 else { break }
            guard let peak = try peak(of: workout, asked), peak >= known + least, peak > found?.beatsPerMinute ?? 0 else { continue }
            found = (workout, peak)
        }
        return found.map { found in
            [
                "bpm": .number(found.beatsPerMinute, decimals: 0), "workout": .string(found.workout.id.text),
                "started": .integer(found.workout.started),
            ]
        }
    }

    /// The highest mean of ten seconds by a chest strap, which sends the times between beats; nil if none was worn.
    private static func peak(of workout: KeptWorkout, _ asked: WorkoutHistory.Asked) throws(VaultError) -> Double? {
        var sensors: [Int64: (peak: PeakHeartRate, values: Int, withBeats: Int)] = [:]
        for interval in workout.timer.intervals {
            _ = try StoredReadings(store: asked.rows.store, keys: asked.rows.keys).eachOfStreams(
                of: asked.user, .heartRate, from: interval.start, to: interval.end ?? interval.start
            ) { reading, stream in
                guard let rate = reading.heartRate, case .heartRate(let measurement) = reading.value else { return true }
                var one = sensors[stream] ?? (PeakHeartRate(), 0, 0)
                one.peak.add(HeartRateReading(time: reading.moment.wall, beatsPerMinute: rate))
                one.values += 1
                if measurement.hasBeats { one.withBeats += 1 }
                sensors[stream] = one
                return true
            }
        }
        return sensors.values.compactMap { one in
            var peak = one.peak
            peak.finish()
            return one.withBeats * 2 >= one.values ? peak.beatsPerMinute : nil
        }.max()
    }
}

extension RequestContract {
    fileprivate static let profileSuggestions = RequestContract(
        "What was measured of a heart and is not in the profile by itself: what is not known is left out.",
        answers: .record([
            .known(
                "resting_heart_rate",
                .object(
                    "MeasuredRest", "The median of the nights before today, of \(RestingBaseline.days) at most.",
                    [.always("bpm", .count), .always("nights", .count)])),
            .known(
                "max_heart_rate",
                .object(
                    "MeasuredMaximum",
                    """
                    The highest mean of ten seconds by a chest strap in a workout of the last twelve months, if it is at least 2 above the \
                    maximum in use.
                    """,
                    [.always("bpm", .count), .always("workout", .id), .always("started", .time)])),
        ]))
}
