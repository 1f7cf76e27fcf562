package import Contract
import Days
import Fitness
package import Workouts

// What FiguresJSON.swift writes. What is not known is left out.

extension WorkoutFigures {
    /// What the topic `workout` has: the time of the message, the members of a workout's line, and the zones.
    package static let schema = PayloadSchema.object(
        "Workout", "The workout that is under way.", [.always("time", .time)] + fields + [HeartRateZones.field, target])

    /// The chosen zone of heart rate.
    static let target = PayloadSchema.Field.known(
        "target_zone",
        .object(
            "TargetZone", "The chosen zone of heart rate, and where the heart is.",
            [
                .always("zone", .integer(in: 1...Int64(HeartRateFacts.zones))),
                .known("from", .count.about("beats per minute")), .known("to", .count.about("where the next zone begins")),
                .known("now", place), .known("said", place.about("what was said last")), .known("said_at", .time),
            ]))

    private static let place = PayloadSchema.word(TargetZone.Place.allCases.map(\.rawValue))

    /// What a workout in a list has.
    static let lineSchema = PayloadSchema.object(
        "WorkoutLine", "A workout that is over.",
        (fields + [moving, best, counts]).map { $0.asked(isAlways: LineFields.always.contains($0.name)) })

    /// What `members` has, and the gear.
    static let fields: [PayloadSchema.Field] = [
        .always("id", .id), .always("activity", .text), .known("name", .text),
        .always("state", .word(WorkoutTimer.State.allCases.map(\.rawValue))), .known("started", .time),
        .known("ended", .time), .known("ended_by", .word(KeptWorkout.End.allCases.map(\.rawValue))),
        .known("duration_s", .number.about("seconds, without pauses")), .known("distance_m", .number),
        .known("ascent_m", .number), .known("steps", .count), .known("energy_kcal", .number.about("beyond rest")),
        .known("energy_by", .word(EnergySource.allCases.map(\.rawValue)).about("what most of it is known by")),
        .known("heart_rate", heartRate), .known("speed_mps", speed), .known("cadence", rate),
        .known("power_w", rate), .known("percent", .number.about("of the goal")),
        .known("goal", WorkoutGoal.schema), .known("source", .text.about("what recorded an imported workout")),
        .known("by_hand", .bool.about("whether the person has said everything, and nothing was recorded")),
        .known("session", session), .known("pool", pool), .known("gear", GearList.schema),
    ]

    /// That a recording is not the one that counts.
    static let counts = PayloadSchema.Field.known(
        "counts", .bool.about("false if another recording of it counts instead, and this one nowhere"))

    /// The moving time.
    static let moving = PayloadSchema.Field.known(
        "moving_s", .number.about("how long the person moved, if that is at least 1 % less than the duration"))

    private static let session = PayloadSchema.object(
        "WorkoutSession", "Its place in an activity with several sports; all parts have the same name.",
        [.always("number", .count.about("1 for the first one")), .always("of", .count)])

    private static let pool = PayloadSchema.object(
        "WorkoutPool", "The pool, and what was swum there.",
        [
            .always("length_m", .number), .known("lengths", .count.about("how many were swum")),
            .known("rests", .count.about("laps without a way")),
            .known("rest_s", .number.about("how long those took")),
        ])

    /// The best times, as far as the way is long enough for them.
    static let best = PayloadSchema.Field.known(
        "best",
        .array(
            of: .object(
                "BestTime", "The shortest time over a distance.",
                [
                    .always("distance_m", .number), .always("seconds", .number),
                    .always("start_s", .number.about("when it began: seconds of the workout, without pauses")),
                    .known("pace", pace),
                ]), atMost: Int64(BestTime.distances.count)))

    /// As people write it.
    static let pace = PayloadSchema.text.about("minutes and seconds for a kilometre, such as 5:19")

    private static let rate = PayloadSchema.object(
        "WorkoutRate", "A rate: now, and in the whole workout.",
        [.known("now", .number), .known("mean", .number), .known("max", .number)])

    private static let heartRate = PayloadSchema.object(
        "WorkoutHeartRate", "Beats per minute, seconds in the zones 1 to 5, and training load.",
        [
            .known("now", .count), .known("zone", .count), .known("mean", .number), .known("min", .count),
            .known("max", .count), .known("recorded_s", .count), .known("zones_s", .array(of: .count)),
            .known("load", .number.about("Edwards'")),
            .known("trimp", .number.about("Banister's")),
        ])

    private static let speed = PayloadSchema.object(
        "WorkoutSpeed", "Metres per second, and minutes for a kilometre.",
        [
            .known("now", .number), .known("mean", .number), .known("min", .number), .known("max", .number),
            .known("pace", pace), .known("pace_now", pace),
            .known("pace_100m", .text.about("of swimming: minutes and seconds for 100 m, such as 1:52")),
        ])
}

extension WorkoutGoal {
    /// What `json(endingWorkout:)` has.
    static let schema = PayloadSchema.object(
        "WorkoutGoal", "Its target is in the field of its kind.",
        [.always("kind", .word(Kind.allCases.map(\.rawValue)))] + Kind.allCases.map { .known($0.field, $0.schema) }
            + [.always("enabled", .bool.about("whether reaching it ends the workout"))])
}

extension WorkoutGoal.Kind {
    /// A target of this kind.
    var schema: PayloadSchema { .number(in: targets) }
}

extension GearList {
    /// What `json(of:)` has.
    static let schema = PayloadSchema.object(
        "WorkoutGear", "What it is done with.", [.always("id", .id), .always("name", .text)])
}
