import CSQLite
import Records
import Storage
import Telemetry

// Every change of what is kept of a person holds that person's lock (see PeopleLock.swift). These tests' stores insist on
// it: in a transaction, a row of a person who is not held is neither written nor deleted, and the statement fails. A
// statement by itself may: tests damage rows that way. The list of the forgotten is filled from copies of it, and only
// grows.

extension Store {
    /// Has the database refuse changes of people who are not held.
    package func insistOnLock() throws {
        let context = Unmanaged.passRetained(Asked(self)).toOpaque()
        sqlite3_create_function_v2(
            database.handle, "is_held", 1, SQLITE_UTF8, context,
            { call, _, values in
                let store = Unmanaged<Asked>.fromOpaque(sqlite3_user_data(call)).takeUnretainedValue().store
                let name = values?[0].flatMap { sqlite3_value_text($0) }.map { String(cString: $0) } ?? ""
                let person = decoded { () throws(MalformedValue) in try ID(name) }
                let isHeld = person.map { store?.isHeld($0) ?? true } ?? true
                let isByItself = sqlite3_get_autocommit(sqlite3_context_db_handle(call)) != 0
                sqlite3_result_int(call, isHeld || isByItself ? 1 : 0)
            }, nil, nil, { Unmanaged<Asked>.fromOpaque($0!).release() })
        let tables = try database.query(
            """
            SELECT t.name AS name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
            WHERE t.type = 'table' AND c.name = 'person' AND t.name NOT IN ('people', 'forgotten') ORDER BY t.name
            """
        ) { row throws(VaultError) in try row.text("name") }
        for table in tables { try insist(table) { "\($0).person" } }
        for table in ["blocks", "sessions", "counts"] {
            try insist(table) { "(SELECT person FROM streams WHERE number = \($0).stream)" }
        }
    }

    private func insist(_ table: String, _ person: (_ row: String) -> String) throws {
        for (event, rows) in [("INSERT", ["NEW"]), ("UPDATE", ["OLD", "NEW"]), ("DELETE", ["OLD"])] {
            // What is over for everybody, anybody may remove.
            if event == "DELETE", table == "answered" { continue }
            let held = rows.map { "is_held(\(person($0)))" }.joined(separator: " AND ")
            try database.execute(
                """
                CREATE TEMP TRIGGER locked_\(table)_\(event) BEFORE \(event) ON main.\(table) WHEN NOT (\(held))
                BEGIN SELECT RAISE(ABORT, 'a row of \(table) is changed, and its person is not held'); END
                """)
        }
    }
}

/// Lives as long as the connection, and does not keep the store.
private final class Asked {
    weak var store: Store?
    init(_ store: Store) { self.store = store }
}
