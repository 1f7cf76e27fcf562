import Features
package import Files
package import Fitness
package import Records
import Storage
package import Telemetry

/// The table `meal_days`: what a person has eaten on each day, sealed under the person's row key. In the clear is the day.
/// Belongs to the thread of its store and keys.
package struct MealDays {
    /// How many meals a day has.
    package static let mostMeals = 50
    /// How many of a person's days are kept: three years; the earliest go.
    package static let mostDays = 1100

    private let store: Store
    private let keys: Keys

    package init(_ store: Store, _ keys: Keys) { (self.store, self.keys) = (store, keys) }

    static let schema = Schema(
        "meals/1",
        making: [
            Table(
                "meal_days", [.text("person"), .integer("day"), .integer("secret_version"), .blob("sealed")],
                key: ["person", "day"]),
            Table(
                "foods", [.text("id"), .text("person"), .integer("secret_version"), .blob("sealed")], key: ["id"],
                indexes: [Index("foods_by_person", ["person"])]),
        ])

    static let table = SealedTable("meal_days", key: "day", exported: .shown(in: ExportSection.meals.name)) {
        row, user, version throws(VaultError) in context(try row.int("entry"), user, version)
    }

    private static func context(_ day: Int64, _ user: ID, _ version: Int64) -> RowContext {
        RowContext("meal day", user.text, "\(day)", "\(version)")
    }

    /// The meals of a day, in the order of their times.
    package func meals(of user: ID, on day: CalendarDay) throws(VaultError) -> [Meal] {
        let number = day.daysSince1970
        let row = try store.database.first(
            "SELECT secret_version, sealed FROM meal_days WHERE person = ? AND day = ?",
            [.text(user.text), .integer(number)]
        ) { row throws(VaultError) in try row.sealedRow() }
        guard let row, let bytes = try keys.open(row, of: user, { Self.context(number, user, $0) }),
            let json = decoded({ () throws(MalformedValue) in try JSON(payload: bytes) }),
            case .array(let meals)? = json["meals"]
        else { return [] }
        return meals.compactMap(Meal.init(kept:)).sorted { ($0.time, $0.id.text) < ($1.time, $1.id.text) }
    }

    /// The first of a person's days from one on; nil if there is none.
    package func firstDay(of user: ID, from day: Int64) throws(VaultError) -> Int64? {
        try store.database.first(
            "SELECT min(day) AS day FROM meal_days WHERE person = ? AND day >= ?", [.text(user.text), .integer(day)]
        ) { row throws(VaultError) in try row.intIfPresent("day") } ?? nil
    }

    /// Keeps a day in place of what it was, within a transaction; a day without meals goes.
    package func write(_ meals: [Meal], of user: ID, on day: CalendarDay) throws(VaultError) {
        let number = day.daysSince1970
        guard !meals.isEmpty else {
            try store.database.execute(
                "DELETE FROM meal_days WHERE person = ? AND day = ?", [.text(user.text), .integer(number)])
            return
        }
        let kept: JSON = ["meals": .array(meals.map(\.kept))]
        let (version, sealed) = try keys.seal(kept.bytes, of: user, "a day's meals") { Self.context(number, user, $0) }
        try store.database.execute(
            """
            INSERT INTO meal_days (person, day, secret_version, sealed) VALUES (?, ?, ?, ?)
            ON CONFLICT (person, day) DO UPDATE SET
                secret_version = excluded.secret_version, sealed = excluded.sealed
            """, [.text(user.text), .integer(number), .integer(version), .blob(sealed)])
        try store.database.execute(
            """
            DELETE FROM meal_days WHERE person = ?1 AND day IN (
                SELECT day FROM meal_days WHERE person = ?1 ORDER BY day DESC LIMIT 9223372036854775807 OFFSET ?2)
            """, [.text(user.text), .integer(Self.mostDays)])
    }
}
