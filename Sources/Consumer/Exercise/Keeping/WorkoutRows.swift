import Features
package import Files
package import Fitness
package import Records
import Storage
package import Telemetry

// The table `workouts`: a row for each workout, sealed under the person's row key. In the clear are the day on which it
// began, by UTC, whether it is under way, and how often it was marked to be computed again.

/// Reads and writes the rows. Belongs to the thread of its store and keys.
package struct WorkoutRows {
    /// A row, opened.
    package struct Entry {
        package let user: ID
        package var workout: KeptWorkout
        /// How often it was marked to be computed again, since it last was.
        package let marks: Int64
    }

    /// How many a person may have: nobody has done more in a life.
    static let most = 20_000
    /// How many of a day come from elsewhere, are added, or are made by splitting: each is compared with those.
    static let mostInDay = 50

    package let store: Store
    package let keys: Keys

    package init(_ store: Store, _ keys: Keys) { (self.store, self.keys) = (store, keys) }

    static let schema = Schema(
        "workouts/1",
        making: [
            Table(
                "workouts",
                [
                    .text("id"), .text("person"), .integer("day"), .integer("under_way"), .integer("marks"),
                    .integer("secret_version"), .blob("sealed"),
                ], key: ["id"],
                indexes: [
                    Index("workouts_by_day", ["person", "day"]),
                    Index("workouts_under_way", ["person"], isUnique: true, where: "under_way = 1"),
                    Index("workouts_marked", ["id"], where: "marks > 0"),
                ])
        ])
        // Until now what a device says of a whole workout counted only where its samples did not say it.
        + Schema(steps: [Migration("workouts/2", "UPDATE workouts SET marks = marks + 1 WHERE under_way = 0;")])
        // Until now energy was not that beyond rest, and days knew of no workout. All are counted again, and people take turns.
        + Schema(steps: [
            Migration(
                "workouts/3",
                """
                DROP INDEX workouts_marked;
                CREATE INDEX workouts_marked ON workouts (person, id) WHERE marks > 0;
                UPDATE workouts SET marks = marks + 1 WHERE under_way = 0;
                """)
        ])
        // Until now there were best times over three distances, and no moving time.
        + Schema(steps: [Migration("workouts/4", "UPDATE workouts SET marks = marks + 1 WHERE under_way = 0;")])

    static let table = SealedTable(
        "workouts", key: "id", exported: .shown(in: "workouts.jsonl")
    ) { row, user, version throws(VaultError) in context(try row.text("entry"), user, version) }

    private static func context(_ id: String, _ user: ID, _ version: Int64) -> RowContext {
        RowContext("workout", id, user.text, "\(version)")
    }

    /// The day, by UTC, under which a workout is found.
    package static func day(_ time: Int64) -> Int64 { time.floorDivided(by: 86_400_000) }

    // MARK: Writing, within a transaction

    /// Keeps a workout, in place of the row that it had.
    package func write(_ workout: KeptWorkout, of user: ID) throws(VaultError) {
        let id = workout.id.text
        let (version, sealed) = try keys.seal(workout.json.bytes, of: user, "a workout") { Self.context(id, user, $0) }
        try store.database.execute(
            """
            INSERT INTO workouts (id, person, day, under_way, marks, secret_version, sealed) VALUES (?, ?, ?, ?, 0, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                day = excluded.day, under_way = excluded.under_way, secret_version = excluded.secret_version, sealed = excluded.sealed
            """,
            [
                .text(id), .text(user.text), .integer(Self.day(workout.started)),
                .integer(workout.timer.isOver ? 0 : 1), .integer(version), .blob(sealed),
            ])
    }

    /// Marks a workout: its figures must be computed again.
    package func mark(_ id: ID) throws(VaultError) {
        try store.database.execute("UPDATE workouts SET marks = marks + 1 WHERE id = ?", [.text(id.text)])
    }

    /// Marks a person's workouts that began on a day, by UTC, and are over.
    package func mark(of user: ID, on day: Int64) throws(VaultError) {
        try store.database.execute(
            "UPDATE workouts SET marks = marks + 1 WHERE person = ? AND day = ? AND under_way = 0",
            [.text(user.text), .integer(day)])
    }

    /// Takes back marks, if no others came in the meantime.
    package func unmark(_ id: ID, _ marks: Int64) throws(VaultError) {
        try store.database.execute(
            "UPDATE workouts SET marks = 0 WHERE id = ? AND marks = ?", [.text(id.text), .integer(marks)])
    }

    /// Removes a workout.
    /// - Returns: whether there was one.
    @discardableResult
    package func remove(_ id: ID, of user: ID) throws(VaultError) -> Bool {
        try store.database.execute(
            "DELETE FROM workouts WHERE id = ? AND person = ?", [.text(id.text), .text(user.text)]) > 0
    }

    // MARK: Reading

    /// A person's workout; nil if there is none, or it cannot be opened.
    package func workout(_ id: ID, of user: ID) throws(VaultError) -> Entry? {
        try entries("id = ? AND person = ?", [.text(id.text), .text(user.text)]).first
    }

    /// The workout that a person is doing; nil if there is none.
    package func underWay(of user: ID) throws(VaultError) -> Entry? {
        try entries("person = ? AND under_way = 1", [.text(user.text)]).first
    }

    /// All workouts that are under way.
    package func underWay() throws(VaultError) -> [Entry] { try entries("under_way = 1", []) }

    /// A person's workouts that began on some days, by UTC, the latest first.
    package func workouts(of user: ID, on days: ClosedRange<Int64>) throws(VaultError) -> [Entry] {
        let found = try entries(
            "person = ? AND day BETWEEN ? AND ?",
            [.text(user.text), .integer(days.lowerBound), .integer(days.upperBound)])
        return found.sorted { ($0.workout.started, $0.workout.id.text) > ($1.workout.started, $1.workout.id.text) }
    }

    /// The days by UTC on which workouts of some local days may be found: no clock is farther from UTC than 26 hours (RFC 9636,
    /// 3.2).
    package static func days(around days: ClosedRange<CalendarDay>) -> ClosedRange<Int64> {
        days.lowerBound.daysSince1970 - 2...days.upperBound.daysSince1970 + 2
    }

    /// The same as lines of a list, of those that are over.
    func lines(of user: ID, on days: ClosedRange<Int64>) throws(VaultError) -> [WorkoutLine] {
        let rows = try opened(
            "person = ? AND day BETWEEN ? AND ? AND under_way = 0 ORDER BY day DESC",
            [.text(user.text), .integer(days.lowerBound), .integer(days.upperBound)])
        return rows.compactMap { WorkoutLine(id: $0.id, kept: $0.bytes) }
            .sorted { ($0.started, $0.id.text) > ($1.started, $1.id.text) }
    }

    /// The days, by UTC, on which a person's workouts began, the latest first, from one on backwards.
    package func days(of user: ID, upTo day: Int64, limit: Int) throws(VaultError) -> [Int64] {
        try store.database.query(
            "SELECT DISTINCT day FROM workouts WHERE person = ? AND day <= ? ORDER BY day DESC LIMIT ?",
            [.text(user.text), .integer(day), .integer(limit)], row: Row.int)
    }

    /// How many workouts a person has.
    package func count(of user: ID) throws(VaultError) -> Int {
        Int(
            try store.database.first(
                "SELECT count(*) FROM workouts WHERE person = ?", [.text(user.text)], row: Row.int) ?? 0)
    }

    /// How many of these began on a day, by UTC.
    func count(of user: ID, on day: Int64) throws(VaultError) -> Int {
        Int(
            try store.database.first(
                "SELECT count(*) FROM workouts WHERE person = ? AND day = ?", [.text(user.text), .integer(day)],
                row: Row.int) ?? 0)
    }

    /// The first person after one who has a workout that is over and must be computed again; nil if there is none.
    package func personWithMarks(after person: String) throws(VaultError) -> String? {
        try store.database.first(
            "SELECT person FROM workouts WHERE marks > 0 AND under_way = 0 AND person > ? ORDER BY person LIMIT 1",
            [.text(person)], row: Row.text)
    }

    /// The first of a person's workouts after an id that is over and must be computed again; nil if there is none.
    package func marked(of person: String, after id: String) throws(VaultError) -> String? {
        try store.database.first(
            """
            SELECT id FROM workouts WHERE marks > 0 AND under_way = 0 AND person = ? AND id > ? ORDER BY id LIMIT 1
            """, [.text(person), .text(id)], row: Row.text)
    }

    /// That workout; nil if it cannot be opened.
    package func marked(_ id: String) throws(VaultError) -> Entry? { try entries("id = ?", [.text(id)]).first }

    private func entries(_ condition: String, _ values: [Value]) throws(VaultError) -> [Entry] {
        try opened(condition, values).compactMap { row in
            guard let json = decoded({ () throws(MalformedValue) in try JSON(payload: row.bytes) }),
                let workout = KeptWorkout(id: row.id, kept: json)
            else { return nil }
            return Entry(user: row.user, workout: workout, marks: row.marks)
        }
    }

    /// A row, before anybody looks into what it says.
    private typealias Opened = (id: ID, user: ID, marks: Int64, bytes: [UInt8])

    /// Those that can be opened.
    private func opened(_ condition: String, _ values: [Value]) throws(VaultError) -> [Opened] {
        let rows = try store.database.query(
            "SELECT id, person, marks, secret_version, sealed FROM workouts WHERE \(condition)", values
        ) { row throws(VaultError) in
            (
                id: try row.text("id"), person: try row.text("person"), marks: try row.int("marks"),
                row: try row.sealedRow()
            )
        }
        var opened: [Opened] = []
        for row in rows {
            let names = decoded { () throws(MalformedValue) in (id: try ID(row.id), user: try ID(row.person)) }
            guard let (id, user) = names,
                let bytes = try keys.open(row.row, of: user, { Self.context(row.id, user, $0) })
            else { continue }
            opened.append((id, user, row.marks, bytes))
        }
        return opened
    }
}
