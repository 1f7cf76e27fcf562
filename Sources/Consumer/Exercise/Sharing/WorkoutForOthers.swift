package import Contract
import Days
package import Files
import Fitness
import Records
package import Telemetry
import Workouts

// What a person shows friends of a workout is read from the workout each time: it follows when the workout is counted again, and is gone
// with it. Its way is that of the pictures that people share: on a plane without a place on the Earth, and without its ends. The distance is
// to 100 m, as on these: a more exact one, less the way that is shown, would be how long what is hidden is.

/// A workout that a person shows others, and what of it.
package struct WorkoutForOthers: Equatable, Sendable {
    package let id: ID
    /// Whether its way is shown, without its start and its end.
    package let showsWay: Bool
    package let showsHeartRate: Bool

    package init(_ id: ID, showsWay: Bool, showsHeartRate: Bool) {
        (self.id, self.showsWay, self.showsHeartRate) = (id, showsWay, showsHeartRate)
    }

    /// Reads what `json` wrote; nil if it is something else.
    package init?(kept json: JSON?) {
        guard let id = json?["id"].flatMap(ID.init(kept:)) else { return nil }
        self.init(id, showsWay: json?["way"] == true, showsHeartRate: json?["heart_rate"] == true)
    }

    package var json: JSON {
        ["id": .string(id.text), "way": .bool(showsWay), "heart_rate": .bool(showsHeartRate)]
    }

    /// What `SharedWorkouts.figures` makes of it.
    package static let schema = PayloadSchema.object(
        "ShownWorkout", "A workout as its person shows it to others, with its figures as they are now.",
        [
            .known("id", .id.about("for its own person alone")), .always("activity", .text), .always("day", .day),
            .known("duration_s", .number.about("seconds, without pauses; whole minutes where the way is shown")),
            .known("distance_m", .number.about("to 100 m")), .known("ascent_m", .number),
            .known("steps", .count.about("left out where the way is shown")),
            .known("energy_kcal", .number.about("beyond rest; to 10 kcal where the way is shown")),
            .known("speed_mps", .number.about("on average, by what is told of time and distance")), .known("pace", WorkoutFigures.pace),
            .known("heart_rate", .number.about("on average, if the person shows it")),
            .always("way", .bool.about("whether its way is shown: `posts/way`")),
        ])
}

extension SharedWorkouts {
    /// What others see of a workout; nil if it no longer exists.
    package func figures(_ shown: WorkoutForOthers) throws(VaultError) -> [JSON.Member]? {
        guard let workout = try asked.rows.workout(shown.id, of: asked.user)?.workout, workout.timer.isOver else {
            return nil
        }
        // Those of a workout that has just ended are counted soon, by themselves.
        let line = try asked.figuresWithOthers(workout)
        var seconds = line?["duration_s"]?.double
        // To the second, it would say how long what is hidden is.
        if shown.showsWay { seconds = seconds.map { ($0 / 60).rounded() * 60 } }
        // Also without a way: another post may show it.
        let metres = (line?["distance_m"]?.double).map { ($0 / 100).rounded() * 100 }
        var energy = line?["energy_kcal"]
        if shown.showsWay { energy = energy?.double.map { JSON.number(($0 / 10).rounded() * 10) } }
        var speed: Double?
        if line?["speed_mps"] != nil, let metres, metres > 0, let seconds, seconds > 0 { speed = metres / seconds }
        let showsWay = shown.showsWay ? try !asked.isRetimed(workout) : false
        let day = try asked.history.localDays.day(of: workout.started)
        let members: [(String, JSON?)] = [
            ("activity", .string(workout.activity.name)), ("day", .string("\(day)")),
            ("duration_s", seconds.map(JSON.number)), ("distance_m", metres.map(JSON.number)),
            ("ascent_m", line?["ascent_m"]), ("steps", shown.showsWay ? nil : line?["steps"]), ("energy_kcal", energy),
            ("speed_mps", rounded(speed, 3)),
            ("pace", speed.flatMap { Pace(metres: $0, seconds: 1) }.map { .string($0.text) }),
            ("heart_rate", shown.showsHeartRate ? line?["heart_rate"]?["mean"] : nil),
            ("way", .bool(showsWay)),
        ]
        return members.compactMap { name, value in value.map { JSON.Member(name, $0) } }
    }

    /// The pieces of a workout's way that may be seen: metres east and north of one of its places, to the metre. None if its times were
    /// corrected.
    /// - Throws: if the person has no such workout.
    package func way(_ id: ID) throws -> JSON {
        let pieces = try poster(id).poster.way.map { piece in
            JSON.array(
                piece.map { .array([.integer(Int64($0.east.rounded())), .integer(Int64($0.north.rounded()))]) })
        }
        return .array(pieces)
    }

    /// Whether the person has such a workout, and it is over.
    package func isThere(_ id: ID) throws(VaultError) -> Bool {
        try asked.rows.workout(id, of: asked.user)?.workout.timer.isOver ?? false
    }
}
