package import Compression
package import Daemon
package import Files
import Glibc
import ProgramSettings
package import Storage
package import Telemetry

/// The consumer's database. Belongs to one thread at a time.
package final class Store {
    /// Drawn when the database was made; gateways know the store by it.
    package let id: StoreID
    package let database: Database
    /// Compresses packed readings: it stays here as long as packing is an extension of the store.
    package let zstandard = Zstandard(level: 9)
    var epochs = Epochs()

    /// Its name in the state folder.
    package static let file = "vitals.db"

    /// Opens `vitals.db` in `folder`: to write, making it where there is none; or to read beside a service.
    /// - Parameter features: the features' own part of the schema.
    package convenience init(
        folder: String, readOnly: Bool = false, adding features: Schema = Schema()
    ) throws(Failure) {
        try self.init(Self.connection(folder: folder, readOnly: readOnly, adding: features))
    }

    /// The store of a connection that `connection` has made.
    package init(_ database: Database) throws(Failure) {
        id = try Failure.explaining { () throws(VaultError) in
            StoreID(stored: try database.first("SELECT id FROM store", row: Row.blob) ?? [])
        }
        self.database = database
    }

    /// A connection to `vitals.db` whose schema is the one that this program knows.
    package static func connection(
        folder: String, readOnly: Bool, adding features: Schema
    ) throws(Failure) -> Database {
        let schema = Self.schema + features
        let path = "\(folder)/\(Self.file)"
        if readOnly, access(path, F_OK) != 0 {
            throw Failure(
                .configuration, "there is no database yet: \(path) does not exist",
                hint: "start the service first; check \"state\" in the settings")
        }
        let database = try Failure.explaining { () throws(VaultError) in
            try Database(
                path, readOnly ? .readOnly : .readWrite(.full), applicationID: applicationID,
                // Not all rows are sealed: keyed hashes of names must not be left in free pages when their account is
                // gone.
                secureDelete: true)
        }
        if !readOnly { try StateFolder.migrate(database, schema) { () throws(VaultError) in try fill(database) } }
        let refusal = try Failure.explaining { () throws(VaultError) -> Failure? in
            guard try database.schemaAge(schema.steps) != .current else { return nil }
            return try Failure(olderOrNewer: database, knows: schema.steps)
        }
        if let refusal { throw refusal }
        return database
    }
}

// MARK: Streams

/// A row of `streams`.
package struct StoredStream: Equatable {
    package let number: Int64
    package let id: StreamID
    package let gateway: String
    package let sensor: String
    package let user: String
    package let secretVersion: Int64
    package let kinds: Grant.Kinds
    /// Unix milliseconds.
    package let from: Int64
    /// Unix milliseconds; nil while the stream is open.
    package let until: Int64?
    package let serial: Int64

    /// Whose readings it has; nil once its person was forgotten.
    package let owner: ID?

    /// The view of its person; see PeopleLock.swift.
    package func view(in store: Store) -> UInt64 { owner.map(store.view) ?? 0 }

    /// How much later than its end a stream's readings may be: clocks differ.
    package static let tolerance: Int64 = 60_000

    fileprivate static let columns =
        "number, id, gateway, sensor, person, secret_version, kinds, from_ms, until_ms, serial"

    fileprivate init(_ row: borrowing Row) throws(VaultError) {
        number = try row.int("number")
        id = StreamID(stored: try row.blob("id"))
        gateway = try row.text("gateway")
        sensor = try row.text("sensor")
        let user = try row.text("person")
        self.user = user
        owner = decoded { () throws(MalformedValue) in try ID(user) }
        secretVersion = try row.int("secret_version")
        kinds = Grant.Kinds(rawValue: UInt8(truncatingIfNeeded: try row.int("kinds")))
        from = try row.int("from_ms")
        until = try row.intIfPresent("until_ms")
        serial = try row.int("serial")
    }
}

extension Store {
    package func stream(_ id: StreamID) throws(VaultError) -> StoredStream? {
        try database.first(
            "SELECT \(StoredStream.columns) FROM streams WHERE id = ?", [.blob(id.bytes)], row: StoredStream.init)
    }

    package func streams() throws(VaultError) -> [StoredStream] {
        try database.query("SELECT \(StoredStream.columns) FROM streams ORDER BY number", row: StoredStream.init)
    }

    package func stream(number: Int64) throws(VaultError) -> StoredStream? {
        try database.first(
            "SELECT \(StoredStream.columns) FROM streams WHERE number = ?", [.integer(number)], row: StoredStream.init)
    }

    package func streams(of user: ID) throws(VaultError) -> [StoredStream] {
        try database.query(
            "SELECT \(StoredStream.columns) FROM streams WHERE person = ? ORDER BY number", [.text(user.text)],
            row: StoredStream.init)
    }

