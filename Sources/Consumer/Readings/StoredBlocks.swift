package import Records
package import Storage
package import Telemetry

// The tables `blocks` and `records` of the store.

/// A row of `blocks`.
package struct StoredBlock {
    package let number: Int64
    /// Number of the session's row.
    package let session: Int64
    package let sequence: UInt64
    let form: Form
    /// The hour of its first reading, as the gateway's clock had it.
    let firstHour: Int64
    /// How many hours further its last reading lies.
    let hoursMore: Int64
    /// Ciphertext and tag; for a packed block also its nonce.
    package let sealed: [UInt8]

    enum Form: Equatable {
        /// As it came, without its header.
        case came(BlockHeader.Kind)
        /// A group of packed readings: see PackedReadings.swift.
        case packed(group: Int64)
    }

    /// Whether it is a loose block.
    package var isLoose: Bool { form == .came(.loose) }

    fileprivate init(_ row: borrowing Row) throws(VaultError) {
        number = try row.int("number")
        session = try row.int("session")
        sequence = UInt64(bitPattern: try row.int("seq"))
        let (seq, type) = (try row.int("seq"), try row.int("type"))
        form =
            type == PackedGroup.type
            ? .packed(group: seq)
            // A block of any other type has no readings, and nobody asks for it.
            : .came(BlockHeader.Kind(rawValue: UInt8(truncatingIfNeeded: type)) ?? .gap)
        firstHour = try row.int("first_hour")
        hoursMore = try row.int("hours_more")
        sealed = try row.blob("sealed")
    }

    fileprivate static let columns = "number, session, seq, type, first_hour, hours_more, sealed"
}

extension Store {
    /// Keeps a block as it came, without its header.
    /// - Returns: the block's number.
    package func add(
        _ header: BlockHeader, sealed: [UInt8], stream: StoredStream, session: Int64, kinds: Grant.Kinds,
        hours: HourSpan
    ) throws(VaultError) -> Int64 {
        let sql = """
            INSERT INTO blocks (stream, session, seq, type, kinds, first_hour, hours_more, sealed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING number
            """
        return try database.first(
            sql,
            [
                .integer(stream.number), .integer(session), .number(header.identity.sequence),
                .integer(Int64(header.kind.rawValue)), .integer(Int64(kinds.rawValue)), .integer(hours.first),
                .integer(hours.last - hours.first), .blob(sealed),
            ], row: Row.int) ?? 0
    }

    /// The next blocks of a stream whose kinds and hours may fit, in the order of their first hours, after `last`: at
    /// most `limit`. Of several spans of hours, the earlier ones come first, and `last` is kept: a long block may fit several.
    package func blocks(
        of stream: Int64, kinds: Grant.Kinds, hours: HourSpan, after last: (hour: Int64, number: Int64)?, limit: Int
    ) throws(VaultError) -> [StoredBlock] {
        let sql = """
            SELECT \(StoredBlock.columns) FROM blocks
            WHERE stream = ? AND (first_hour, number) > (?, ?) AND first_hour <= ?
                AND kinds & ? != 0 AND first_hour + hours_more >= ?
            ORDER BY first_hour, number LIMIT ?
            """
        var start = last ?? (hour: .min, number: -1)
        if start.hour < hours.first {
            // What is between the end of an earlier span and this one is not walked.
            let earliest = (hour: hours.first - (try longestBlock(of: stream)), number: Int64(-1))
            if earliest > start { start = earliest }
        }
        return try database.query(
            sql,
            [
                .integer(stream), .integer(start.hour), .integer(start.number), .integer(hours.last),
                .integer(Int64(kinds.rawValue)), .integer(hours.first), .integer(limit),
            ], row: StoredBlock.init)
    }

    /// The next blocks of a stream in the order of their numbers, after one of them: at most `limit`.
    package func blocks(of stream: Int64, after last: Int64, limit: Int) throws(VaultError) -> [StoredBlock] {
        try database.query(
            "SELECT \(StoredBlock.columns) FROM blocks WHERE stream = ? AND number > ? ORDER BY number LIMIT ?",
            [.integer(stream), .integer(last), .integer(limit)], row: StoredBlock.init)
    }

