import Synchronization
import Telemetry

// What comes in: readings wait under a lock until the outbox's thread collects them, which may take long if the disk hangs.

/// What was left for the outbox's thread, and what was refused because the thread did not collect it.
struct Intake {
    struct Entry {
        let reading: Reading
        let sensor: ID
        let completion: (@Sendable (Bool) -> Void)?
    }

    struct Source: Hashable {
        let sensor: ID
        let kind: Reading.Kind
    }

    var entries: [Entry] = []
    /// The thread will collect them soon: nobody has to wake it.
    var isAwaited = false
    var turnedAway: [Source: Extent] = [:]
    var notRecorded = 0
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
        let (isTaken, mustWake) = intake.withLock { intake in
            guard intake.entries.count < Self.mostUnwritten else {
                intake.turnedAway[Intake.Source(sensor: sensor, kind: reading.kind)] += Extent(at: reading.moment.wall)
                return (false, false)
            }
            intake.entries.append(Intake.Entry(reading: reading, sensor: sensor, completion: completion))
            guard !intake.isAwaited || completion != nil else { return (true, false) }
            intake.isAwaited = true
            return (true, true)
        }
        if !isTaken { completion?(false) }
        if mustWake { loop.perform { [self] in takeIn() } }
    }

    /// Takes what was left for the thread.
    /// - Returns: whether it has to be flushed at once.
    func collect() -> Bool {
        let turnedAway = intake.withLock { intake in
            swap(&intake.entries, &collected)
            intake.isAwaited = commitTimer != nil
            notRecorded += intake.notRecorded
            intake.notRecorded = 0
            let turnedAway = intake.turnedAway
            if !turnedAway.isEmpty { intake.turnedAway = [:] }
            return turnedAway
        }
        defer { collected.removeAll(keepingCapacity: true) }
        var isUrgent = false
        for entry in collected {
            // What the new time says about older readings is written down before anything that has the new time.
            if clock.observe(entry.reading.moment) { isUrgent = true }
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
