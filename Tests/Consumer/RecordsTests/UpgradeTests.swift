import Daemon
import Records
import Storage
import TestSupport
import Testing
import Vault

@Suite("A store of an earlier version")
struct UpgradeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path(Store.file) }

    /// Something in each table, by the version that made the table.
    private static let rows: [[String]] = [
        [
            """
            INSERT INTO streams (number, id, gateway, sensor, user, secret_version, kinds, from_ms, until_ms, serial)
            VALUES (1, randomblob(16), 'home', 'strap', 'ada', 1, 7, 0, NULL, 5)
            """,
            "INSERT INTO sessions (number, stream, session, boot, sealed_key) VALUES (1, 1, randomblob(8), randomblob(16), x'0102')",
            "INSERT INTO ledger (session, seq, digest) VALUES (1, 1, randomblob(32))",
            """
            INSERT INTO blocks (number, stream, session, seq, type, kinds, first_hour, hours_more, sealed)
            VALUES (1, 1, 1, 1, 2, 1, 498681, 0, x'0304')
            """,
            "INSERT INTO records (session, record, block) VALUES (1, 1, 1)",
        ],
        ["INSERT INTO counts (stream, kind, number) VALUES (1, 1, 10), (1, 0, 1)"],
        [
            "INSERT INTO accounts (user, email, phone, password, created_ms) VALUES ('ada', randomblob(32), NULL, x'05', 6)",
            "INSERT INTO subjects (subject, user, provider) VALUES (randomblob(32), 'ada', 'example')",
            """
            INSERT INTO devices (device, user, credential, created_ms, secret_version, name)
            VALUES ('d1', 'ada', x'06', 7, 1, x'07')
            """,
            "INSERT INTO documents (user, name, secret_version, sealed) VALUES ('ada', 'profile', 1, x'08')",
            "INSERT INTO codes (id, purpose, subject, secret, expires_ms) VALUES ('c1', 'reset', 'ada', x'09', 8)",
            """
            INSERT INTO gateways (gateway, owner, identity, credential, claim_key, enrolled_ms)
            VALUES ('garden', 'ada', randomblob(32), x'0A', x'0B', 9)
            """,
            "INSERT INTO claims (gateway, sensor, user, kinds, claimed_ms) VALUES ('garden', 'pod', 'ada', 7, 10)",
            "INSERT INTO used_claim_codes (gateway, sensor, window, nonce) VALUES ('garden', 'pod', 11, 12)",
            "INSERT INTO nonces (nonce, expires_ms) VALUES (x'0C', 13)",
            "INSERT INTO forgotten (user, version, time_ms, account) VALUES ('bob', 2, 14, 1)",
            "INSERT INTO forgotten_streams (id, public_key) VALUES (randomblob(16), x'0D')",
        ],
        [
            "INSERT INTO ledger_runs (session, first_seq, digests) VALUES (1, 2, x'0E0E0E0E0E0E')",
            "INSERT INTO days (user, day, secret_version, sealed) VALUES ('ada', 20778, 1, x'0F')",
            "INSERT INTO heart_rate_hours (user, hour, secret_version, sealed) VALUES ('ada', 498681, 1, x'10')",
            "INSERT INTO heart_rate_days (user, day, secret_version, sealed) VALUES ('ada', 20778, 1, x'11')",
            "INSERT INTO heart_rate_months (user, month, secret_version, sealed) VALUES ('ada', 682, 1, x'12')",
            "INSERT INTO stale (user, first_hour, last_hour) VALUES ('ada', 15, 16)",
            "INSERT INTO notifications (id, user, secret_version, sealed) VALUES ('n1', 'ada', 1, x'13')",
            "INSERT INTO answered (digest, user, secret_version, sealed, expires_ms) VALUES (randomblob(32), 'ada', 1, x'14', 17)",
        ],
        [],
        ["INSERT INTO ended_gateways (gateway) VALUES ('attic')"],
    ]

    /// Every row of every table, by its columns of now, as text.
    private func contents(_ database: Database, columns: [String: [String]]) throws -> [String: [String]] {
        var contents: [String: [String]] = [:]
        for (table, names) in columns {
            let row = names.map { "quote(\($0))" }.joined(separator: " || ',' || ")
            contents[table] = try database.query("SELECT \(row) FROM \(table) ORDER BY 1", row: Row.text)
        }
        return contents
    }

    /// The same columns by their names of now.
    private func renamed(_ columns: [String: [String]]) -> [String: [String]] {
        let names = ["user": "person", "window": "slot"]
        return columns.mapValues { $0.map { names[$0] ?? $0 } }
    }

    private func columns(_ database: Database) throws -> [String: [String]] {
        var columns: [String: [String]] = [:]
        for table in try database.query("SELECT name FROM sqlite_schema WHERE type = 'table'", row: Row.text) {
            columns[table] = try database.query("SELECT name FROM pragma_table_info('\(table)')", row: Row.text)
        }
        return columns
    }

    @Test("is brought up to date with every row that it has", arguments: 1...6)
    func upgrade(version: Int) throws {
        let columns: [String: [String]]
        let before: [String: [String]]
        do {
            let old = try Database(path, .readWrite(.full), applicationID: Store.applicationID)
            try old.migrate(Array(Store.migrations.prefix(version)))
            // Files had no names then.
            try old.execute("DROP TABLE migrations")
            for sql in Self.rows.prefix(version).joined() { try old.execute(sql) }
            columns = try self.columns(old)
            before = try contents(old, columns: columns)
            let empty = before.filter { $0.value.isEmpty }.keys
            #expect(empty.isEmpty, "\(empty)")
        }
        let refusal = thrown(Failure.self) { try Store(folder: folder.path, readOnly: true) }
        #expect(refusal?.hint?.contains("start the service") == true)

        let store = try Store(folder: folder.path)
        #expect(try store.database.version == Store.migrations.count)
        try store.database.checkIntegrity()
        let after = try contents(store.database, columns: renamed(columns))
        for (table, rows) in before {
            // Migrations have hours computed again.
            let isWhole = table == "stale" ? Set(rows).isSubset(of: after[table] ?? []) : rows == after[table]
            #expect(isWhole, "\(table)")
        }
        let stream = try #require(try store.streams().first)
        #expect(stream.user == "ada" && stream.serial == 5 && stream.until == nil)
        _ = try Store(folder: folder.path, readOnly: true)
    }

    @Test("is not brought up to date beneath a service that runs on it, but by whoever has the folder")
    func beneath() throws {
        do {
            let old = try Database(path, .readWrite(.full), applicationID: Store.applicationID)
            try old.migrate(Array(Store.migrations.prefix(6)))
        }
        do {
            let service = try StateLock(folder: folder.path)
            let refusal = thrown(Failure.self) { try Store(folder: folder.path) }
            #expect(refusal?.exitCode == .temporary && refusal?.hint?.contains("restart the service") == true)
            let found = try Database(path, .readOnly, applicationID: Store.applicationID).version
            #expect(found == 6)
            withExtendedLifetime(service) {}
        }
        let state = try StateFolder(folder.path)
        try state.migrate()
        #expect(try Store(folder: folder.path).database.version == Store.migrations.count)
        withExtendedLifetime(state) {}
    }

    @Test("has the days of before counted again, from the first to the last of each person")
    func daysAgain() throws {
        do {
            let old = try Database(path, .readWrite(.full), applicationID: Store.applicationID)
            try old.migrate(Array(Store.migrations.prefix(9)))
            for (person, day) in [("ada", 20_000), ("ada", 20_400), ("eve", 19_000)] {
                try old.execute(
                    "INSERT INTO days (person, day, secret_version, sealed) VALUES ('\(person)', \(day), 1, x'00')")
            }
        }
        let marks = try Store(folder: folder.path).database.query(
            "SELECT person || ' ' || first_hour || ' ' || last_hour FROM stale ORDER BY person", row: Row.text)
        #expect(marks == ["ada \(20_000 * 24 - 26) \(20_400 * 24 + 50)", "eve \(19_000 * 24 - 26) \(19_000 * 24 + 50)"])
    }

    @Test("is none of a later version: that is refused, to read and to write")
    func later() throws {
        do {
            let database = try Store(folder: folder.path).database
            _ = try database.query("PRAGMA user_version = \(Store.migrations.count + 1)", row: Row.int)
        }
        for readOnly in [true, false] {
            let error = thrown(Failure.self) { try Store(folder: folder.path, readOnly: readOnly) }
            #expect(error?.exitCode == .configuration && error?.hint?.contains("install at least") == true)
        }
    }

    @Test("comes by its steps to the same tables as a new one is made with")
    func sameTables() throws {
        do {
            let old = try Database(path, .readWrite(.full), applicationID: Store.applicationID)
            try old.migrate(Store.migrations)
        }
        let new = try TemporaryFolder()
        _ = try Store(folder: new.path)
        let (stepped, made) = (try description(of: path), try description(of: new.path(Store.file)))
        #expect(stepped.count > 200)
        #expect(stepped == made, "\(Set(stepped).symmetricDifference(made))")
        // A new file has the id of a store, and a different one each time.
        let other = try TemporaryFolder()
        #expect(try Store(folder: new.path).id == Store(folder: new.path).id)
        #expect(try Store(folder: new.path).id != Store(folder: other.path).id)
    }

    /// All that SQLite knows of a file's tables, except for the order of columns that were added later.
    private func description(of path: String) throws -> [String] {
        let database = try Database(path, .readOnly, applicationID: Store.applicationID)
        func lines(_ sql: String) throws -> [String] {
            try database.query(sql) { row throws(VaultError) in try row.text(0) }
        }
        let tables = try lines(
            "SELECT name || ' ' || type || ' ' || wr || ' ' || strict FROM pragma_table_list WHERE schema = 'main'")
        let columns = try lines(
            """
            SELECT t.name || ' ' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || ifnull(c.dflt_value, '-') || ' ' || c.pk
            FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'
            """)
        let keys = try lines(
            """
            SELECT t.name || ' ' || f."from" || ' ' || f."table"
            FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f WHERE t.type = 'table'
            """)
        let indexes = try lines(
            """
            SELECT t.name || ' ' || CASE i.origin WHEN 'c' THEN i.name ELSE '' END || ' ' || i."unique" || ' ' || i.origin || ' ' || i.partial || ' ' ||
                (SELECT group_concat(x.name) FROM pragma_index_info(i.name) AS x)
            FROM sqlite_schema AS t, pragma_index_list(t.name) AS i WHERE t.type = 'table'
            """)
        let conditions = try lines(
            "SELECT name || substr(sql, instr(sql, ' WHERE ')) FROM sqlite_schema WHERE type = 'index' AND sql LIKE '% WHERE %'"
        )
        let checks = try lines("SELECT name || ' ' || sql FROM sqlite_schema WHERE type = 'table'").flatMap { text in
            text.split(separator: "CHECK (").dropFirst().map { check in
                "\(text.prefix { $0 != " " }) \(check.prefix { $0 != ")" })"
            }
        }
        return (tables + columns + keys + indexes + conditions + checks).sorted()
    }
}
