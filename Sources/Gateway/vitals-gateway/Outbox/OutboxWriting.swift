import Daemon
import Telemetry
import Vault

// What is unwritten goes into the journal, or into a block at once if one is due: in one transaction, so that each page is
// written once.

/// What a transaction does with the readings of a session.
private struct Draft {
    let open: OpenSession
    /// The readings that will be in no block yet. Those that have no row in the journal yet have the complement of their
    /// index in `unwritten` for it.
    var pending: [Reading.Kind: OpenSession.Pending]
    var blocks: [(block: (identity: BlockIdentity, bytes: [UInt8]), extent: Extent?, rows: [Int64])] = []

    init(_ open: OpenSession) { (self.open, pending) = (open, open.pending) }

    /// Makes blocks of what is due.
    mutating func seal(_ isDue: (OpenSession, OpenSession.Pending) -> Bool) throws(VaultError) {
        for (kind, pending) in pending {
            // What is left over from full blocks waits for more readings, unless it is already due.
            var rest = pending
            while !rest.readings.isEmpty, isDue(open, rest) {
                let count = OpenSession.chunk(of: rest)
                let readings = Array(rest.readings.prefix(count))
                // Each of them was encoded for the journal, and they are of one kind, at most a block's worth.
                if let body = try? ReadingColumns.encode(readings) {
                    let block = try open.block(.readings, body)
                    blocks.append((block, Extent(of: readings), rest.rows.prefix(count).filter { $0 > 0 }))
                }
                rest.removeFirst(count)
            }
            self.pending[kind] = rest.readings.isEmpty ? nil : rest
        }
    }

    /// The indices in `unwritten` of what goes into the journal.
    var unwritten: [Int] { pending.values.flatMap { $0.rows.compactMap { $0 < 0 ? Int(~$0) : nil } } }

    /// The transaction has succeeded, and these are the journal's rows, by their indices in `unwritten`.
    func adopt(_ rows: [Int: Int64]) {
        open.pending = pending.mapValues { pending in
            var pending = pending
            pending.rows = pending.rows.map { $0 < 0 ? rows[Int(~$0)] ?? 0 : $0 }
            return pending
        }
    }
}

extension Outbox {
    /// Writes down what is unwritten, and makes blocks of what is due and of everything in sessions that are over.
    func write(_ isDue: (OpenSession, OpenSession.Pending) -> Bool) throws(VaultError) {
        lastCommit = millisecondsSinceBoot()
        for entry in unwritten where entry.sealed == nil { _ = try session(for: entry.grant) }
        let sealed = try sealUnwritten()
        // A disk that refuses may have room for the journal alone; and no block is made again and again that it does not take.
        if disk.condition != .ok, !unwritten.isEmpty { try write(sealed, { _, _ in false }, retires: false) }
        do throws(VaultError) {
            try write(sealed, isDue, retires: true)
        } catch {
            if error.reason == .diskFull, !unwritten.isEmpty { try write(sealed, { _, _ in false }, retires: false) }
            throw error
        }
    }

    /// What is unwritten, as the journal has it; nil for what cannot be written down.
    private func sealUnwritten() throws(VaultError) -> [Sealed?] {
        var all: [Sealed?] = []
        all.reserveCapacity(unwritten.count)
        for entry in unwritten {
            guard entry.sealed == nil, let open = sessions[entry.grant.stream] else {
                all.append(entry.sealed)
                continue
            }
            let record = try open.journal.seal(entry.reading)
            all.append(record.map { Sealed(session: open.id, number: $0.number, bytes: $0.bytes, id: 0) })
        }
        return all
    }

    private func write(
        _ sealed: [Sealed?], _ isDue: (OpenSession, OpenSession.Pending) -> Bool, retires: Bool
    ) throws(VaultError) {
        // Blocks of sessions that are over come before those of the sessions after them.
        var drafts = (retiring + sessions.values).map(Draft.init)
        // How many can be written down, and how many of them have not been kept in memory.
        var (count, fresh) = (0, 0)
        for (index, entry) in unwritten.enumerated() {
            guard let record = sealed[index],
                let place = drafts.firstIndex(where: {
                    $0.open.id == record.session && $0.open.grant.stream == entry.grant.stream
                })
            else { continue }
            count += 1
            if entry.sealed == nil { fresh += 1 }
            drafts[place].pending[entry.reading.kind, default: .init()].append(entry.reading, ~Int64(index))
        }
        for place in drafts.indices {
            let isRetiring = retires && place < retiring.count
            try drafts[place].seal { isRetiring || isDue($0, $1) }
        }
        guard !unwritten.isEmpty || drafts.contains(where: { !$0.blocks.isEmpty }) else { return }
        let rows = try store.commit { () throws(VaultError) in try enter(drafts, sealed) }
        for draft in drafts { draft.adopt(rows) }
        isDirty = true
        recorded += fresh
        countDropped(unwritten.count - count)
        unwritten.removeAll(keepingCapacity: true)
        writtenThrough = collectedThrough
        intake.withLock { [writtenThrough] in $0.memory?.finish(through: writtenThrough) }
    }

    /// Within the transaction; returns the rows of what is now in the journal.
    private func enter(_ drafts: [Draft], _ sealed: [Sealed?]) throws(VaultError) -> [Int: Int64] {
        var rows: [Int: Int64] = [:]
        for index in drafts.flatMap(\.unwritten).sorted() {
            guard let record = sealed[index] else { continue }
            let entry = unwritten[index]
            rows[index] = try store.append(
                record.bytes, number: record.number, second: Extent.second(of: entry.reading.moment.wall),
                stream: entry.grant.stream, session: record.session)
        }
        for (block, extent, old) in drafts.flatMap(\.blocks) {
            try store.add(
                block.identity, block.bytes, OutboxStore.Contents(extent: extent), at: unixMilliseconds())
            try store.removeFromJournal(old)
        }
        if collectedThrough > writtenThrough { try store.noteFromMemory(through: collectedThrough) }
        return rows
    }
}
