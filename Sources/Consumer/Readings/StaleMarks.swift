import Records
package import Storage
package import Telemetry

// Marks of hours that must be computed again. They are worked off by the room that keeps what readings mean.

extension Store {
    /// Has everything that is kept of some of a person's hours computed again, within a transaction of the caller's.
    ///
    /// Marks that have hours in common become one: a clock block says of the same hours that readings leave them and come
    /// to them, and each hour is computed once. The mark gets another number, even if it has no more hours than before:
    /// one of them may be read at this moment, and must be read again.
    package func markStale(_ user: ID, _ hours: ClosedRange<Int64>) throws(VaultError) {
        let values: [Value] = [.text(user.text), .integer(hours.lowerBound), .integer(hours.upperBound)]
        guard let old = try marks("person = ?1 AND first_hour <= ?3 AND last_hour >= ?2", values) else {
            try database.execute("INSERT INTO stale (person, first_hour, last_hour) VALUES (?1, ?2, ?3)", values)
            return try foldMarks(of: user)
        }
        if old.count > 1 {
            try database.execute(
                "DELETE FROM stale WHERE person = ?1 AND first_hour <= ?3 AND last_hour >= ?2 AND number <> ?4",
                values + [.integer(old.number)])
        }
        try database.execute(
            """
            UPDATE stale SET number = (SELECT max(number) + 1 FROM stale), first_hour = ?2, last_hour = ?3
            WHERE number = ?1
            """,
            [
                .integer(old.number), .integer(min(old.first, hours.lowerBound)),
                .integer(max(old.last, hours.upperBound)),
            ])
    }

    /// The same for the hours of a range of time, Unix milliseconds.
    package func markStale(_ user: ID, _ times: Range<Int64>) throws(VaultError) {
        guard !times.isEmpty else { return }
        try markStale(user, HourSpan.hour(times.lowerBound)...HourSpan.hour(times.upperBound - 1))
    }

    /// Whether hours of a person wait to be computed again.
    package func isStale(_ user: ID) throws(VaultError) -> Bool {
        try database.first("SELECT 1 FROM stale WHERE person = ? LIMIT 1", [.text(user.text)], row: Row.int) != nil
    }

    /// How many ranges wait to be computed again, of all people; 10,000 at most.
    package func staleRanges() throws(VaultError) -> Int {
        let count = try database.first(
            "SELECT count(*) AS count FROM (SELECT number FROM stale LIMIT 10000) AS waiting", []
        ) { row throws(VaultError) in try row.int("count") }
        return Int(count ?? 0)
    }

    /// How many ranges a person's stale hours may have: each new mark looks at all of them.
    package static let mostMarks = 256

    /// Makes one mark of a person's, the last one, stand for all of them if there are too many.
    private func foldMarks(of user: ID) throws(VaultError) {
        guard let old = try marks("person = ?", [.text(user.text)]), old.count > Self.mostMarks else { return }
        // Its number is new: what is read at this moment for another mark is not kept.
        try database.execute(
            "DELETE FROM stale WHERE person = ? AND number <> ?", [.text(user.text), .integer(old.number)])
        try database.execute(
            "UPDATE stale SET first_hour = ?, last_hour = ? WHERE number = ?",
            [.integer(old.first), .integer(old.last), .integer(old.number)])
    }

    /// Some marks: how many they are, the number of the last, and from the first hour to the last; nil if there are none.
    private func marks(
        _ condition: String, _ values: [Value]
    ) throws(VaultError) -> (count: Int64, number: Int64, first: Int64, last: Int64)? {
        let found = try database.first(
            """
            SELECT count(*) AS count, max(number) AS number, min(first_hour) AS first_hour, max(last_hour) AS last_hour
            FROM stale WHERE \(condition)
            """, values
        ) { row throws(VaultError) in
            (
                count: try row.int("count"), number: try row.intIfPresent("number"),
                first: try row.intIfPresent("first_hour"), last: try row.intIfPresent("last_hour")
            )
        }
        guard let found, let number = found.number, let first = found.first, let last = found.last else { return nil }
        return (found.count, number, first, last)
    }
}
