import Files
import Records
import Storage
import Telemetry

extension Store {
    /// How many rows of a person's each table has that says whose its rows are, by the database's own schema: no list
    /// of tables is kept by hand.
    /// - Parameter version: only tables of sealed rows, and of these only rows that are sealed to a secret up to this
    ///   one.
    func personalRows(of user: ID, upTo version: Int64? = nil) throws(VaultError) -> [String: Int64] {
        let columns = try database.query(
            """
            SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
            WHERE t.type = 'table' AND c.name IN ('user', 'person', 'owner', 'guardian', 'author')
            """
        ) { row throws(VaultError) in (table: try row.text(0), column: try row.text(1)) }
        var counts: [String: Int64] = [:]
        for (table, column) in columns {
            let isSealed = try database.first(
                "SELECT count(*) FROM pragma_table_info(?) WHERE name = 'secret_version'", [.text(table)], row: Row.int)
            if version != nil, isSealed == 0 { continue }
            let sealed = version.map { "AND secret_version <= \($0)" } ?? ""
            let count = try database.first(
                "SELECT count(*) FROM \(table) WHERE \(column) = ? \(sealed)", [.text(user.text)], row: Row.int)
            counts[table, default: 0] += count ?? 0
        }
        return counts
    }
}
