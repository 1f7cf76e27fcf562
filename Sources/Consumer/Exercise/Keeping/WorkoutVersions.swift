import Features
import Files
import Records
import Storage
import Telemetry
import Workouts

// The table `workout_versions`: what a workout was before each of its corrections, sealed under the person's row key. Where
// others were joined with it, there is a row for each of them, too. Workouts are found in `workouts` only as they are now.

/// What a workout was before a correction.
struct WorkoutVersion: Equatable, Sendable {
    /// Of the row.
    let id: ID
    /// The workout that it is kept for.
    let workout: ID
    /// Which correction it was before, from 1.
    let number: Int64
    /// As it was. It has another id than `workout` if it was joined with that.
    let kept: KeptWorkout
    /// What a split has made, which goes when that is undone; nil without a split.
    let made: ID?

    /// What it was, under the id of the workout that it is now.
    var ofToday: KeptWorkout {
        do throws(WorkoutEventProblem) { return try kept.remade(as: workout) } catch {
            // The events were accepted by a timer before.
            return kept
        }
    }

    /// `{"id":…,"workout":{…},"made":…}`
    var json: JSON {
        .object(present: ["id": .string(kept.id.text), "workout": kept.json, "made": made.map { .string($0.text) }])
    }
}

/// Reads and writes the rows. Belongs to the thread of its store and keys.
struct WorkoutVersions {
    /// How many corrections of a workout can be undone.
    static let most = 30
    /// How many versions a person may have of all workouts.
    static let mostOfPerson = 3000

    let store: Store
    let keys: Keys

    init(_ store: Store, _ keys: Keys) { (self.store, self.keys) = (store, keys) }

    static let schema = Schema(
        "workout corrections/1",
        making: [
            Table(
                "workout_versions",
                [
                    .text("id"), .text("person"), .text("workout"), .integer("number"), .integer("day"),
                    .integer("secret_version"), .blob("sealed"),
                ], key: ["id"],
                indexes: [
                    Index("workout_versions_by_workout", ["person", "workout", "number"]),
                    Index("workout_versions_by_day", ["person", "day"]),
                ])
        ])

    static let table = SealedTable(
        "workout_versions", key: "id", exported: .shown(in: "workout-originals.jsonl")
    ) { row, user, version throws(VaultError) in context(try row.text("entry"), user, version) }

    private static func context(_ id: String, _ user: ID, _ version: Int64) -> RowContext {
        RowContext("workout version", id, user.text, "\(version)")
    }

    // MARK: Writing, within a transaction

    func write(_ version: WorkoutVersion, of user: ID) throws(VaultError) {
        let id = version.id.text
        let (secret, sealed) = try keys.seal(version.json.bytes, of: user, "a version of a workout") {
            Self.context(id, user, $0)
        }
        try store.database.execute(
            """
            INSERT INTO workout_versions (id, person, workout, number, day, secret_version, sealed)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(id), .text(user.text), .text(version.workout.text), .integer(version.number),
                .integer(WorkoutRows.day(version.kept.started)), .integer(secret), .blob(sealed),
            ])
    }

    func remove(_ version: WorkoutVersion, of user: ID) throws(VaultError) {
        try store.database.execute(
            "DELETE FROM workout_versions WHERE id = ? AND person = ?", [.text(version.id.text), .text(user.text)])
    }

    /// Removes everything that a workout ever was, with those that were joined with it.
    func removeAll(of workout: ID, _ user: ID) throws(VaultError) {
        for version in try all(of: workout, user) { try remove(version, of: user) }
    }

    // MARK: Reading

    /// What a workout was before each correction, the first one first.
    func versions(of workout: ID, _ user: ID) throws(VaultError) -> [WorkoutVersion] {
        try opened("person = ? AND workout = ? ORDER BY number, id", [.text(user.text), .text(workout.text)])
    }

    /// The same with what those were that were joined with it.
    func all(of workout: ID, _ user: ID) throws(VaultError) -> [WorkoutVersion] {
        var (found, left): ([WorkoutVersion], [ID]) = ([], [workout])
        while let next = left.popLast() {
            let versions = try versions(of: next, user)
            found += versions
            left += versions.map(\.kept.id).filter { $0 != next }
        }
        return found
    }

    /// What workouts were that began on some days, by UTC.
    func versions(of user: ID, on days: ClosedRange<Int64>) throws(VaultError) -> [WorkoutVersion] {
        try opened(
            "person = ? AND day BETWEEN ? AND ? ORDER BY day DESC, id",
            [.text(user.text), .integer(days.lowerBound), .integer(days.upperBound)])
    }

    /// How many corrections of a workout can be undone.
    func count(of workout: ID, _ user: ID) throws(VaultError) -> Int64 {
        try store.database.first(
            "SELECT count(DISTINCT number) FROM workout_versions WHERE person = ? AND workout = ?",
            [.text(user.text), .text(workout.text)], row: Row.int) ?? 0
    }

    /// How many versions a person has.
    func count(of user: ID) throws(VaultError) -> Int64 {
        try store.database.first(
            "SELECT count(*) FROM workout_versions WHERE person = ?", [.text(user.text)], row: Row.int) ?? 0
    }

    /// The ids of versions that began on a day, by UTC.
    func ids(of user: ID, on day: Int64) throws(VaultError) -> [String] {
        try store.database.query(
            "SELECT id FROM workout_versions WHERE person = ? AND day = ? ORDER BY id",
            [.text(user.text), .integer(day)], row: Row.text)
    }

    /// The version of an id; nil if it cannot be opened.
    func version(_ id: String, of user: ID) throws(VaultError) -> WorkoutVersion? {
        try opened("id = ? AND person = ?", [.text(id), .text(user.text)]).first
    }

    /// The start days (UTC) of a person's earlier versions, from a given day backwards.
    func days(of user: ID, upTo day: Int64, limit: Int) throws(VaultError) -> [Int64] {
        try store.database.query(
            "SELECT DISTINCT day FROM workout_versions WHERE person = ? AND day <= ? ORDER BY day DESC LIMIT ?",
            [.text(user.text), .integer(day), .integer(limit)], row: Row.int)
    }

    private func opened(_ condition: String, _ values: [Value]) throws(VaultError) -> [WorkoutVersion] {
        let rows = try store.database.query(
            "SELECT id, person, workout, number, secret_version, sealed FROM workout_versions WHERE \(condition)",
            values
        ) { row throws(VaultError) in
            (
                id: try row.text("id"), person: try row.text("person"), workout: try row.text("workout"),
                number: try row.int("number"), row: try row.sealedRow()
            )
        }
        var opened: [WorkoutVersion] = []
        for row in rows {
            let names = decoded { () throws(MalformedValue) in
                (id: try ID(row.id), user: try ID(row.person), workout: try ID(row.workout))
            }
            guard let names,
                let bytes = try keys.open(row.row, of: names.user, { Self.context(row.id, names.user, $0) }),
                let json = decoded({ () throws(MalformedValue) in try JSON(payload: bytes) }),
                let kept = Self.kept(json)
            else { continue }
            opened.append(
                WorkoutVersion(
                    id: names.id, workout: names.workout, number: row.number, kept: kept, made: Self.id(json["made"])))
        }
        return opened
    }

    private static func id(_ json: JSON?) -> ID? {
        guard case .string(let text)? = json else { return nil }
        return decoded { () throws(MalformedValue) in try ID(text) }
    }

    private static func kept(_ json: JSON) -> KeptWorkout? {
        guard let id = id(json["id"]), let workout = json["workout"] else { return nil }
        return KeptWorkout(id: id, kept: workout)
    }
}
