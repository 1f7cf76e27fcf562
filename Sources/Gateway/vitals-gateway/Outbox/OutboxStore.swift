import Storage
import Telemetry

/// `outbox.db`: grants, the journal of readings that are in no block yet, and blocks until they are acknowledged, and
/// for a while after. Everything personal in it is sealed. Belongs to the outbox's thread.
struct OutboxStore {
    /// A block as it is stored here.
    struct Block {
        /// Rises in the order in which blocks were made.
        let id: Int64
        let identity: BlockIdentity
        let bytes: [UInt8]
    }

    /// A grant as the consumer signed it.
    struct StoredGrant {
        let sensor: String
        let message: [UInt8]
    }

    /// What a block holds, so that a gap block can report it when the block has to be removed.
    struct Contents {
        /// Nil if it holds no readings.
        var extent: Extent?
        /// A loose block has records of another session: it needs that session's key block.
        var recordsOf: SessionID?
    }

    /// What waits for an acknowledgement.
    struct Backlog {
        var blocks = 0
        var bytes = 0
        var oldest: Int64?  // Unix milliseconds
    }

    /// "VitO"
    private static let applicationID: Int32 = 0x5669_744F

    private static let migrations: [Migration] = [
        Migration(
            "outbox/1", number: 1,
            """
            -- Every grant by which something was sealed. The one with the greatest serial of a sensor is in force.
            CREATE TABLE grants (
                stream  BLOB PRIMARY KEY,
                sensor  TEXT NOT NULL,
                serial  INTEGER NOT NULL,
                message BLOB NOT NULL
            ) WITHOUT ROWID;

            -- Readings, each sealed under its session's journal key, which is in memory only.
            CREATE TABLE journal (
                id      INTEGER PRIMARY KEY,
                stream  BLOB NOT NULL,
                session BLOB NOT NULL,
                number  INTEGER NOT NULL,
                sealed  BLOB NOT NULL
            );

            -- state: 0 waits for an acknowledgement, 1 acknowledged, 2 refused. changed: Unix milliseconds of the last change.
            CREATE TABLE blocks (
                id       INTEGER PRIMARY KEY AUTOINCREMENT,
                stream   BLOB NOT NULL,
                session  BLOB NOT NULL,
                sequence INTEGER NOT NULL,
                bytes    BLOB NOT NULL,
                state    INTEGER NOT NULL DEFAULT 0,
                changed  INTEGER NOT NULL,
                UNIQUE (stream, session, sequence)
            );
            CREATE INDEX blocks_waiting ON blocks (id) WHERE state = 0;
            """),
        Migration(
            "outbox/2", number: 2,
            """
            -- What a gap block has to tell of a block that must go: how many readings it holds, from when until when (Unix
            -- seconds). records_of: the session whose records a loose block has, and whose key block it needs.
            ALTER TABLE blocks ADD COLUMN readings INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE blocks ADD COLUMN first INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE blocks ADD COLUMN last INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE blocks ADD COLUMN records_of BLOB;
            ALTER TABLE blocks ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
            -- Nobody knows any more how many readings are in an earlier block: it has at least one.
            UPDATE blocks SET size = length(bytes), first = changed / 1000, last = changed / 1000,
                readings = substr(bytes, 3, 1) IN (x'02', x'03');
            ALTER TABLE journal ADD COLUMN second INTEGER NOT NULL DEFAULT 0;

            CREATE INDEX blocks_acknowledged ON blocks (changed) WHERE state = 1;
            CREATE INDEX blocks_dead ON blocks (changed) WHERE state = 2;
            CREATE INDEX blocks_keys ON blocks (changed) WHERE sequence = 0;
            CREATE INDEX blocks_loose ON blocks (stream, records_of) WHERE records_of IS NOT NULL;

            -- Readings that were dropped, ever; blocks that wait for an acknowledgement, and their bytes.
            CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
            INSERT INTO counters SELECT 'dropped', 0;
            INSERT INTO counters SELECT 'waiting', count(*) FROM blocks WHERE state = 0;
            INSERT INTO counters SELECT 'waiting_bytes', coalesce(sum(size), 0) FROM blocks WHERE state = 0;
            CREATE TRIGGER blocks_added AFTER INSERT ON blocks WHEN new.state = 0 BEGIN
                UPDATE counters SET value = value + 1 WHERE name = 'waiting';
                UPDATE counters SET value = value + new.size WHERE name = 'waiting_bytes';
            END;
            CREATE TRIGGER blocks_changed AFTER UPDATE OF state ON blocks WHEN (old.state = 0) <> (new.state = 0) BEGIN
                UPDATE counters SET value = value + iif(new.state = 0, 1, -1) WHERE name = 'waiting';
                UPDATE counters SET value = value + iif(new.state = 0, 1, -1) * new.size WHERE name = 'waiting_bytes';
            END;
            CREATE TRIGGER blocks_removed AFTER DELETE ON blocks WHEN old.state = 0 BEGIN
                UPDATE counters SET value = value - 1 WHERE name = 'waiting';
                UPDATE counters SET value = value - old.size WHERE name = 'waiting_bytes';
            END;

            -- The boot, by how much its wall clock is ahead of the monotonic one (ms), and the streams with readings of it.
            CREATE TABLE clock (boot BLOB NOT NULL, offset INTEGER NOT NULL);
            CREATE TABLE boot_streams (stream BLOB PRIMARY KEY) WITHOUT ROWID;
            """),
        Migration(
            "outbox/3", number: 3,
            """
            -- Blocks that go before any reading is dropped, acknowledged or refused, key blocks left out; and their bytes.
            INSERT INTO counters SELECT 'spent', count(*) FROM blocks WHERE state <> 0 AND sequence > 0;
            INSERT INTO counters SELECT 'spent_bytes', coalesce(sum(size), 0) FROM blocks WHERE state <> 0 AND sequence > 0;
            CREATE TRIGGER blocks_spent AFTER UPDATE OF state ON blocks
            WHEN (old.state = 0) <> (new.state = 0) AND new.sequence > 0 BEGIN
                UPDATE counters SET value = value + iif(new.state = 0, -1, 1) WHERE name = 'spent';
                UPDATE counters SET value = value + iif(new.state = 0, -1, 1) * new.size WHERE name = 'spent_bytes';
            END;
            CREATE TRIGGER blocks_spent_removed AFTER DELETE ON blocks WHEN old.state <> 0 AND old.sequence > 0 BEGIN
                UPDATE counters SET value = value - 1 WHERE name = 'spent';
                UPDATE counters SET value = value - old.size WHERE name = 'spent_bytes';
            END;
            """),
    ]

