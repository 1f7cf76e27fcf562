import Records
import Storage
import Telemetry

// What a batch's blocks have to do with the database: two questions at its beginning, and two answers at its end,
// however many blocks there are.
//
//     KnownBlocks   what the ledger says about them, asked for runs of numbers at once; and what this batch has entered since
//     NewRows       rows of `blocks` and `ledger` that the batch is going to write
//
// A block is judged as if each were asked for and written by itself: code that reads one of the two tables within the
// batch has `NewRows` written first.

/// What the ledger says about the blocks of a batch.
struct KnownBlocks {
    private struct Name: Hashable {
        let session: Int64
        let sequence: UInt64
    }

    /// Numbers of one session, as SQLite orders them.
    private struct Run {
        let session: Int64
        let first: Int64
        var last: Int64
    }

    private var entries: [Name: LedgerEntry] = [:]

    /// Numbers that are closer together than this are asked for at once, with those between them.
    private static let widestGap: Int64 = 16

    private static let rows = RowsStatement(
        "WITH asked (number, low, high) AS (VALUES ", columns: 3,
        ") SELECT session, seq, digest FROM asked JOIN ledger ON session = number AND seq BETWEEN low AND high")

    private static let packed = RowsStatement(
        "WITH asked (number, least, low, high) AS (VALUES ", columns: 4,
        """
        ) SELECT session, first_seq, digests, low, high FROM asked
        JOIN ledger_runs ON session = number AND first_seq BETWEEN least AND high
        """)

    /// Looks all of them up.
    /// - Parameter blocks: the numbers of the sessions' rows, and the numbers of the blocks within them.
    init(_ blocks: [(session: Int64, sequence: UInt64)], _ store: Store) throws(VaultError) {
        guard !blocks.isEmpty else { return }
        entries.reserveCapacity(blocks.count)
        let runs = Self.runs(blocks)
        var values: [Value] = []
        values.reserveCapacity(4 * runs.count)
        for run in runs {
            // The least number at which a packed run that holds the first block may begin. Blocks' numbers from 2^63 on
            // are negative here.
            let (least, overflow) = run.first.subtractingReportingOverflow(Int64(LedgerRun.maximumCount - 1))
            values += [
                .integer(run.session), .integer(overflow ? .min : least), .integer(run.first), .integer(run.last),
            ]
        }
        var entries = entries
        // Packed ones first: a block that is in both tables is then known by its whole digest.
        try store.database.forEach(Self.packed, values) { row throws(VaultError) in
            let (session, first, digests) = (try row.int("session"), try row.int("first_seq"), try row.blob("digests"))
            let asked = try row.int("low")...(try row.int("high"))
            for index in 0..<digests.count / LedgerRun.width {
                let (sequence, overflow) = first.addingReportingOverflow(Int64(index))
                guard !overflow, asked.contains(sequence) else { continue }
                let start = index * LedgerRun.width
                entries[Name(session: session, sequence: UInt64(bitPattern: sequence))] =
                    LedgerEntry(digest: Array(digests[start..<start + LedgerRun.width]))
            }
        }
        values.removeAll(keepingCapacity: true)
        for run in runs { values += [.integer(run.session), .integer(run.first), .integer(run.last)] }
        try store.database.forEach(Self.rows, values) { row throws(VaultError) in
            let name = Name(session: try row.int("session"), sequence: UInt64(bitPattern: try row.int("seq")))
            entries[name] = LedgerEntry(digest: try row.blob("digest"))
        }
        self.entries = entries
    }

    private static func runs(_ blocks: [(session: Int64, sequence: UInt64)]) -> [Run] {
        var runs: [Run] = []
        let sorted = blocks.map { (session: $0.session, sequence: Int64(bitPattern: $0.sequence)) }
            .sorted { ($0.session, $0.sequence) < ($1.session, $1.sequence) }
        for (session, sequence) in sorted {
            if let last = runs.last, last.session == session,
                sequence.subtractingReportingOverflow(last.last).overflow == false,
                sequence - last.last <= widestGap
            {
                runs[runs.count - 1].last = sequence
            } else {
                runs.append(Run(session: session, first: sequence, last: sequence))
            }
        }
        return runs
    }

    /// What is known about a block that was looked up, or that was entered since.
    subscript(session: Int64, sequence: UInt64) -> LedgerEntry? {
        entries.isEmpty ? nil : entries[Name(session: session, sequence: sequence)]
    }

    /// Notes that a block is entered now.
    mutating func enter(_ session: Int64, _ sequence: UInt64, digest: [UInt8]) {
        entries[Name(session: session, sequence: sequence)] = LedgerEntry(digest: digest)
    }
}

/// Rows that a batch is going to write.
struct NewRows {
    private var blocks: [Value] = []
    private var ledger: [Value] = []

    private static let insertBlocks = RowsStatement(
        "INSERT INTO blocks (stream, session, seq, type, kinds, first_hour, hours_more, sealed) VALUES ", columns: 8)
    private static let enterBlocks = RowsStatement("INSERT INTO ledger (session, seq, digest) VALUES ", columns: 3)

    /// Adds a block as it came, without its header.
    mutating func add(
        _ header: BlockHeader, sealed: [UInt8], stream: Int64, session: Int64, kinds: Grant.Kinds, hours: HourSpan
    ) {
        blocks.append(.integer(stream))
        blocks.append(.integer(session))
        blocks.append(.number(header.identity.sequence))
        blocks.append(.integer(Int64(header.kind.rawValue)))
        blocks.append(.integer(Int64(kinds.rawValue)))
        blocks.append(.integer(hours.first))
        blocks.append(.integer(hours.last - hours.first))
        blocks.append(.blob(sealed))
    }

    /// Adds an entry of the ledger.
    mutating func enter(_ session: Int64, _ sequence: UInt64, digest: [UInt8]) {
        ledger.append(.integer(session))
        ledger.append(.number(sequence))
        ledger.append(.blob(digest))
    }

    /// Writes them, in the order in which they came, within a transaction of the caller's.
    mutating func write(_ store: Store) throws(VaultError) {
        guard !blocks.isEmpty || !ledger.isEmpty else { return }
        try store.database.execute(Self.insertBlocks, blocks)
        try store.database.execute(Self.enterBlocks, ledger)
        removeAll()
    }

    mutating func removeAll() {
        blocks.removeAll(keepingCapacity: true)
        ledger.removeAll(keepingCapacity: true)
    }
}
