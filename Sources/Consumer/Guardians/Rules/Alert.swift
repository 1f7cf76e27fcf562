import Features
import Files
import Fitness
import Records
import Storage
import Telemetry

/// Something of which guardians were told, and that one of them may confirm.
struct Alert {
    let id: ID
    let dependent: ID
    let kind: Notification.Kind
    /// When it happened, in Unix milliseconds.
    let time: Int64
    /// What it was, for guardians: the name of an area, or the dependent's own words.
    let about: String?
    let sight: Sight?
    /// What the first of its guardians has set up; nil for a call for help, and for alerts from before this was kept.
    var rule: ID?
    /// After how many milliseconds the next guardian is told.
    let pause: Int64?
    /// In the order in which they were told.
    var told: [ID] = []
    /// Who has confirmed it, and when, in Unix milliseconds.
    var confirmed: (by: ID, time: Int64)?
    /// As it was read: when the next guardian is told, in Unix milliseconds; nil if nobody is.
    fileprivate(set) var next: Int64?
}

/// The table `alerts`, sealed under the dependent's row key. In the clear are when an alert was told, and when the next guardian is. Belongs to the thread of its store and keys.
struct AlertRows {
    /// How many of a dependent's alerts are kept.
    static let most = 100
    /// How many of a dependent's alerts that nobody has confirmed their guardian's list of dependents has, the latest first.
    static let mostOpen = 10

    let store: Store
    let keys: Keys

    static let table = SealedTable("alerts", key: "id", exported: .shown(in: "alerts.json")) {
        row, user, version throws(VaultError) in context(try row.text("entry"), user, version)
    }

    private static func context(_ id: String, _ user: ID, _ version: Int64) -> RowContext {
        RowContext("alert", id, user.text, "\(version)")
    }

    /// The id of an occasion: the same one has the same id, so it is told once.
    func id(_ rule: String, _ occasion: String) throws(VaultError) -> ID {
        let text = hexadecimal(try keys.lookup("alert", "\(rule) \(occasion)").prefix(16))
        guard let id = decoded({ () throws(MalformedValue) in try ID(text) }) else {
            throw VaultError("name an alert", .malformed, said: "\"\(text)\" is not an id")
        }
        return id
    }

    // MARK: Writing, within a transaction

    /// Adds an alert, unless it is there already.
    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - next: when the next guardian is told, in Unix milliseconds; nil for never.
    /// - Returns: whether it is new.
    func add(_ alert: Alert, now: Int64, next: Int64?) throws(VaultError) -> Bool {
        let (version, sealed) = try self.sealed(alert)
        let isNew = try store.database.execute(
            """
            INSERT INTO alerts (id, person, time_ms, next_ms, secret_version, sealed) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO NOTHING
            """,
            [
                .text(alert.id.text), .text(alert.dependent.text), .integer(alert.time),
                next.map(Value.integer) ?? .null,
                .integer(version), .blob(sealed),
            ])
        guard isNew > 0 else { return false }
        try store.database.execute(
            """
            DELETE FROM alerts WHERE id IN (
                SELECT id FROM alerts WHERE person = ?1 AND next_ms IS NULL ORDER BY time_ms DESC, id LIMIT 9223372036854775807 OFFSET ?2)
            """, [.text(alert.dependent.text), .integer(Self.most)])
        return true
    }

    /// Nobody else is told of it.
    func settle(_ id: ID) throws(VaultError) {
        try store.database.execute("UPDATE alerts SET next_ms = NULL WHERE id = ?", [.text(id.text)])
    }

    func change(_ alert: Alert, next: Int64?) throws(VaultError) {
        let (version, sealed) = try self.sealed(alert)
        try store.database.execute(
            "UPDATE alerts SET next_ms = ?, secret_version = ?, sealed = ? WHERE id = ?",
            [next.map(Value.integer) ?? .null, .integer(version), .blob(sealed), .text(alert.id.text)])
    }

    private func sealed(_ alert: Alert) throws(VaultError) -> SealedRow {
        let (id, user) = (alert.id.text, alert.dependent)
        return try keys.seal(alert.kept.bytes, of: user, "an alert") { Self.context(id, user, $0) }
    }

    // MARK: Reading

    func alert(_ id: ID) throws(VaultError) -> Alert? { try read("id = ?", [.text(id.text)]).first }

    /// A dependent's alerts, the latest first.
    func alerts(of dependent: ID) throws(VaultError) -> [Alert] {
        try read("person = ?", [.text(dependent.text)]).sorted { ($0.time, $0.id.text) > ($1.time, $1.id.text) }
    }

    /// Those of which another guardian is to be told by now, in Unix milliseconds.
    func due(_ now: Int64) throws(VaultError) -> [Alert] { try read("next_ms <= ?", [.integer(now)]) }

    private func read(_ condition: String, _ values: [Value]) throws(VaultError) -> [Alert] {
        let rows = try store.database.query(
            "SELECT id, person, next_ms, secret_version, sealed FROM alerts WHERE \(condition) ORDER BY id", values
        ) { row throws(VaultError) in
            (
                id: try row.text("id"), person: try row.text("person"), next: try row.intIfPresent("next_ms"),
                row: try row.sealedRow()
            )
        }
        var alerts: [Alert] = []
        for row in rows {
            let ids = decoded { () throws(MalformedValue) in (id: try ID(row.id), person: try ID(row.person)) }
            guard let (id, person) = ids,
                let bytes = try keys.open(row.row, of: person, { Self.context(row.id, person, $0) }),
                let json = decoded({ () throws(MalformedValue) in try JSON(payload: bytes) }),
                var alert = Alert(id: id, of: person, kept: json)
            else { continue }
            alert.next = row.next
            alerts.append(alert)
        }
        return alerts
    }
}

// MARK: What is sealed

extension Alert {
    fileprivate init?(id: ID, of dependent: ID, kept json: JSON) {
        guard case .string(let kind)? = json["kind"], case .integer(let time)? = json["time"] else { return nil }
        func text(_ name: String) -> String? { if case .string(let text)? = json[name] { text } else { nil } }
        var pause: Int64?
        if case .integer(let value)? = json["pause"] { pause = value }
        self.init(
            id: id, dependent: dependent, kind: Notification.Kind(kept: kind), time: time, about: text("about"),
            sight: text("sight").flatMap(Sight.init), rule: json["rule"].flatMap(ID.init(kept:)), pause: pause)
        if case .array(let people)? = json["told"] { told = people.compactMap(ID.init(kept:)) }
        if let by = json["confirmed_by"].flatMap(ID.init(kept:)), case .integer(let time)? = json["confirmed"] {
            confirmed = (by, time)
        }
    }

    fileprivate var kept: JSON {
        .object(present: [
            "kind": .string(kind.name), "time": .integer(time), "about": about.map(JSON.string),
            "sight": sight.map { .string($0.rawValue) }, "rule": rule.map { .string($0.text) }, "pause": pause.map(JSON.integer),
            "told": .array(told.map { .string($0.text) }), "confirmed_by": confirmed.map { .string($0.by.text) },
            "confirmed": confirmed.map { .integer($0.time) },
        ])
    }

    /// As its dependent has it in an export.
    var exported: JSON {
        .object(present: [
            "alert": .string(id.text), "kind": .string(kind.name), "time": .string(iso8601(unixMilliseconds: time)),
            "about": about.map(JSON.string), "told": .array(told.map { .string($0.text) }),
            "confirmed_by": confirmed.map { .string($0.by.text) },
            "confirmed": confirmed.map { .string(iso8601(unixMilliseconds: $0.time)) },
        ])
    }
}