    /// Small pages: each commit writes whole pages, and a reading needs little of one. An SD card wears less.
    private static let pageSize = 1024

    /// Its name in the state folder.
    static let file = "outbox.db"

    let database: Database

    var path: String { database.path }

    init(in folder: String) throws(VaultError) {
        database = try Database(
            "\(folder)/\(Self.file)", .readWrite(.normal), applicationID: Self.applicationID, pageSize: Self.pageSize)
        try database.migrate(Self.migrations)
    }

    /// For the thread that flushes.
    func anotherConnection() throws(VaultError) -> Database {
        try Database(path, .readWrite(.normal), applicationID: Self.applicationID)
    }

    /// One transaction that survives a killed process.
    func commit<Result>(_ body: () throws(VaultError) -> Result) throws(VaultError) -> Result {
        try database.transaction(body)
    }

    /// One transaction which, with everything before it, is on the disk when this returns.
    func durably<Result>(_ body: () throws(VaultError) -> Result) throws(VaultError) -> Result {
        try database.durably(body)
    }

    // MARK: Grants

    func grants() throws(VaultError) -> [StoredGrant] {
        try database.query("SELECT sensor, message FROM grants ORDER BY serial") { row throws(VaultError) in
            StoredGrant(sensor: try row.text(0), message: try row.blob(1))
        }
    }

    /// The grant of a stream, as the consumer signed it; nil if there is none.
    func grant(of stream: StreamID) throws(VaultError) -> [UInt8]? {
        try database.first("SELECT message FROM grants WHERE stream = ?", [.blob(stream.bytes)], row: Row.blob)
    }

    func keep(_ grant: Grant, _ message: [UInt8]) throws(VaultError) {
        try database.execute(
            "INSERT OR REPLACE INTO grants (stream, sensor, serial, message) VALUES (?, ?, ?, ?)",
            [
                .blob(grant.stream.bytes), .text(grant.sensor.text), .integer(Int64(bitPattern: grant.serial)),
                .blob(message),
            ])
    }

    // MARK: Journal

    /// Returns the row's id.
    func append(
        _ sealed: [UInt8], number: UInt64, second: Int64, stream: StreamID, session: SessionID
    ) throws(VaultError) -> Int64 {
        try database.execute(
            "INSERT INTO journal (stream, session, number, sealed, second) VALUES (?, ?, ?, ?, ?)",
            [
                .blob(stream.bytes), .blob(session.bytes), .integer(Int64(bitPattern: number)), .blob(sealed),
                .integer(second),
            ])
        return database.lastInsertedRow
    }

    func removeFromJournal(_ ids: [Int64]) throws(VaultError) {
        // The rows of one sensor follow one another, unless others came in between.
        try database.withStatement("DELETE FROM journal WHERE id BETWEEN ? AND ?") { statement throws(VaultError) in
            var rest = ids[...]
            while let first = rest.first {
                let count = zip(rest, first...).prefix { $0 == $1 }.count
                try statement.run([.integer(first), .integer(first + Int64(count - 1))])
                rest = rest.dropFirst(count)
            }
        }
    }

    /// The sessions that have rows in the journal, the one with the oldest row first.
    func journalSessions() throws(VaultError) -> [(stream: [UInt8], session: [UInt8])] {
        try database.query(
            "SELECT stream, session FROM journal GROUP BY stream, session ORDER BY min(id)"
        ) { row throws(VaultError) in (stream: try row.blob(0), session: try row.blob(1)) }
    }

