import Features
import Files
import Fitness
import Records
import Storage
import Telemetry

// The table `trainings`: a row for each workout that follows or followed a plan, sealed under the person's row key. In the clear are
// the day on which it began, by UTC, and whether it is under way. A row goes with its workout.

/// Reads and writes the rows. Belongs to the thread of its store and keys.
struct TrainingRows {
    let store: Store
    let keys: Keys

    init(_ documents: Documents) { (store, keys) = (documents.store, documents.keys) }

    static let schema = Schema(
        "training/1",
        making: [
            Table(
                "trainings",
                [
                    .text("workout"), .text("person"), .integer("day"), .integer("under_way"),
                    .integer("secret_version"), .blob("sealed"),
                ], key: ["workout"],
                indexes: [
                    Index("trainings_by_day", ["person", "day"]),
                    Index("trainings_under_way", ["person"], where: "under_way = 1"),
                ])
        ])

    static let table = SealedTable("trainings", key: "workout", exported: .shown(in: "trainings.jsonl")) {
        row, user, version throws(VaultError) in context(try row.text("entry"), user, version)
    }

    private static func context(_ workout: String, _ user: ID, _ version: Int64) -> RowContext {
        RowContext("training", workout, user.text, "\(version)")
    }

    // MARK: Writing, within a transaction

    /// Keeps a training, in place of the row that it had.
    func write(_ record: TrainingRecord, of user: ID) throws(VaultError) {
        let workout = record.workout.text
        let (version, sealed) = try keys.seal(record.kept.bytes, of: user, "a training") {
            Self.context(workout, user, $0)
        }
        try store.database.execute(
            """
            INSERT INTO trainings (workout, person, day, under_way, secret_version, sealed) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (workout) DO UPDATE SET
                under_way = excluded.under_way, secret_version = excluded.secret_version, sealed = excluded.sealed
            """,
            [
                .text(workout), .text(user.text), .integer(Self.day(record.started)),
                .integer(record.isUnderWay ? 1 : 0), .integer(version), .blob(sealed),
            ])
    }

    /// Removes that of a workout, if there is one.
    func remove(_ workout: ID, of user: ID) throws(VaultError) {
        try store.database.execute(
            "DELETE FROM trainings WHERE workout = ? AND person = ?", [.text(workout.text), .text(user.text)])
    }

    // MARK: Reading

    /// The day, by UTC, under which a training is found.
    static func day(_ time: Int64) -> Int64 { time.floorDivided(by: 86_400_000) }

    /// Those of a person that began on some days, by UTC, the latest first.
    func records(of user: ID, on days: ClosedRange<Int64>) throws(VaultError) -> [TrainingRecord] {
        try records(
            "person = ? AND day BETWEEN ? AND ?",
            [.text(user.text), .integer(days.lowerBound), .integer(days.upperBound)]
        ).map(\.record).sorted { ($0.started, $0.workout.text) > ($1.started, $1.workout.text) }
    }

    /// The days, by UTC, on which a person's trainings began, the latest first, from one on backwards.
    func days(of user: ID, upTo day: Int64, limit: Int) throws(VaultError) -> [Int64] {
        try store.database.query(
            "SELECT DISTINCT day FROM trainings WHERE person = ? AND day <= ? ORDER BY day DESC LIMIT ?",
            [.text(user.text), .integer(day), .integer(limit)], row: Row.int)
    }

    /// The one of a workout; nil if there is none.
    func record(_ workout: ID, of user: ID) throws(VaultError) -> TrainingRecord? {
        try records("workout = ? AND person = ?", [.text(workout.text), .text(user.text)]).first?.record
    }

    /// All that are under way, as far as anybody knows.
    func underWay() throws(VaultError) -> [(user: ID, record: TrainingRecord)] { try records("under_way = 1", []) }

    private func records(
        _ condition: String, _ values: [Value]
    ) throws(VaultError) -> [(user: ID, record: TrainingRecord)] {
        let rows = try store.database.query(
            "SELECT workout, person, secret_version, sealed FROM trainings WHERE \(condition)", values
        ) { row throws(VaultError) in
            (workout: try row.text("workout"), person: try row.text("person"), row: try row.sealedRow())
        }
        var records: [(user: ID, record: TrainingRecord)] = []
        for row in rows {
            guard let user = decoded({ () throws(MalformedValue) in try ID(row.person) }),
                let bytes = try keys.open(row.row, of: user, { Self.context(row.workout, user, $0) }),
                let json = decoded({ () throws(MalformedValue) in try JSON(payload: bytes) }),
                let record = TrainingRecord(kept: json)
            else { continue }
            records.append((user, record))
        }
        return records
    }
}
