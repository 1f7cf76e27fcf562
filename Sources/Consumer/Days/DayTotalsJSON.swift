package import Contract
package import Fitness
package import Telemetry

extension DayTotals {
    /// What the topic `today` has: the time of the message, and a day.
    package static var schema: PayloadSchema {
        .object("Today", "What a person's day has come to so far.", [.always("time", .time)] + fields)
    }

    /// What a day of statistics has.
    package static var daySchema: PayloadSchema { .object("Day", "What a person's day has come to.", fields) }

    /// How far a goal is.
    package static var goalSchema: PayloadSchema {
        PayloadSchema.object(
            "DayGoal", "How far a goal is.",
            [
                .known("target", .number), .known("value", .number), .known("percent", .number),
                .always("reached", .bool),
                .known("on_foot", .bool.about("true for a distance that counts only what is done on foot")),
            ])
    }

    /// How far each goal of a day is.
    package static var goalsSchema: PayloadSchema {
        .object("DayGoals", "By the name of the goal.", Goal.allCases.map { .known($0.field, goalSchema) })
    }

    private static var fields: [PayloadSchema.Field] {
        let temperature = PayloadSchema.object(
            "DayTemperature", "Degrees Celsius.",
            [.always("mean", .number), .always("min", .number), .always("max", .number), .always("last", .number)])
        let heartRate = PayloadSchema.object(
            "DayHeartRate", "Beats per minute, and seconds in the zones 1 to 5.",
            HeartRateDay.fields + HeartRateDay.baselineFields + [HeartRateZones.field])
        return [
            .always("day", .day), .known("steps", .count), .known("step_counts_left_out", .count),
            .known("distance_m", .number), .known("distances_m", DistanceKind.schema), .known("energy_kcal", .number),
            .known("formulas", .count.about("their number: distance and energy were computed with them")), .known("temperature_c", temperature),
            .known("heart_rate", heartRate), .known("goals", goalsSchema),
        ]
    }

    /// A day as replies and topics have it: numbers are rounded as people read them, and unknown values are left out.
    package var json: JSON {
        .object(present: [
            "day": .string("\(day)"), "steps": steps.map { .integer(Int64($0.total)) },
            "step_counts_left_out": steps.flatMap {
                $0.countsLeftOut > 0 ? .integer(Int64($0.countsLeftOut)) : nil
            },
            "distance_m": metres.map { .number($0, decimals: 0) },
            "distances_m": figures?.metres.json, "energy_kcal": kilocalories.map { .number($0, decimals: 0) },
            "formulas": figures.map { .integer(Int64($0.formulas)) },
            "temperature_c": temperature.map { temperature in
                [
                    "mean": .number(temperature.mean, decimals: 2), "min": .number(temperature.minimum, decimals: 2),
                    "max": .number(temperature.maximum, decimals: 2), "last": .number(temperature.last, decimals: 2),
                ]
            },
            "heart_rate": heartRate?.json, "goals": goals.isEmpty ? nil : goals.json,
        ])
    }
}

extension DistanceKind {
    /// What `distances_m` has.
    package static var schema: PayloadSchema {
        .object(
            "Distances", "Metres by how they were done; only there if some were not done on foot.",
            allCases.map { .known($0.rawValue, .number) })
    }
}

extension [DistanceKind: Double] {
    /// Nil if nothing but a way on foot is known.
    package var json: JSON? {
        let kinds = DistanceKind.allCases.filter { self[$0] ?? 0 > 0 }
        guard kinds.contains(where: { $0 != .foot }) else { return nil }
        return .object(kinds.map { JSON.Member($0.rawValue, .number(self[$0] ?? 0, decimals: 0)) })
    }
}

extension Double {
    /// A percentage with at most one decimal, rounded down: below the goal it is never 100.
    package var percentDown: Double { (self * 10 + 1e-9).rounded(.down) / 10 }
}

extension [Goal: GoalDay] {
    /// By the names of fields, in the order of `Goal`.
    package var json: JSON {
        .object(
            Goal.allCases.compactMap { goal in
                self[goal].map { JSON.Member(goal.field, $0.json) }
            })
    }
}

extension GoalDay {
    /// As replies have it: rounded, and without what is not known.
    package var json: JSON {
        .object(present: [
            "target": target.map { .number($0, decimals: 0) }, "value": value.map { .number($0, decimals: 0) },
            "percent": percent.map(\.percentDown).map { .number($0, decimals: 1) }, "reached": .bool(isReached),
            "on_foot": isOnFoot.map(JSON.bool),
        ])
    }
}

extension HeartRateDay {
    /// What `json` has. A period has the same.
    package static var fields: [PayloadSchema.Field] {
        [
            .always("mean", .number.about("over the recorded time")), .always("min", .count), .always("max", .count),
            .known("resting", .number.about("the mean of the six quietest half-hours")),
            .known(
                "resting_of",
                .word(HeartRateDay.Rest.allCases.map(\.rawValue)).about("day if too little of the night is recorded")),
            .known("zones_s", .array(of: .count)), .always("recorded_s", .count),
        ]
    }

    /// What only statistics say of a day, because it takes the week before, too.
    fileprivate static var baselineFields: [PayloadSchema.Field] {
        [
            .known(
                "resting_baseline",
                .number.about("the median of the \(RestingBaseline.days) days before, all of the night or all by day")),
            .known(
                "resting_difference",
                .integer(from: -250, through: 250).about("how far it is above the baseline; 0 if that is less than 3")),
        ]
    }

    /// As in a day.
    package var json: JSON {
        .object(present: [
            "mean": .number(mean, decimals: 1), "min": .integer(Int64(minimum)), "max": .integer(Int64(maximum)),
            "resting": resting.map { .number($0, decimals: 1) }, "resting_of": restingOf.map { .string($0.rawValue) },
            "resting_baseline": restingBaseline.map { .number($0, decimals: 1) },
            "resting_difference": restingDifference.map { .integer(Int64($0)) },
            "zones_s": zoneSeconds.map { .array($0.map { .integer(Int64($0)) }) },
            "recorded_s": .integer(Int64(recordedSeconds)), HeartRateZones.field.name: zones?.json,
        ])
    }
}

extension JSON {
    /// A number rounded to this many decimals; a whole number if there are none.
    package static func number(_ value: Double, decimals: Int) -> JSON {
        guard decimals > 0 else { return Int64(exactly: value.rounded()).map(JSON.integer) ?? .number(value.rounded()) }
        let factor = (0..<decimals).reduce(1.0) { factor, _ in factor * 10 }
        return .number((value * factor).rounded() / factor)
    }
}
