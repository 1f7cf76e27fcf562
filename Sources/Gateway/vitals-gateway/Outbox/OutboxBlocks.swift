import Daemon
import Files
import Telemetry

// From readings to sealed blocks, and from there to the broker.

extension Outbox {
    // MARK: Sessions

    /// A stream's session. Its key block is written before anything that it opens; the log keeps that order through a
    /// power cut.
    func session(for grant: Grant) throws(VaultError) -> OpenSession {
        if let open = sessions[grant.stream] { return open }
        let open = try OpenSession(for: grant, boot: boot, identity: identity)
        try store.commit { () throws(VaultError) in
            try store.add(open.keyBlock.identity, open.keyBlock.bytes, at: unixMilliseconds())
            try store.noteBootStream(grant.stream)
        }
        isDirty = true
        if grant.kinds.contains(.live) { isKeyUrgent = true }
        sessions[grant.stream] = open
        areWritersLent = false
        return open
    }

    /// Whether the sensor's readings now go to a different stream.
    func isOver(_ open: OpenSession) -> Bool {
        grants.inForce(for: open.grant.sensor)?.stream != open.grant.stream
    }

    // MARK: Leftovers

    /// What a crash left in the journal, under keys that are gone from here, is sent as it is.
    func sealLeftovers() throws {
        for old in try store.journalSessions() where !sessions.values.contains(where: { $0.id.bytes == old.session }) {
            let stream = try StreamID(bytes: old.stream)
            guard let grant = grants.grant(of: stream) else {
                // The grant is another consumer's, from earlier settings: it stays where it is.
                log.error(
                    "the outbox has readings of a stream without a grant: they stay; was consumer.identity changed?")
                continue
            }
            while try sealLeftovers(of: SessionID(bytes: old.session), grant) {}
        }
    }

    /// Makes a loose block of a session's oldest records; says whether there were any.
    private func sealLeftovers(of old: SessionID, _ grant: Grant) throws -> Bool {
        let rows = try store.leftovers(
            stream: grant.stream.bytes, session: old.bytes, atMost: LooseBody.maximumCount)
        guard let first = rows.first else { return false }
        var extent = Extent(at: first.second * 1000)
        for row in rows.dropFirst() { extent.add(Extent(at: row.second * 1000)) }
        let open = try session(for: grant)
        let block = try open.block(.loose, LooseBody(session: old, records: rows.map(\.record)).bytes)
        try store.commit { () throws(VaultError) in
            try store.add(
                block.identity, block.bytes, OutboxStore.Contents(extent: extent, recordsOf: old),
                at: unixMilliseconds())
            try store.removeFromJournal(rows.map(\.id))
        }
        log.notice("\(rows.count) readings of an interrupted run go out as a loose block")
        return true
    }

    // MARK: Out

    /// Sends what can be sent.
    func pump() {
        do throws(VaultError) {
            let now = millisecondsSinceBoot()
            uplink.makeWay(at: now)
            while uplink.room > 0 {
                let blocks = try store.waiting(
                    after: uplink.cursor, through: flushedThrough, excluding: uplink.parked, atMost: uplink.room)
                guard !blocks.isEmpty else { break }
                for block in blocks { uplink.take(block) }
            }
            let (blocks, next) = uplink.send(at: now)
            for block in blocks { session.publish(block, to: blocksTopic, qos: .atLeastOnce) }
            sendTimer?.cancel()
            sendTimer = next.map { next in
                loop.after(.milliseconds(next - min(next, now))) { [unowned self] in pump() }
            }
            if uplink.isEmpty || !uplink.isOpen { drained?.set(true) }
        } catch {
            diskRefused(error)
            sendTimer = loop.after(.seconds(1)) { [unowned self] in pump() }
        }
    }
}
