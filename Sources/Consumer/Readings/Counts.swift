import Daemon
import Packed
package import Records
package import Storage
import Telemetry
import Vault

// How many readings there are: counted as blocks are stored, in the same transaction, and counted again by opening all
// blocks.
//
// What is counted of a block does not depend on what came before it: of a readings block all readings, and of a loose
// one those whose records were first seen in it. If a gateway's card was copied back, a reading can be in both;
// `readings` shows it once, and here it counts twice.

/// What the blocks of a batch add to the counts.
struct Tally {
    private struct Name: Hashable {
        let stream: Int64
        let kind: Int64
    }

    private var numbers: [Name: Int64] = [:]

    /// Notes a block that is kept, with its readings.
    mutating func add(_ readings: [BareReading], stream: Int64) {
        numbers[Name(stream: stream, kind: 0), default: 0] += 1
        var rest = readings[...]
        while let kind = rest.first?.kind {
            let count = rest.prefix { $0.kind == kind }.count
            numbers[Name(stream: stream, kind: Int64(kind.rawValue)), default: 0] += Int64(count)
            rest = rest.dropFirst(count)
        }
    }

    /// Adds all of it to the store's counts, within a transaction of the caller's.
    func enter(_ store: Store) throws(VaultError) {
        for (name, number) in numbers {
            try store.database.execute(
                """
                INSERT INTO counts (stream, kind, number) VALUES (?, ?, ?)
                ON CONFLICT (stream, kind) DO UPDATE SET number = counts.number + excluded.number
                """, [.integer(name.stream), .integer(name.kind), .integer(number)])
        }
    }
}

/// What the blocks of one stream hold, by opening each.
package struct Recount {
    /// By kind, and the blocks themselves under 0: as in the table.
    package private(set) var numbers: [Int64: Int64] = [:]
    /// Readings that gateways had to drop, by what their gap blocks say.
    package private(set) var lostInGaps: UInt64 = 0
    /// Blocks that do not open, or say nothing.
    package private(set) var unreadable: Int64 = 0
    /// Blocks that are not in the ledger as they came; packed blocks that are not in it at all; and packed blocks in
    /// the ledger that are not in any row.
    package private(set) var unledgered: Int64 = 0
    private var packedBlocks: Int64 = 0

    package var blocks: Int64 { numbers[0] ?? 0 }
    package var readings: Int64 { numbers.reduce(0) { $0 + ($1.key == 0 ? 0 : $1.value) } }

    /// - Parameter person: nil if the secret is not there: then nothing is opened, and only blocks are counted.
    package init(_ stream: StoredStream, _ person: Keys.Person?, _ store: Store) throws(VaultError) {
        var reader = person.map { StreamReader(stream, $0, store) }
        var last: Int64 = 0
        while true {
            let page = try store.blocks(of: stream.number, after: last, limit: 64)
            guard let end = page.last?.number else { break }
            last = end
            for block in page { try open(block, &reader, store) }
        }
        guard !stream.isOwn else { return }
        let entered = try store.packedBlocks(of: stream.number)
        if person == nil {
            // A row that is not opened does not say how many blocks it holds; the ledger does.
            packedBlocks = entered
        } else if packedBlocks < entered {
            unledgered += entered - packedBlocks
        }
        if packedBlocks > 0 { numbers[0, default: 0] += packedBlocks }
    }

    private mutating func open(
        _ block: StoredBlock, _ reader: inout StreamReader?, _ store: Store
    ) throws(VaultError) {
        guard case .came(let kind) = block.form else { return try openPacked(block, reader, store) }
        numbers[0, default: 0] += 1
        guard reader != nil else { return }
        let bytes = try reader?.bytes(of: block)
        let entered = try store.digest(block.session, block.sequence)
        if try bytes.map({ (bytes) throws(VaultError) in try SHA256.digest(bytes) }) != entered { unledgered += 1 }
        switch kind {
        case .key, .live: unreadable += 1
        case .readings, .loose:
            guard let readings = try reader?.readings(of: block) else {
                unreadable += 1
                return
            }
            for found in readings { numbers[Int64(found.reading.kind.rawValue), default: 0] += 1 }
        case .clock:
            let body = try reader?.body(of: block) ?? []
            if decoded({ () throws(MalformedValue) in try ClockBody(bytes: body) }) == nil { unreadable += 1 }
        case .gap:
            let body = try reader?.body(of: block) ?? []
            guard let gap = decoded({ () throws(MalformedValue) in try GapBody(bytes: body) }) else {
                unreadable += 1
                return
            }
            lostInGaps = lostInGaps.addingReportingOverflow(gap.count).overflow ? .max : lostInGaps + gap.count
        }
    }

    /// A packed row holds the readings, and says which blocks they came in: each of these must be in a run of the
    /// ledger, and no others.
    private mutating func openPacked(
        _ block: StoredBlock, _ reader: StreamReader?, _ store: Store
    ) throws(VaultError) {
        guard let reader else { return }
        guard let group = PackedGroup(block, of: reader.stream.number), let packed = try reader.packed(group) else {
            unreadable += 1
            return
        }
        for segment in packed.segments {
            let count = segment.units.reduce(0) { $0 + $1.readings.count }
            numbers[Int64(segment.kind.rawValue), default: 0] += Int64(count)
        }
        // What the consumer itself has made is in no ledger once it is packed.
        guard !reader.stream.isOwn else { return }
        let blocks = packed.blocks
        packedBlocks += Int64(blocks.count)
        for one in blocks where try store.ledgerEntry(one.session, one.sequence) == nil { unledgered += 1 }
    }
}

extension Store {
    /// The running counts of a stream by kind, and its blocks under 0; nil if they are not known yet.
    package func counts(of stream: StoredStream) throws(VaultError) -> [Int64: Int64]? {
        let isCounted = try database.first(
            "SELECT counted FROM streams WHERE number = ?", [.integer(stream.number)], row: Row.int)
        guard isCounted == 1 else { return nil }
        var counts: [Int64: Int64] = [:]
        try database.forEach("SELECT kind, number FROM counts WHERE stream = ?", [.integer(stream.number)]) {
            (row) throws(VaultError) in counts[try row.int("kind")] = try row.int("number")
        }
        return counts
    }

    /// Counts the streams whose counts are not known, after a migration. One whose person's secret is not there stays
    /// uncounted. A block that does not open counts as a block only, and stays so: a stream is not read again at every
    /// start because of it.
    package func countTheUncounted(_ keys: Keys) throws(VaultError) {
        for stream in try streams() where try counts(of: stream) == nil {
            guard let person = try keys.person(stream.user, version: stream.secretVersion) else { continue }
            try change(stream.owner.map { [$0] } ?? []) { () throws(VaultError) in
                let recount = try Recount(stream, person, self)
                if recount.unreadable > 0 {
                    log.error("stream \(stream.id): \(recount.unreadable) stored blocks do not open; see check")
                }
                try database.execute("DELETE FROM counts WHERE stream = ?", [.integer(stream.number)])
                for (kind, number) in recount.numbers {
                    try database.execute(
                        "INSERT INTO counts (stream, kind, number) VALUES (?, ?, ?)",
                        [.integer(stream.number), .integer(kind), .integer(number)])
                }
                try database.execute("UPDATE streams SET counted = 1 WHERE number = ?", [.integer(stream.number)])
            }
        }
    }
}
