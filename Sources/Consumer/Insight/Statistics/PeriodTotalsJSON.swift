import Fitness
package import Telemetry

extension PeriodTotals {
    /// As replies have it: rounded, and without unknown values.
    /// - Parameter name: which period it is.
    package func json(_ name: [JSON.Member] = []) -> JSON {
        let members: KeyValuePairs<String, JSON?> = [
            "recorded_days": .integer(Int64(recordedDays)),
            "steps": steps.map { Self.json($0) },
            "distance_m": metres.map { Self.json($0) },
            "distances_m": metresByKind.json, "energy_kcal": kilocalories.map { Self.json($0) },
            "temperature_c": temperature.map { temperature in
                [
                    "mean": .number(temperature.mean, decimals: 2), "min": .number(temperature.minimum, decimals: 2),
                    "max": .number(temperature.maximum, decimals: 2),
                ]
            },
            "heart_rate": heartRate.map(Self.json),
            "goals": .object(
                Goal.allCases.compactMap { goal in goals[goal].map { JSON.Member(goal.field, Self.json($0)) } }),
        ]
        return .object(name + members.compactMap { name, value in value.map { JSON.Member(name, $0) } })
    }

    private static func json(_ amounts: Amounts) -> JSON {
        [
            "total": .number(amounts.total, decimals: 0), "mean": .number(amounts.mean, decimals: 0),
            "max": .number(amounts.maximum, decimals: 0),
        ]
    }

    private static func json(_ rates: HeartRates) -> JSON {
        .object(present: [
            "mean": .number(rates.mean, decimals: 1), "min": .integer(Int64(rates.minimum)),
            "max": .integer(Int64(rates.maximum)),
            "resting": rates.resting.map { .number($0, decimals: 1) },
            "resting_of": rates.restingOf.map { .string($0.rawValue) },
            "zones_s": rates.zoneSeconds.map { .array($0.map { .integer(Int64($0)) }) },
            "recorded_s": .integer(Int64(rates.recordedSeconds)),
        ])
    }

    private static func json(_ goal: GoalDays) -> JSON {
        .object(present: [
            "reached": .integer(Int64(goal.reached)), "target": goal.target.map { .number($0, decimals: 0) },
        ])
    }
}
