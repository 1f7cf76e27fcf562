import Records
import Storage

// The ledger of packed blocks. A block that was packed no longer exists as it came, so its whole digest has nothing to
// prove; it only has to tell whether a block that comes again is the same one. Six bytes are enough: a gateway that
// wanted to pass off another block as one of its own earlier ones would have to try 2^47 of them, and would gain only
// an acknowledgement.
//
// Blocks that follow each other share a row, up to 162 of them: then four rows fill a page of the database, and none
// needs one of its own.

/// What the ledger knows about a block.
struct LedgerEntry: Equatable {
    /// The digest of all its bytes; for a packed block, the beginning of the digest.
    let digest: [UInt8]

    /// Whether a block with this digest is the same one.
    func isOf(_ other: [UInt8]) -> Bool { other.starts(with: digest) && !digest.isEmpty }
}

extension Store {
    /// What is known about the block that was accepted under this number; nil if none was.
    func ledgerEntry(_ session: Int64, _ sequence: UInt64) throws(VaultError) -> LedgerEntry? {
        if let digest = try digest(session, sequence) { return LedgerEntry(digest: digest) }
        let found = try database.first(
            """
            SELECT substr(digests, (?2 - first_seq) * \(LedgerRun.width) + 1, \(LedgerRun.width)) FROM (
                SELECT first_seq, digests FROM ledger_runs WHERE session = ?1 AND first_seq <= ?2
                ORDER BY first_seq DESC LIMIT 1) AS run
            WHERE ?2 - first_seq < length(digests) / \(LedgerRun.width)
            """, [.integer(session), .number(sequence)], row: Row.blob)
        return found.map(LedgerEntry.init)
    }

    /// How many blocks of a stream are in the ledger as packed blocks.
    func packedBlocks(of stream: Int64) throws(VaultError) -> Int64 {
        try database.first(
            """
            SELECT coalesce(sum(length(digests)), 0) / \(LedgerRun.width) FROM ledger_runs
            WHERE session IN (SELECT number FROM sessions WHERE stream = ?)
            """, [.integer(stream)], row: Row.int) ?? 0
    }

    /// Forgets entries of blocks that the consumer itself has made, once they are packed, within a transaction of the
    /// caller's: nobody sends them again. They no longer count as blocks.
    func forgetEntries(_ session: Int64, _ sequences: [UInt64], of stream: StoredStream) throws(VaultError) {
        var forgotten = 0
        for sequence in sequences {
            forgotten += try database.execute(
                "DELETE FROM ledger WHERE session = ? AND seq = ?", [.integer(session), .number(sequence)])
        }
        try database.execute(
            "UPDATE counts SET number = number - ? WHERE stream = ? AND kind = 0",
            [.integer(forgotten), .integer(stream.number)])
    }

    /// Makes runs of entries of one session, within a transaction of the caller's.
    func shortenEntries(_ session: Int64, _ sequences: [UInt64]) throws(VaultError) {
        var run: LedgerRun?
        // In SQLite's order, by signed numbers.
        for sequence in sequences.map({ Int64(bitPattern: $0) }).sorted() {
            guard let digest = try digest(session, UInt64(bitPattern: sequence)) else {
                throw VaultError("shorten the ledger", .missing, said: "block \(sequence) is not in it")
            }
            try database.execute(
                "DELETE FROM ledger WHERE session = ? AND seq = ?", [.integer(session), .integer(sequence)])
            if run?.next != sequence {
                if let run { try enter(run, session) }
                run = LedgerRun(first: sequence, digests: [])
            }
            run?.digests += digest.prefix(LedgerRun.width)
        }
        if let run { try enter(run, session) }
    }

    /// Enters a run, joined with the runs directly before and after it if they are short.
    private func enter(_ new: LedgerRun, _ session: Int64) throws(VaultError) {
        var run = new
        if let before = try self.run(session, "first_seq < ? ORDER BY first_seq DESC", new.first),
            before.next == new.first, before.count < LedgerRun.maximumCount
        {
            try delete(before, session)
            run = LedgerRun(first: before.first, digests: before.digests + new.digests)
        }
        if let end = run.next, let after = try self.run(session, "first_seq = ?", end),
            after.count < LedgerRun.maximumCount
        {
            try delete(after, session)
            run.digests += after.digests
        }
        while run.count > 0 {
            let length = min(run.count, LedgerRun.maximumCount) * LedgerRun.width
            try database.execute(
                "INSERT INTO ledger_runs (session, first_seq, digests) VALUES (?, ?, ?)",
                [.integer(session), .integer(run.first), .blob(Array(run.digests.prefix(length)))])
            // Past the greatest number there is nothing left.
            run = LedgerRun(
                first: run.first &+ Int64(length / LedgerRun.width), digests: Array(run.digests.dropFirst(length)))
        }
    }

    private func run(_ session: Int64, _ condition: String, _ sequence: Int64) throws(VaultError) -> LedgerRun? {
        try database.first(
            "SELECT first_seq, digests FROM ledger_runs WHERE session = ? AND \(condition) LIMIT 1",
            [.integer(session), .integer(sequence)]
        ) { row throws(VaultError) in LedgerRun(first: try row.int("first_seq"), digests: try row.blob("digests")) }
    }

    private func delete(_ run: LedgerRun, _ session: Int64) throws(VaultError) {
        try database.execute(
            "DELETE FROM ledger_runs WHERE session = ? AND first_seq = ?", [.integer(session), .integer(run.first)])
    }
}

/// A row of `ledger_runs`: blocks whose numbers follow each other.
struct LedgerRun {
    /// Bytes that are left of a digest.
    static let width = 6
    static let maximumCount = 162

    let first: Int64
    var digests: [UInt8]
    var count: Int { digests.count / Self.width }
    /// The number that would continue the run; nil if there is none.
    var next: Int64? {
        let (next, overflow) = first.addingReportingOverflow(Int64(count))
        return overflow ? nil : next
    }
}
