import Records
package import Storage
package import Telemetry

// Marks of hours that must be computed again. They are worked off by the room that keeps what readings mean.

extension Store {
    /// Has everything that is kept of some of a person's hours computed again, within a transaction of the caller's.
    ///
    /// A mark that says so already gets another number: one of its hours may be read at this moment, and must be read
    /// again.
    package func markStale(_ user: ID, _ hours: ClosedRange<Int64>) throws(VaultError) {
        let values: [Value] = [.text(user.text), .integer(hours.lowerBound), .integer(hours.upperBound)]
        let marked = try database.execute(
            """
            UPDATE stale SET number = (SELECT max(number) + 1 FROM stale) WHERE number =
                (SELECT number FROM stale WHERE person = ?1 AND first_hour <= ?2 AND last_hour >= ?3 LIMIT 1)
            """, values)
        guard marked == 0 else { return }
        try database.execute("INSERT INTO stale (person, first_hour, last_hour) VALUES (?1, ?2, ?3)", values)
        try foldMarks(of: user)
    }

    /// The same for the hours of a range of time, Unix milliseconds.
    package func markStale(_ user: ID, _ times: Range<Int64>) throws(VaultError) {
        guard !times.isEmpty else { return }
        try markStale(user, HourSpan.hour(times.lowerBound)...HourSpan.hour(times.upperBound - 1))
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
        let marks = try database.first(
            """
            SELECT count(*) AS count, max(number) AS number, min(first_hour) AS first_hour, max(last_hour) AS last_hour
            FROM stale WHERE person = ?
            """,
            [.text(user.text)]
        ) { row throws(VaultError) in
            (
                count: try row.int("count"), number: try row.intIfPresent("number"),
                first: try row.intIfPresent("first_hour"),
                last: try row.intIfPresent("last_hour")
            )
        }
        guard let marks, marks.count > Self.mostMarks, let number = marks.number, let first = marks.first,
            let last = marks.last
        else { return }
        // Its number is new: what is read at this moment for another mark is not kept.
        try database.execute(
            "DELETE FROM stale WHERE person = ? AND number <> ?", [.text(user.text), .integer(number)])
        try database.execute(
            "UPDATE stale SET first_hour = ?, last_hour = ? WHERE number = ?",
            [.integer(first), .integer(last), .integer(number)])
    }
}
