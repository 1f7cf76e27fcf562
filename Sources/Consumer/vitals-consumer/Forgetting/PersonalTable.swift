import Days
import Features
import Records
import Storage
import Telemetry

/// The tables of what readings mean to people, and of what people are told: each row is sealed under the row key of a
/// person.
enum PersonalTable: String, CaseIterable {
    case days
    case heartRateHours = "heart_rate_hours"
    case heartRateDays = "heart_rate_days"
    case heartRateMonths = "heart_rate_months"
    case notifications
    case answered

    /// The column that distinguishes a person's rows.
    var key: String {
        switch self {
        case .days, .heartRateDays: "day"
        case .heartRateHours: "hour"
        case .heartRateMonths: "month"
        case .notifications: "id"
        case .answered: "digest"
        }
    }

    /// A sealed row, and what it is bound to.
    struct Row {
        let user: String
        let version: Int64
        let sealed: [UInt8]
        let context: [UInt8]
    }

    /// Shows the rows of a person, or of all.
    /// - Parameters:
    ///   - version: of the secret; rows under later versions are left out.
    ///   - limit: that many, drawn at random; nil for all.
    func forEach(
        _ store: Store, of user: ID? = nil, upTo version: Int64 = .max, atMost limit: Int? = nil,
        _ body: (Row) throws(VaultError) -> Void
    ) throws(VaultError) {
        let sql = """
            SELECT person, secret_version, sealed, \(key) AS entry FROM \(rawValue)
            WHERE secret_version <= ?\(user == nil ? "" : " AND person = ?")\(limit == nil ? "" : " ORDER BY random() LIMIT ?")
            """
        var values: [Value] = [.integer(version)]
        if let user { values.append(.text(user.text)) }
        if let limit { values.append(.integer(limit)) }
        try store.database.forEach(sql, values) { row throws(VaultError) in
            let (text, version) = (try row.text("person"), try row.int("secret_version"))
            guard let owner = decoded({ () throws(MalformedValue) in try ID(text) }) else { return }
            try body(
                Row(
                    user: text, version: version, sealed: try row.blob("sealed"),
                    context: try context(of: row, owner, version)))
        }
    }

    private func context(of row: Storage.Row, _ user: ID, _ version: Int64) throws(VaultError) -> [UInt8] {
        switch self {
        case .days: DayRows.context(user, try row.int("entry"), version)
        case .heartRateHours: HeartRateRows.context(.hours, try row.int("entry"), user, version)
        case .heartRateDays: HeartRateRows.context(.days, try row.int("entry"), user, version)
        case .heartRateMonths: HeartRateRows.context(.months, try row.int("entry"), user, version)
        case .notifications: Documents.context(Notifications.label(try row.text("entry")), user, version)
        case .answered: Documents.context(Answered.label(try row.blob("entry")), user, version)
        }
    }

    /// Deletes a person's rows that are sealed under a secret up to a version, at most `limit` of them, within a
    /// transaction.
    func delete(_ store: Store, of user: ID, upTo version: Int64, atMost limit: Int) throws(VaultError) -> Int {
        try store.database.execute(
            """
            DELETE FROM \(rawValue) WHERE person = ?1 AND \(key) IN (
                SELECT \(key) FROM \(rawValue) WHERE person = ?1 AND secret_version <= ?2 LIMIT ?3)
            """, [.text(user.text), .integer(version), .integer(limit)])
    }
}
