import Days
package import Features
import Files
import Fitness
import Records
import Storage
import Telemetry

// What is kept of readings: minutes of heart rate, and the totals of each day.

extension Feature {
    /// Minutes of heart rate.
    package static let heartRate = Feature(
        name: "heart rate", sealedTables: HeartRateTable.allCases.map(\.sealedTable),
        derivations: [{ HeartRateMinutes($0.store, $0.keys, observer: $0.minutes) }],
        verbs: {
            HeartRateRequests.verbs($0.readers.questions, $0.context)
                + HeartRateDeletion($0.context, $0.deletions, $0.packing).verbs
        },
        service: { LiveMinutes($0.context) },
        topics: [
            FeatureTopic(
                .heartRate, qos: 0, isRetained: true,
                .object(
                    "MinuteHeartRate", "The heart rates of the latest minute that is over and has any.",
                    [
                        .always("time", .time), .always("bpm", .count), .always("min", .count), .always("max", .count),
                    ]))
        ])

    /// The totals of days.
    package static let days = Feature(
        name: "days",
        sealedTables: [
            SealedTable("days", key: "day", makesToday: true, exported: .shown(in: ExportSection.days.name)) {
                row, user, version throws(VaultError) in DayRows.context(user, try row.int("entry"), version)
            }
        ],
        exports: [.days],
        derivations: [{ Days($0) }],
        verbs: {
            Statistics.verbs($0.readers.statistics, $0.context) + DayRecounting($0.context, $0.days).verbs
        })
}

extension HeartRateTable {
    fileprivate var sealedTable: SealedTable {
        // What months hold, days have held before.
        SealedTable(
            name, key: column, makesToday: self != .months,
            exported: .shown(inAll: [ExportSection.days.name, "heart-rate.csv"])
        ) { row, user, version throws(VaultError) in
            HeartRateRows.context(self, try row.int("entry"), user, version)
        }
    }
}

extension ExportSection {
    /// How many days a part looks at: heart rates are opened for each.
    private static let daysInPart: Int64 = 31

    /// The totals of days, with a line for each.
    fileprivate static let days = ExportSection(
        "days.jsonl",
        """
        The totals of each of your days, one day on each line: steps, distance (m), energy (kcal), temperature (degrees Celsius), \
        heart rate (bpm; zones and recording in seconds), and the progress of your goals.
        """
    ) { source, position throws(VaultError) in
        guard let span = try source.store.daysKept(of: source.user) else { return nil }
        let days = Days(source.store, source.keys, Histories(source.store, source.keys, zone: source.zone))
        var first = max(position.time, span.lowerBound)
        var part = ExportPart(file: position.section)
        while first <= span.upperBound, part.text.isEmpty {
            // Heart rates with the times of wrong clocks may be millions of days apart.
            guard let next = try source.store.firstDayKept(of: source.user, from: first) else { return nil }
            first = max(first, next)
            let last = min(first + daysInPart - 1, span.upperBound)
            let range = CalendarDay(daysSince1970: first)...CalendarDay(daysSince1970: last)
            for totals in try days.totals(of: source.user, in: range) {
                part.text += String(decoding: totals.json.bytes, as: UTF8.self) + "\n"
            }
            first = last + 1
        }
        guard !part.text.isEmpty else { return nil }
        if first <= span.upperBound { part.next = ExportPosition(section: position.section, time: first) }
        return part
    }
}

extension Store {
    /// The first day with anything kept that is not before one, or is the day before it; one less, because heart rates
    /// are kept by UTC. Nil if there is none.
    fileprivate func firstDayKept(of user: ID, from day: Int64) throws(VaultError) -> Int64? {
        try database.first(
            """
            SELECT min(low) AS first_day FROM (
                SELECT min(day) AS low FROM days WHERE person = ?1 AND day >= ?2 UNION ALL
                SELECT min(day) FROM heart_rate_days WHERE person = ?1 AND day >= ?2 UNION ALL
                SELECT min(hour) / 24 FROM heart_rate_hours WHERE person = ?1 AND hour >= ?3) AS kept
            """, [.text(user.text), .integer(day - 1), .integer((day - 1) * 24)]
        ) { row throws(VaultError) in try row.intIfPresent("first_day").map { $0 - 1 } } ?? nil
    }

    /// From the first day with anything kept to the last; one more at both ends, because heart rates are kept by UTC.
    fileprivate func daysKept(of user: ID) throws(VaultError) -> ClosedRange<Int64>? {
        try database.first(
            """
            SELECT min(low) AS first_day, max(high) AS last_day FROM (
                SELECT min(day) AS low, max(day) AS high FROM days WHERE person = ?1 UNION ALL
                SELECT min(day), max(day) FROM heart_rate_days WHERE person = ?1 UNION ALL
                SELECT min(hour) / 24, max(hour) / 24 FROM heart_rate_hours WHERE person = ?1) AS kept
            """, [.text(user.text)]
        ) { row throws(VaultError) in
            guard let first = try row.intIfPresent("first_day"), let last = try row.intIfPresent("last_day") else {
                return nil
            }
            return first - 1...last + 1
        } ?? nil
    }
}
