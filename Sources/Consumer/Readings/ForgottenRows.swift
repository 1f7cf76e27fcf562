package import Records
package import Storage
package import Telemetry

// What is left in vitals.db of the streams of people who were forgotten.

extension Store {
    /// Ends a stream of a person who was forgotten; from now on it belongs to nobody.
    package func endForgotten(_ stream: StoredStream, now: Int64) throws(VaultError) {
        if try database.first(
            "SELECT 1 FROM streams WHERE number = ? AND until_ms IS NULL", [.integer(stream.number)], row: Row.int)
            != nil
        {
            try endStream(stream, now: now)
        }
        try database.execute(
            "UPDATE streams SET person = '', secret_version = 0, counted = 0 WHERE number = ?",
            [.integer(stream.number)])
    }

    /// Deletes rows of streams whose people were forgotten, at most `limit` of them.
    /// - Returns: how many; 0 when none is left.
    package func deleteForgotten(atMost limit: Int) throws(VaultError) -> Int {
        let next =
            """
            SELECT number FROM streams
            WHERE person = '' AND EXISTS (SELECT 1 FROM sessions WHERE sessions.stream = streams.number) LIMIT 1
            """
        guard let stream = try database.first(next, row: Row.int) else { return 0 }
        let session = "SELECT number FROM sessions WHERE stream = ?1"
        let portions = [
            """
            DELETE FROM records WHERE (session, record) IN
                (SELECT session, record FROM records WHERE session IN (\(session)) LIMIT ?2)
            """,
            "DELETE FROM blocks WHERE number IN (SELECT number FROM blocks WHERE stream = ?1 LIMIT ?2)",
            """
            DELETE FROM ledger WHERE (session, seq) IN
                (SELECT session, seq FROM ledger WHERE session IN (\(session)) LIMIT ?2)
            """,
            """
            DELETE FROM ledger_runs WHERE (session, first_seq) IN
                (SELECT session, first_seq FROM ledger_runs WHERE session IN (\(session)) LIMIT ?2)
            """,
        ]
        for sql in portions {
            let count = try database.transaction { () throws(VaultError) in
                let count = try database.execute(sql, [.integer(stream), .integer(limit)])
                // The numbers of deleted rows are used again: a session's row must not take the new rows to be older
                // than itself.
                try database.execute(
                    "UPDATE sessions SET after_block = 0 WHERE after_block > (SELECT coalesce(max(number), 0) FROM blocks)"
                )
                return count
            }
            if count > 0 { return count }
        }
        // Nothing refers to them any more. To check that, SQLite would read all blocks for each row.
        return try database.withoutForeignKeys { () throws(VaultError) in
            try database.execute(
                "DELETE FROM sessions WHERE number IN (\(session) LIMIT ?2)", [.integer(stream), .integer(limit)])
        }
    }

    /// Whether nothing that is sealed to this stream can ever be opened again.
    func isForgotten(_ stream: StreamID) throws(VaultError) -> Bool {
        try database.first("SELECT 1 FROM forgotten_streams WHERE id = ?", [.blob(stream.bytes)], row: Row.int) != nil
    }

    /// The public key of a stream whose person was forgotten; nil if it is not known.
    package func publicKey(ofForgotten stream: StreamID) throws(VaultError) -> [UInt8]? {
        try database.first(
            "SELECT public_key FROM forgotten_streams WHERE id = ? AND public_key IS NOT NULL", [.blob(stream.bytes)],
            row: Row.blob)
    }
}
