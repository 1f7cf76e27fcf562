import Daemon
import Telemetry
import Vault

// The journal in memory (RAMJournal.swift): a killed process leaves it, and the next one writes it down before anything
// else. Without a folder for it, each reading that comes alone is committed immediately.

extension Outbox {
    /// Writes down what a killed process has left in memory, and begins to keep readings there.
    func openMemory() throws {
        guard let memoryFolder else { return }
        let file: RuntimeFile
        do throws(Failure) {
            file = try RAMJournal.file(in: memoryFolder)
        } catch {
            log.notice("no readings are kept in memory, and each is written to the disk as it comes: \(error)")
            return
        }
        let (records, known) = (RAMJournal.records(of: file), try store.lastFromMemory())
        let left = records.filter { $0.id > known }
        var last = known
        // After the database's own last one, none is missing: otherwise it is another database, or a copy from before. A copy that is only
        // a little older takes again what is in blocks already, and the consumer counts a reading of both once.
        if zip(left, (known + 1)...).allSatisfy({ $0.id == $1 }), let end = left.last?.id {
            last = end
            try store.commit { () throws(VaultError) in
                try rescue(left)
                try store.noteFromMemory(through: last)
            }
        } else if !left.isEmpty {
            log.warning("left out \(left.count) readings in memory that do not follow those in the outbox: was it replaced?")
        }
        (collectedThrough, writtenThrough) = (last, last)
        let memory = RAMJournal(file, after: last)
        memory.clear()
        intake.withLock { $0.memory = memory }
    }

    /// Puts records into the journal. Those of sessions whose key blocks are not here belong to another outbox.
    private func rescue(_ records: [RAMJournal.Record]) throws(VaultError) {
        var isKnown: [BlockIdentity: Bool] = [:]
        var count = 0
        for record in records {
            let key = BlockIdentity(stream: record.stream, session: record.session, sequence: 0)
            let isOurs = if let known = isKnown[key] { known } else { try store.block(key) != nil }
            isKnown[key] = isOurs
            guard isOurs else { continue }
            _ = try store.append(
                record.sealed, number: record.number, second: record.second, stream: record.stream,
                session: record.session)
            count += 1
        }
        if count < records.count {
            log.warning("left out \(records.count - count) readings in memory that belong to another outbox")
        }
    }

    /// Stops keeping readings in memory, and unlocks the file. Those that are in it stay there.
    func closeMemory() {
        intake.withLock { intake in
            if let memory = intake.memory, memory.isDone { memory.clear() }
            intake.memory = nil
            intake.writers = [:]
        }
    }

    /// Allows readings to be sealed and kept in memory where they come: those of streams whose session has its key block
    /// written. Where readings are also sent at once, this thread is needed for each of them anyway.
    func lendWriters() {
        guard memoryFolder != nil, !areWritersLent, !clock.hasSteps else { return }
        var writers: [ID: Intake.Writer] = [:]
        for open in sessions.values where open.grant.sensor != withdrawn {
            guard let grant = grants.inForce(for: open.grant.sensor), grant.stream == open.grant.stream,
                !grant.kinds.contains(.live)
            else { continue }
            writers[grant.sensor] = Intake.Writer(grant: grant, session: open.id, journal: open.journal)
        }
        intake.withLock { [clock, writers] intake in
            (intake.writers, intake.clock) = (writers, clock)
        }
        areWritersLent = withdrawn == nil
    }
}
