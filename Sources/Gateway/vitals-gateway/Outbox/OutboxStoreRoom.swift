import Storage
import Telemetry

// What is removed from `outbox.db`: blocks that were acknowledged long ago and, if space is short, others.

extension OutboxStore {
    /// What was removed without an acknowledgement.
    struct Removed {
        let id: Int64
        let identity: BlockIdentity
        let extent: Extent
        /// A gap block: what it reports was counted when it was made.
        let isGap: Bool
    }

    /// Bytes that are in use, without free pages: what the limit applies to. The file itself never shrinks.
    func bytesInUse() throws(VaultError) -> Int { try database.bytesInUse() }

    /// About how much a block costs in tables and indexes, in addition to its bytes.
    private static let rowSize: Int64 = 150

    /// Bytes that are in use and must not be given up yet. If nothing is left that may go, this is exactly what is
    /// in use. Otherwise it is in use by blocks of both sorts, and each sort counts by its share of the bytes: SQLite
    /// does not say how it spreads rows over pages.
    func bytesToKeep() throws(VaultError) -> Int {
        let all = try bytesInUse()
        let spent = try counter("spent_bytes") + counter("spent") * Self.rowSize
        guard spent > 0 else { return all }
        let waiting = try counter("waiting_bytes") + counter("waiting") * Self.rowSize
        return Int(Double(all) * (Double(waiting) / Double(waiting + spent)))
    }

    /// Pages of the file that can be used again.
    func freePages() throws(VaultError) -> Int { try database.freePages() }

    /// Removes acknowledged blocks after a while. Returns how many were removed.
    func removeAcknowledged(before wall: Int64) throws(VaultError) -> Int {
        try database.execute("DELETE FROM blocks WHERE state = 1 AND changed < ? AND sequence > 0", [.integer(wall)])
    }

    /// The blocks that were acknowledged first, or else those that were refused first.
    func removeSpent(atMost limit: Int) throws(VaultError) -> Int {
        for state in [1, 2] {
            let count = try database.execute(
                """
                DELETE FROM blocks WHERE id IN
                    (SELECT id FROM blocks WHERE state = \(state) AND sequence > 0 ORDER BY changed LIMIT ?)
                """, [.integer(limit)])
            if count > 0 { return count }
        }
        return 0
    }

    /// Removes key blocks that neither the outbox nor an open session needs any more.
    func removeUnneededKeys(before wall: Int64, excluding open: [SessionID]) throws(VaultError) -> Int {
        let others = repeatElement("?", count: open.count).joined(separator: ", ")
        var values: [Value] = [.integer(wall)]
        for session in open { values.append(.blob(session.bytes)) }
        return try database.execute(
            """
            DELETE FROM blocks WHERE sequence = 0 AND changed < ? AND session NOT IN (\(others))
                AND NOT EXISTS (SELECT 1 FROM blocks AS other WHERE other.stream = blocks.stream
                    AND other.session = blocks.session AND other.sequence > 0)
                AND NOT EXISTS (SELECT 1 FROM blocks AS loose WHERE loose.stream = blocks.stream
                    AND loose.records_of = blocks.session)
                AND NOT EXISTS (SELECT 1 FROM journal WHERE journal.session = blocks.session)
            """, values)
    }

    /// The oldest blocks with readings that wait for an acknowledgement, gap blocks among them or not.
    func oldestWaiting(withGaps: Bool, atMost limit: Int) throws(VaultError) -> [Removed] {
        try database.query(
            """
            SELECT id, stream, session, sequence, bytes, readings, first, last, substr(bytes, 3, 1) = x'05' FROM blocks
            WHERE state = 0 AND readings > 0 AND (? OR substr(bytes, 3, 1) <> x'05') ORDER BY id LIMIT ?
            """, [.integer(withGaps ? 1 : 0), .integer(limit)]
        ) { row throws(VaultError) in
            Removed(
                id: try row.int(0), identity: try Self.block(row).identity,
                extent: Extent(count: Int(try row.int(5)), first: try row.int(6), last: try row.int(7)),
                isGap: try row.int(8) == 1)
        }
    }

    func remove(_ blocks: [Removed]) throws(VaultError) {
        try database.withStatement("DELETE FROM blocks WHERE id = ?") { statement throws(VaultError) in
            for block in blocks { try statement.run([.integer(block.id)]) }
        }
    }

    // MARK: Counters

    /// How many readings were dropped, ever.
    func dropped() throws(VaultError) -> Int { Int(try counter("dropped")) }

    func addDropped(_ count: Int) throws(VaultError) {
        try database.execute("UPDATE counters SET value = value + ? WHERE name = 'dropped'", [.integer(count)])
    }

    /// The last record of the journal in memory that was written down here, or dropped; 0 if there was none.
    func lastFromMemory() throws(VaultError) -> UInt64 { UInt64(clamping: try counter("ram")) }

    func noteFromMemory(through id: UInt64) throws(VaultError) {
        // Not by a migration: whoever goes back to an earlier version can still open the database.
        try database.execute(
            "INSERT OR REPLACE INTO counters (name, value) VALUES ('ram', ?)", [.integer(Int64(clamping: id))])
    }

    // MARK: The clock of this boot

    /// By how much the boot's wall clock is ahead of the monotonic one; nil if nothing is known of this boot.
    func clockOffset(of boot: [UInt8]) throws(VaultError) -> Int64? {
        try database.first("SELECT offset FROM clock WHERE boot = ?", [.blob(boot)], row: Row.int)
    }

    /// A new boot: nobody will ever know more about the clock of the one before.
    func beginBoot(_ boot: [UInt8], offset: Int64) throws(VaultError) {
        try database.execute("DELETE FROM clock")
        try database.execute("DELETE FROM boot_streams")
        try database.execute("INSERT INTO clock (boot, offset) VALUES (?, ?)", [.blob(boot), .integer(offset)])
    }

    func moveClock(by correction: Int64) throws(VaultError) {
        try database.execute("UPDATE clock SET offset = offset + ?", [.integer(correction)])
    }

    /// The streams that have readings of this boot.
    func bootStreams() throws(VaultError) -> [StreamID] {
        let streams = try database.query("SELECT stream FROM boot_streams", row: Row.blob)
        return streams.compactMap { try? StreamID(bytes: $0) }
    }

    func noteBootStream(_ stream: StreamID) throws(VaultError) {
        try database.execute("INSERT OR IGNORE INTO boot_streams (stream) VALUES (?)", [.blob(stream.bytes)])
    }

    func counter(_ name: String) throws(VaultError) -> Int64 {
        try database.first("SELECT value FROM counters WHERE name = ?", [.text(name)], row: Row.int) ?? 0
    }
}
