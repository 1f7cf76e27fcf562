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
        try database.answer("is_held") { [weak self] name in
            guard let self, database.isInTransaction,
                let person = decoded({ () throws(MalformedValue) in try ID(name) })
            else { return true }
            return isHeld(person)
        }
        // Whose a row is, by the first of these columns that its table has.
        let owners = [
            "person": "$.person", "owner": "$.owner",
            "stream": "(SELECT person FROM streams WHERE number = $.stream)",
            "session": """
            (SELECT person FROM streams WHERE number = (SELECT stream FROM sessions WHERE number = $.session))
            """,
        ]
        for (table, columns) in try tables() where table != "people" && table != "forgotten" {
            let column = ["person", "owner", "stream", "session"].first(where: columns.contains)
            if let owner = column.flatMap({ owners[$0] }) { try insist(table, owner) }
        }
    }

    private func tables() throws -> [String: Set<String>] {
        var tables: [String: Set<String>] = [:]
        try database.forEach(
            """
            SELECT t.name AS name, c.name AS column_name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
            WHERE t.type = 'table'
            """
        ) { row throws(VaultError) in tables[try row.text("name"), default: []].insert(try row.text("column_name")) }
        return tables
    }

    private func insist(_ table: String, _ owner: String) throws {
        for (event, rows) in [("INSERT", ["NEW"]), ("UPDATE", ["OLD", "NEW"]), ("DELETE", ["OLD"])] {
            // What is over for everybody, anybody may remove.
            if event == "DELETE", table == "answered" { continue }
            let held = rows.map { "is_held(\(owner.replacing("$", with: $0)))" }.joined(separator: " AND ")
            try database.execute(
                """
                CREATE TEMP TRIGGER locked_\(table)_\(event) BEFORE \(event) ON main.\(table) WHEN NOT (\(held))
                BEGIN SELECT RAISE(ABORT, 'a row of \(table) is changed, and its person is not held'); END
                """)
        }
    }
}