    /// The oldest rows of a session, as a loose block takes them.
    func leftovers(
        stream: [UInt8], session: [UInt8], atMost limit: Int
    ) throws(VaultError) -> [(id: Int64, second: Int64, record: LooseBody.Record)] {
        try database.query(
            "SELECT id, second, number, sealed FROM journal WHERE stream = ? AND session = ? ORDER BY id LIMIT ?",
            [.blob(stream), .blob(session), .integer(limit)]
        ) { row throws(VaultError) in
            (
                id: try row.int(0), second: try row.int(1),
                record: LooseBody.Record(number: UInt64(bitPattern: try row.int(2)), sealed: try row.blob(3))
            )
        }
    }

    func journalCount() throws(VaultError) -> Int {
        Int(try database.first("SELECT count(*) FROM journal") { row throws(VaultError) in try row.int(0) } ?? 0)
    }

    // MARK: Blocks

    func add(
        _ identity: BlockIdentity, _ bytes: [UInt8], _ contents: Contents = Contents(), at wall: Int64
    ) throws(VaultError) {
        let extent = contents.extent ?? Extent(count: 0, first: 0, last: 0)
        var values = Self.key(identity)
        values.append(.blob(bytes))
        values.append(.integer(wall))
        values.append(.integer(extent.count))
        values.append(.integer(extent.first))
        values.append(.integer(extent.last))
        values.append(contents.recordsOf.map { .blob($0.bytes) } ?? .null)
        values.append(.integer(bytes.count))
        try database.execute(
            """
            INSERT INTO blocks (stream, session, sequence, bytes, changed, readings, first, last, records_of, size)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, values)
    }

    /// Blocks that wait for an acknowledgement, made after the one with this id, of other streams than these.
    func waiting(
        after id: Int64, through last: Int64, excluding streams: [StreamID] = [], atMost limit: Int
    ) throws(VaultError) -> [Block] {
        guard limit > 0, id < last else { return [] }
        let others = repeatElement("?", count: streams.count).joined(separator: ", ")
        var values: [Value] = [.integer(id), .integer(last)]
        for stream in streams { values.append(.blob(stream.bytes)) }
        values.append(.integer(limit))
        return try database.query(
            """
            SELECT id, stream, session, sequence, bytes FROM blocks
            WHERE state = 0 AND id > ? AND id <= ? AND stream NOT IN (\(others)) ORDER BY id LIMIT ?
            """, values, row: Self.block)
    }

    /// A block whatever its state; nil if there is none.
    func block(_ identity: BlockIdentity) throws(VaultError) -> Block? {
        try database.first(
            "SELECT id, stream, session, sequence, bytes FROM blocks WHERE stream = ? AND session = ? AND sequence = ?",
            Self.key(identity), row: Self.block)
    }

    func lastBlock() throws(VaultError) -> Int64 {
        try database.first("SELECT coalesce(max(id), 0) FROM blocks") { row throws(VaultError) in try row.int(0) } ?? 0
    }

    func acknowledge(_ identity: BlockIdentity, at wall: Int64) throws(VaultError) {
        try change(identity, from: 0, to: 1, at: wall)
    }

    /// The consumer will never accept it: a dead letter, kept for a person to look at.
    func bury(_ identity: BlockIdentity, at wall: Int64) throws(VaultError) {
        try change(identity, from: 0, to: 2, at: wall)
    }

    /// A consumer that was restored from a backup wants everything again.
    func forgetAcknowledgements(at wall: Int64) throws(VaultError) {
        try database.execute("UPDATE blocks SET state = 0, changed = ? WHERE state = 1", [.integer(wall)])
    }

    func backlog() throws(VaultError) -> Backlog {
        Backlog(
            blocks: Int(try counter("waiting")), bytes: Int(try counter("waiting_bytes")),
            oldest: try database.first("SELECT changed FROM blocks WHERE state = 0 ORDER BY id LIMIT 1", row: Row.int))
    }

    func deadCount() throws(VaultError) -> Int {
        Int(
            try database.first("SELECT count(*) FROM blocks WHERE state = 2") { row throws(VaultError) in
                try row.int(0)
            } ?? 0)
    }

    private func change(_ identity: BlockIdentity, from old: Int, to new: Int, at wall: Int64) throws(VaultError) {
        try database.execute(
            "UPDATE blocks SET state = ?, changed = ? WHERE stream = ? AND session = ? AND sequence = ? AND state = ?",
            [.integer(new), .integer(wall)] + Self.key(identity) + [.integer(old)])
    }

    static func key(_ identity: BlockIdentity) -> [Value] {
        [
            .blob(identity.stream.bytes), .blob(identity.session.bytes),
            .integer(Int64(bitPattern: identity.sequence)),
        ]
    }

    static func block(_ row: borrowing Row) throws(VaultError) -> Block {
        let bytes = try row.blob(4)
        // A block begins with its own identity: what the columns say is only for looking it up.
        guard let header = try? BlockHeader(startOf: bytes) else {
            let identity = BlockIdentity(stream: StreamID(high: 0, low: 0), session: SessionID(0), sequence: 0)
            return Block(id: try row.int(0), identity: identity, bytes: [])
        }
        return Block(id: try row.int(0), identity: header.identity, bytes: bytes)
    }
}