    /// The latest stream of each of some sensors, or of every sensor that ever had one.
    package func latestStreams(of some: Set<SensorName>?) throws(VaultError) -> [StoredStream] {
        guard let some else { return try latestStreams() }
        let sql = """
            SELECT \(StoredStream.columns) FROM streams WHERE gateway = ? AND sensor = ? ORDER BY serial DESC LIMIT 1
            """
        var streams: [StoredStream] = []
        for sensor in some {
            let stream = try database.first(
                sql, [.text(sensor.gateway.text), .text(sensor.sensor.text)], row: StoredStream.init)
            if let stream { streams.append(stream) }
        }
        return streams.sorted { $0.number < $1.number }
    }

    /// The latest stream of each sensor that ever had one.
    package func latestStreams() throws(VaultError) -> [StoredStream] {
        let sql = """
            SELECT \(StoredStream.columns) FROM streams AS one WHERE serial =
                (SELECT max(serial) FROM streams WHERE gateway = one.gateway AND sensor = one.sensor)
            ORDER BY number
            """
        return try database.query(sql, row: StoredStream.init)
    }

    /// The times (Unix milliseconds) after this stream's end in which its readings may be another person's: from when
    /// the other person had the sensor until this person had it again. At other times, what a gateway seals before it
    /// has heard of the end still belongs to this person.
    ///
    /// Another person's stream that seems to begin before this one's end does so because the clock was set back.
    package func foreignTimes(of stream: StoredStream) throws(VaultError) -> [Range<Int64>] {
        guard let until = stream.until else { return [] }
        let sql = """
            SELECT other.from_ms AS other_from, (
                SELECT min(own.from_ms) FROM streams AS own
                WHERE own.gateway = ?1 AND own.sensor = ?2 AND own.person = ?3 AND own.from_ms >= other.until_ms
            ) AS own_from
            FROM streams AS other
            WHERE gateway = ?1 AND sensor = ?2 AND person <> ?3 AND (until_ms IS NULL OR until_ms > ?4)
            """
        return try database.query(
            sql, [.text(stream.gateway), .text(stream.sensor), .text(stream.user), .integer(until)]
        ) { row throws(VaultError) in
            let begin = try max(row.int("other_from"), until) + StoredStream.tolerance + 1
            return begin..<max(begin, try row.intIfPresent("own_from") ?? .max)
        }
    }
}

// MARK: Sessions and the ledger

/// A row of `sessions`.
package struct StoredSession {
    package let number: Int64
    package let session: SessionID
    package let boot: BootID
    /// The session key under the person's row key.
    package let sealedKey: [UInt8]

    package init(_ row: borrowing Row) throws(VaultError) {
        number = try row.int("number")
        session = SessionID(stored: try row.blob("session"))
        boot = BootID(stored: try row.blob("boot"))
        sealedKey = try row.blob("sealed_key")
    }
}

extension Store {
    package func session(_ session: SessionID, of stream: StoredStream) throws(VaultError) -> StoredSession? {
        try database.first(
            "SELECT number, session, boot, sealed_key FROM sessions WHERE stream = ? AND session = ?",
            [.integer(stream.number), .blob(session.bytes)], row: StoredSession.init)
    }

    package func session(number: Int64) throws(VaultError) -> StoredSession? {
        try database.first(
            "SELECT number, session, boot, sealed_key FROM sessions WHERE number = ?", [.integer(number)],
            row: StoredSession.init)
    }

    /// - Returns: the session's number.
    package func add(
        _ session: SessionID, of stream: StoredStream, boot: BootID, sealedKey: [UInt8]
    ) throws(VaultError) -> Int64 {
        try database.first(
            """
            INSERT INTO sessions (stream, session, boot, sealed_key, after_block)
            VALUES (?, ?, ?, ?, (SELECT coalesce(max(number), 0) FROM blocks)) RETURNING number
            """,
            [.integer(stream.number), .blob(session.bytes), .blob(boot.bytes), .blob(sealedKey)], row: Row.int) ?? 0
    }

    /// The digest of the block that was accepted under this number; nil if none was.
    package func digest(_ session: Int64, _ sequence: UInt64) throws(VaultError) -> [UInt8]? {
        try database.first(
            "SELECT digest FROM ledger WHERE session = ? AND seq = ?", [.integer(session), .number(sequence)],
            row: Row.blob)
    }

    package func enter(_ session: Int64, _ sequence: UInt64, digest: [UInt8]) throws(VaultError) {
        try database.execute(
            "INSERT INTO ledger (session, seq, digest) VALUES (?, ?, ?)",
            [.integer(session), .number(sequence), .blob(digest)])
    }
}
