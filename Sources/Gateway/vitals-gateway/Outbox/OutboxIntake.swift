import Daemon
import Synchronization
import Telemetry

// What comes in: readings wait under a lock until the outbox's thread collects them, which may take long if the disk hangs.

/// What was left for the outbox's thread, and what was refused because the thread did not collect it.
struct Intake {
    struct Entry {
        let reading: Reading
        let sensor: ID
        let completion: (@Sendable (Bool) -> Void)?
        /// It is in the journal in memory, for the stream of this grant.
        let kept: (grant: Grant, sealed: Outbox.Sealed)?
    }

    struct Source: Hashable {
        let sensor: ID
        let kind: Reading.Kind
    }

    /// Seals readings of a sensor where they come.
    struct Writer {
        let grant: Grant
        let session: SessionID
        let journal: JournalSealer
    }

    /// What the outbox's thread has to do.
    enum Need { case nothing, collection, flushTimer }

    var entries: [Entry] = []
    /// The thread will collect them soon: nobody has to wake it.
    var isAwaited = false
    /// The thread will flush within the flush interval.
    var isTimed = false
    var turnedAway: [Source: Extent] = [:]
    var notRecorded = 0
    /// The journal in memory, if the gateway has a folder for it.
    var memory: RAMJournal?
    var writers: [ID: Writer] = [:]
    /// The clock that the writers' readings must go by.
    var clock: BootClock?
    /// How many readings in memory were not collected yet.
    var waiting: [Source: Int] = [:]

    /// Seals a reading and keeps it in memory; nil if this is not possible, or the thread must see it first.
    mutating func keep(_ reading: Reading, from sensor: ID) -> (grant: Grant, sealed: Outbox.Sealed)? {
        guard let writer = writers[sensor], let clock, memory?.hasRoom ?? false,
            writer.grant.covers(reading.kind, at: reading.moment.wall), clock.step(before: reading.moment) == nil,
            let (number, bytes) = try? writer.journal.seal(reading),
            let id = memory?.append(
                bytes, number: number, second: Extent.second(of: reading.moment.wall), context: writer.journal.context)
        else { return nil }
        return (writer.grant, Outbox.Sealed(session: writer.session, number: number, bytes: bytes, id: id))
    }

    /// Whether so much waits in memory that it should be written down before the next flush.
    var isFull: Bool { memory?.isNearlyFull ?? false || waiting.values.contains { $0 >= ReadingColumns.maximumCount } }

    /// What the thread has to do about a reading that has just been kept in memory.
    mutating func need(afterKeeping source: Source) -> Need {
        waiting[source, default: 0] += 1
        if waiting[source, default: 0] >= ReadingColumns.maximumCount || memory?.isNearlyFull ?? false {
            defer { isAwaited = true }
            return isAwaited ? .nothing : .collection
        }
        defer { isTimed = true }
        return isTimed ? .nothing : .flushTimer
    }
}

extension Outbox {
    /// Keeps a reading. With a completion, it is flushed at once, and the completion told whether that worked.
    func append(_ reading: Reading, from sensor: ID, flushed completion: (@Sendable (Bool) -> Void)? = nil) {
        // Without a consumer there can be no grant: the thread does not have to wake up for each heartbeat to find that
        // out.
        guard isEnrolled else {
            intake.withLock { $0.notRecorded += 1 }
            completion?(true)
            return
        }
        let (isTaken, need): (Bool, Intake.Need) = intake.withLock { intake in
            let source = Intake.Source(sensor: sensor, kind: reading.kind)
            guard intake.entries.count < Self.mostUnwritten else {
                intake.turnedAway[source] += Extent(at: reading.moment.wall)
                return (false, .nothing)
            }
            let kept = completion == nil ? intake.keep(reading, from: sensor) : nil
            intake.entries.append(Intake.Entry(reading: reading, sensor: sensor, completion: completion, kept: kept))
            if kept != nil { return (true, intake.need(afterKeeping: source)) }
            guard !intake.isAwaited || completion != nil else { return (true, .nothing) }
            intake.isAwaited = true
            return (true, .collection)
        }
        if !isTaken { completion?(false) }
        switch need {
        case .nothing: break
        case .collection: loop.perform { [self] in takeIn() }
        case .flushTimer: loop.perform { [self] in setFlushTimer() }
        }
    }

    /// Takes what was left for the thread.
    /// - Returns: whether it has to be flushed at once.
    func collect() -> Bool {
        let old = sessions.values.filter { $0.end <= millisecondsSinceBoot() }
        let oldSensors = old.map(\.grant.sensor)
        let turnedAway = intake.withLock { intake in
            for sensor in oldSensors { intake.writers[sensor] = nil }
            swap(&intake.entries, &collected)
            intake.isAwaited = commitTimer != nil
            intake.isTimed = flushTimer != nil
            isMemoryFull = intake.isFull
            intake.waiting.removeAll(keepingCapacity: true)
            intake.memory?.switchHalves()
            notRecorded += intake.notRecorded
            intake.notRecorded = 0
            let turnedAway = intake.turnedAway
            if !turnedAway.isEmpty { intake.turnedAway = [:] }
            return turnedAway
        }
        // From now on nothing is sealed for them where it comes; what was sealed before is in `collected`.
        for open in old {
            sessions[open.grant.stream] = nil
            retiring.append(open)
            areWritersLent = false
        }
        defer { collected.removeAll(keepingCapacity: true) }
        var isUrgent = false
        for entry in collected {
            // What the new time says about older readings is written down before anything that has the new time.
            if observe(entry.reading.moment) { isUrgent = true }
            if let (grant, sealed) = entry.kept {
                collectedThrough = sealed.id
                recorded += 1
                unwritten.append(Unwritten(reading: entry.reading, grant: grant, sealed: sealed))
                continue
            }
            guard let grant = grants.inForce(for: entry.sensor),
                grant.covers(entry.reading.kind, at: entry.reading.moment.wall)
            else {
                notRecorded += 1
                entry.completion?(true)
                continue
            }
            sendLive(entry.reading, grant)
            unwritten.append(Unwritten(reading: entry.reading, grant: grant, completion: entry.completion))
            if entry.completion != nil { isUrgent = true }
        }
        for (source, extent) in turnedAway {
            guard let grant = grants.inForce(for: source.sensor), grant.covers(source.kind, at: extent.last * 1000)
            else {
                notRecorded += extent.count
                continue
            }
            drop(extent, of: grant.stream)
        }
        dropUnwritten(downTo: Self.mostUnwritten)
        return isUrgent
    }

    /// From now until its grant has been decided on, no reading of this sensor is sealed where it comes.
    func withdrawWriter(of sensor: ID) {
        (withdrawn, areWritersLent) = (sensor, false)
        intake.withLock { $0.writers[sensor] = nil }
    }

    /// Drops the oldest readings if more of them wait in memory than allowed.
    private func dropUnwritten(downTo limit: Int) {
        guard unwritten.count > limit else { return }
        for lost in unwritten.prefix(unwritten.count - limit) {
            lost.completion?(false)
            drop(Extent(at: lost.reading.moment.wall), of: lost.grant.stream)
        }
        unwritten.removeFirst(unwritten.count - limit)
    }

    /// Counts what is lost; the next flush makes a gap block of it.
    private func drop(_ extent: Extent, of stream: StreamID) {
        countDropped(extent.count)
        gaps[stream] += extent
    }
}
