import Features
import Files
import Records
import Storage
import Telemetry
import Whereabouts

/// What a guardian wants to be told of a dependent.
struct WatchRule {
    let id: ID
    let dependent: ID
    let guardian: ID
    var kind: Kind
    /// After how many minutes the next guardian is told, if nobody has confirmed the alert; nil for never.
    var escalateMinutes: Int64?
    var isEnabled = true
    /// Since when it is watched, in Unix milliseconds.
    var begin: Int64 = 0
    /// What is known of it, so that each occasion is told once.
    var state: JSON = [:]
    /// The key of the occasion that was told last, in this run.
    var told: String?

    enum Kind {
        case area(Area)
        case silence(SilenceWatch)
        case battery(BatteryWatch)
        case heartRate(HeartRateRangeWatch)
        case stillness(StillnessWatch)
    }

    /// An area, and what is told of it.
    struct Area {
        var name: String
        var shape: AreaShape
        /// The phone's own region of which it was made: its name.
        var region: String?
        var isToldOfLeaving = true
        var isToldOfEntering = false
        /// When it is watched; nil for always.
        var hours: WatchHours?
    }

    /// What the dependent has to let the guardian see.
    var sight: Sight {
        switch kind {
        case .area, .silence, .battery: .location
        case .heartRate: .heartRate
        case .stillness: .motion
        }
    }

    var area: Area? { if case .area(let area) = kind { area } else { nil } }
}

// MARK: The rows

/// The table `watch_rules`: what guardians want to be told of, sealed under the dependent's row key, because it says where the
/// dependent lives. Belongs to the thread of its store and keys.
struct WatchRules {
    /// How many a guardian may have for one dependent.
    static let most = 20
    /// How many all guardians of a dependent may have together: each position is compared with each area.
    static let mostOfDependent = 100

    let store: Store
    let keys: Keys

    static let schema = Schema(
        "guardians/1",
        making: [
            Table(
                "watch_rules",
                [
                    .text("id"), .text("person"), .text("guardian"), .integer("secret_version"), .blob("sealed"),
                ], key: ["id"],
                indexes: [
                    Index("watch_rules_by_person", ["person"]), Index("watch_rules_by_guardian", ["guardian"]),
                ]),
            Table(
                "alerts",
                [
                    .text("id"), .text("person"), .integer("time_ms"), .integer("next_ms").optional,
                    .integer("secret_version"), .blob("sealed"),
                ], key: ["id"],
                indexes: [
                    Index("alerts_by_person", ["person", "time_ms"]),
                    Index("alerts_due", ["next_ms"], where: "next_ms IS NOT NULL"),
                ]),
        ])

    static let table = SealedTable("watch_rules", key: "id", exported: .shown(in: "watch-rules.json")) {
        row, user, version throws(VaultError) in context(try row.text("entry"), user, version)
    }

    private static func context(_ id: String, _ user: ID, _ version: Int64) -> RowContext {
        RowContext("watch rule", id, user.text, "\(version)")
    }

    // MARK: Writing, within a transaction

    func write(_ rule: WatchRule) throws(VaultError) {
        let (id, user) = (rule.id.text, rule.dependent)
        let (version, sealed) = try keys.seal(rule.kept.bytes, of: user, "what a guardian watches") {
            Self.context(id, user, $0)
        }
        try store.database.execute(
            """
            INSERT INTO watch_rules (id, person, guardian, secret_version, sealed) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET secret_version = excluded.secret_version, sealed = excluded.sealed
            """,
            [.text(id), .text(user.text), .text(rule.guardian.text), .integer(version), .blob(sealed)])
    }

    func remove(_ id: ID) throws(VaultError) {
        try store.database.execute("DELETE FROM watch_rules WHERE id = ?", [.text(id.text)])
    }

    /// Removes what a guardian watched of a dependent.
    func removeAll(of guardian: ID, for dependent: ID) throws(VaultError) {
        try store.database.execute(
            "DELETE FROM watch_rules WHERE guardian = ? AND person = ?", [.text(guardian.text), .text(dependent.text)])
    }

    // MARK: Reading

    func rules(for dependent: ID) throws(VaultError) -> [WatchRule] {
        try read("person = ?", [.text(dependent.text)])
    }

    /// Those that a guardian has set up for a dependent.
    func rules(for dependent: ID, of guardian: ID) throws(VaultError) -> [WatchRule] {
        try read("person = ? AND guardian = ?", [.text(dependent.text), .text(guardian.text)])
    }

    /// How many a guardian has set up for a dependent.
    func count(for dependent: ID, of guardian: ID) throws(VaultError) -> Int64 {
        try store.database.first(
            "SELECT count(*) FROM watch_rules WHERE person = ? AND guardian = ?",
            [.text(dependent.text), .text(guardian.text)], row: Row.int) ?? 0
    }

    /// How many all guardians of a dependent have set up.
    func count(for dependent: ID) throws(VaultError) -> Int64 {
        try store.database.first(
            "SELECT count(*) FROM watch_rules WHERE person = ?", [.text(dependent.text)], row: Row.int) ?? 0
    }

    func isThere(_ id: ID) throws(VaultError) -> Bool {
        try store.database.first("SELECT 1 FROM watch_rules WHERE id = ?", [.text(id.text)], row: Row.int) != nil
    }

    func rules(of guardian: ID) throws(VaultError) -> [WatchRule] {
        try read("guardian = ?", [.text(guardian.text)])
    }

    func rule(_ id: ID) throws(VaultError) -> WatchRule? { try read("id = ?", [.text(id.text)]).first }

    private func read(_ condition: String, _ values: [Value]) throws(VaultError) -> [WatchRule] {
        let rows = try store.database.query(
            "SELECT id, person, guardian, secret_version, sealed FROM watch_rules WHERE \(condition) ORDER BY id",
            values
        ) { row throws(VaultError) in
            (
                id: try row.text("id"), person: try row.text("person"), guardian: try row.text("guardian"),
                row: try row.sealedRow()
            )
        }
        var rules: [WatchRule] = []
        for row in rows {
            let ids = decoded { () throws(MalformedValue) in
                (id: try ID(row.id), person: try ID(row.person), guardian: try ID(row.guardian))
            }
            guard let (id, person, guardian) = ids,
                let bytes = try keys.open(row.row, of: person, { Self.context(row.id, person, $0) }),
                let json = decoded({ () throws(MalformedValue) in try JSON(payload: bytes) }),
                let rule = WatchRule(id: id, for: person, of: guardian, kept: json)
            else { continue }
            rules.append(rule)
        }
        return rules
    }
}