    /// How many hours a stream's longest block of readings reaches beyond its first. Gap blocks, which have no kinds,
    /// may begin in 1970, and would have every query walk the whole stream.
    func longestBlock(of stream: Int64) throws(VaultError) -> Int64 {
        try database.first(
            "SELECT max(hours_more) FROM blocks WHERE stream = ? AND hours_more > 0 AND kinds != 0", [.integer(stream)],
            row: Row.intIfPresent
        ).flatMap { $0 } ?? 0
    }

    /// Blocks of readings of a stream's hour that are not packed, after one of them: at most `limit`.
    func unpackedBlocks(
        of stream: Int64, hour: Int64, after last: Int64, limit: Int
    ) throws(VaultError) -> [StoredBlock] {
        try database.query(
            """
            SELECT \(StoredBlock.columns) FROM blocks
            WHERE stream = ? AND first_hour = ? AND type = 2 AND number > ? ORDER BY number LIMIT ?
            """, [.integer(stream), .integer(hour), .integer(last), .integer(limit)], row: StoredBlock.init)
    }

    /// A stream's loose blocks after one of them up to another: at most `limit`.
    func looseBlocks(
        of stream: Int64, after last: Int64, upTo end: Int64, limit: Int
    ) throws(VaultError) -> [StoredBlock] {
        try database.query(
            """
            SELECT \(StoredBlock.columns) FROM blocks
            WHERE stream = ? AND type = 3 AND number > ? AND number <= ? ORDER BY number LIMIT ?
            """, [.integer(stream), .integer(last), .integer(end), .integer(limit)], row: StoredBlock.init)
    }

    /// Streams with loose blocks of people who had ranges of their heart rate deleted.
    func streamsWithDeletionsAndLoose() throws(VaultError) -> [Int64] {
        try database.query(
            """
            SELECT number FROM streams WHERE person IN (SELECT person FROM documents WHERE name = ?)
                AND EXISTS (SELECT 1 FROM blocks WHERE stream = streams.number AND type = 3) ORDER BY number
            """, [.text(Deletions.name)], row: Row.int)
    }

    /// How many clock blocks of a stream count. A gateway without a clock of its own makes one at each start, and each
    /// of its streams ends within a year; all of them are opened whenever the stream's readings are read.
    package static let mostClockBlocks = 1000

    /// A stream's clock blocks: the first ones, if an earlier version stored more than count.
    func clockBlocks(of stream: Int64) throws(VaultError) -> [StoredBlock] {
        try database.query(
            "SELECT \(StoredBlock.columns) FROM blocks WHERE stream = ? AND type = 4 ORDER BY number LIMIT ?",
            [.integer(stream), .integer(Self.mostClockBlocks)], row: StoredBlock.init)
    }

    /// Whether another clock block of a stream would not count.
    func hasMostClockBlocks(of stream: Int64) throws(VaultError) -> Bool {
        try database.first(
            "SELECT 1 FROM blocks WHERE stream = ? AND type = 4 LIMIT 1 OFFSET ?",
            [.integer(stream), .integer(Self.mostClockBlocks - 1)], row: Row.int) != nil
    }

    // MARK: Loose records

    /// Enters a journal record of an old session, unless it came before.
    /// - Returns: whether it is new.
    func enterRecord(_ session: Int64, _ record: UInt64, block: Int64) throws(VaultError) -> Bool {
        try database.execute(
            "INSERT INTO records (session, record, block) VALUES (?, ?, ?) ON CONFLICT (session, record) DO NOTHING",
            [.integer(session), .number(record), .integer(block)]) > 0
    }

    /// The block in which a record first came.
    package func block(ofRecord record: UInt64, _ session: Int64) throws(VaultError) -> Int64? {
        try database.first(
            "SELECT block FROM records WHERE session = ? AND record = ?", [.integer(session), .number(record)],
            row: Row.int)
    }
}
