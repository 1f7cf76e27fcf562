package import Files
package import Records
package import Storage
package import Telemetry

/// A table whose rows are sealed, each under the row key of the person in its column `person`, and by the version of
/// the secret in its column `secret_version`.
package struct SealedTable: Sendable {
    /// What a row is bound to. The row has the column `entry`, which is the table's key.
    package typealias Context = @Sendable (_ row: Row, _ user: ID, _ version: Int64) throws(VaultError) -> RowContext

    package let name: String
    /// The column that distinguishes a person's rows.
    package let key: String
    /// The column with the sealed bytes.
    package let sealed: String
    /// Whether its rows are the account's own. They then stay when a person has everything else deleted, and the
    /// feature's step seals them again under the new secret; and they go before all others if the account goes.
    package let isKeptByReset: Bool
    /// Whether a person who has rows here has a day to be shown: see the target Social.
    package let makesToday: Bool
    package let exported: Exported
    private let context: Context

    package init(
        _ name: String, key: String, sealed: String = "sealed", isKeptByReset: Bool = false, makesToday: Bool = false,
        exported: Exported, context: @escaping Context
    ) {
        self.name = name
        self.key = key
        self.sealed = sealed
        self.isKeptByReset = isKeptByReset
        self.makesToday = makesToday
        self.exported = exported
        self.context = context
    }

    /// A sealed row, and what it is bound to.
    package struct SealedRow {
        package let user: String
        package let version: Int64
        package let sealed: [UInt8]
        package let context: RowContext
    }

    /// Shows the rows of a person, or of all.
    /// - Parameters:
    ///   - version: of the secret; rows under later versions are left out.
    ///   - limit: that many, drawn at random; nil for all.
    package func forEach(
        _ store: Store, of user: ID? = nil, upTo version: Int64 = .max, atMost limit: Int? = nil,
        _ body: (SealedRow) throws(VaultError) -> Void
    ) throws(VaultError) {
        let sql = """
            SELECT person, secret_version, \(sealed) AS sealed_bytes, \(key) AS entry FROM \(name)
            WHERE secret_version <= ?\(user == nil ? "" : " AND person = ?")\(limit == nil ? "" : " ORDER BY random() LIMIT ?")
            """
        var values: [Value] = [.integer(version)]
        if let user { values.append(.text(user.text)) }
        if let limit { values.append(.integer(limit)) }
        try store.database.forEach(sql, values) { row throws(VaultError) in
            let (text, version) = (try row.text("person"), try row.int("secret_version"))
            guard let owner = decoded({ () throws(MalformedValue) in try ID(text) }) else { return }
            try body(
                SealedRow(
                    user: text, version: version, sealed: try row.blob("sealed_bytes"),
                    context: try context(row, owner, version)))
        }
    }

    /// Deletes a person's rows that are sealed under a secret up to a version, at most `limit` of them, within a
    /// transaction.
    package func delete(_ store: Store, of user: ID, upTo version: Int64, atMost limit: Int) throws(VaultError) -> Int {
        try store.database.execute(
            """
            DELETE FROM \(name) WHERE person = ?1 AND \(key) IN (
                SELECT \(key) FROM \(name) WHERE person = ?1 AND secret_version <= ?2 LIMIT ?3)
            """, [.text(user.text), .integer(version), .integer(limit)])
    }
}
