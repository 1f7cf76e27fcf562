package import Fitness
package import Records
package import Storage
package import Telemetry

/// The rows of `days`. Belongs to the thread of its store and keys.
package struct DayRows {
    package let store: Store
    package let keys: Keys

    /// The record of a day; nil if there is none, or if it can no longer be opened.
    package func record(of user: ID, on day: CalendarDay) throws(VaultError) -> DayRecord? {
        let found = try store.database.first(
            "SELECT secret_version, sealed FROM days WHERE person = ? AND day = ?",
            [.text(user.text), .integer(day.daysSince1970)]
        ) { row throws(VaultError) in try row.sealedRow() }
        return try found.flatMap { (found) throws(VaultError) in
            try opened(found, of: user, on: day.daysSince1970)
        }
    }

    /// The records of some days in their order.
    package func records(
        of user: ID, in days: ClosedRange<CalendarDay>
    ) throws(VaultError) -> [(day: CalendarDay, record: DayRecord)] {
        let rows = try store.database.query(
            "SELECT day, secret_version, sealed FROM days WHERE person = ? AND day BETWEEN ? AND ? ORDER BY day",
            [.text(user.text), .integer(days.lowerBound.daysSince1970), .integer(days.upperBound.daysSince1970)]
        ) { row throws(VaultError) in
            (day: try row.int("day"), sealed: try row.sealedRow())
        }
        var records: [(day: CalendarDay, record: DayRecord)] = []
        for row in rows {
            guard let record = try opened(row.sealed, of: user, on: row.day) else { continue }
            records.append((CalendarDay(daysSince1970: row.day), record))
        }
        return records
    }

    /// The days within a range that have a record, in their order.
    package func days(of user: ID, in days: ClosedRange<CalendarDay>) throws(VaultError) -> [CalendarDay] {
        try store.database.query(
            "SELECT day FROM days WHERE person = ? AND day BETWEEN ? AND ? ORDER BY day",
            [.text(user.text), .integer(days.lowerBound.daysSince1970), .integer(days.upperBound.daysSince1970)]
        ) { row throws(VaultError) in CalendarDay(daysSince1970: try row.int("day")) }
    }

    /// From the first day that has a record to the last.
    package func span(of user: ID) throws(VaultError) -> ClosedRange<CalendarDay>? {
        let found = try store.database.first(
            "SELECT min(day) AS first_day, max(day) AS last_day FROM days WHERE person = ?", [.text(user.text)]
        ) { row throws(VaultError) in (first: try row.intIfPresent("first_day"), last: try row.intIfPresent("last_day"))
        }
        guard let first = found?.first, let last = found?.last else { return nil }
        return CalendarDay(daysSince1970: first)...CalendarDay(daysSince1970: last)
    }

    /// The years that have a day with a record, in their order.
    package func years(of user: ID) throws(VaultError) -> [Int] {
        var years: [Int] = []
        var from = Int64.min
        while true {
            // Each year is looked up by itself: there may be thousands of days, or thousands of years between two.
            let found = try store.database.first(
                "SELECT min(day) AS day FROM days WHERE person = ? AND day >= ?", [.text(user.text), .integer(from)]
            ) { row throws(VaultError) in try row.intIfPresent("day") }
            guard let day = found.flatMap({ $0 }) else { return years }
            let year = CalendarDay(daysSince1970: day).year
            years.append(year)
            from = max(day, CalendarDay.days(ofYear: year).upperBound.daysSince1970) + 1
        }
    }

    /// Keeps a record in place of the one before, under the latest version of the person's secret; an empty record is
    /// removed.
    package func write(_ record: DayRecord, of user: ID, on day: CalendarDay) throws(VaultError) {
        let number = day.daysSince1970
        guard !record.isEmpty else {
            try store.database.execute(
                "DELETE FROM days WHERE person = ? AND day = ?", [.text(user.text), .integer(number)])
            return
        }
        let (version, sealed) = try keys.seal(record.bytes, of: user, "a day") { Self.context(user, number, $0) }
        try store.database.execute(
            """
            INSERT INTO days (person, day, secret_version, sealed) VALUES (?, ?, ?, ?)
            ON CONFLICT (person, day) DO UPDATE SET
                secret_version = excluded.secret_version, sealed = excluded.sealed
            """,
            [.text(user.text), .integer(number), .integer(version), .blob(sealed)])
    }

    /// Removes a day's row if it exists and does not open, though its secret is there: otherwise the latest readings
    /// alone would take its place, and nobody would know.
    func removeDamaged(of user: ID, on day: CalendarDay) throws(VaultError) -> Bool {
        let number = day.daysSince1970
        let version = try store.database.first(
            "SELECT secret_version FROM days WHERE person = ? AND day = ?", [.text(user.text), .integer(number)],
            row: Row.int)
        guard let version, try keys.person(user.text, version: version) != nil else { return false }
        try store.database.execute(
            "DELETE FROM days WHERE person = ? AND day = ?", [.text(user.text), .integer(number)])
        return true
    }

    private func opened(_ row: SealedRow, of user: ID, on day: Int64) throws(VaultError) -> DayRecord? {
        try keys.open(row, of: user) { Self.context(user, day, $0) }.flatMap { DayRecord($0) }
    }

    /// What a record's sealing is bound to.
    package static func context(_ user: ID, _ day: Int64, _ version: Int64) -> RowContext {
        RowContext("days", user.text, "\(day)", "\(version)")
    }
}
