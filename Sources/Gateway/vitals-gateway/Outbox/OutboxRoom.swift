import Daemon
import Storage
import Telemetry

// The outbox keeps within its limit. What was acknowledged goes first, then dead letters; then the oldest blocks that
// nobody has acknowledged, and a gap block says how many readings were lost with them, and from which time to which.
// Gap blocks are dropped like others, and the next one also covers what they covered.

/// How many blocks are removed at once, and how often at most in one turn: the thread has readings to write down.
private let bunch = 64
private let mostBunches = 16
/// A session may be open for a day, and its key block is needed while it is, whatever has become of its blocks.
private let keyAge: Int64 = 2 * 86_400_000

extension Outbox {
    /// How much may be in use after room was made: a little less than the limit, so that it does not have to be made at
    /// each flush.
    private var enough: Int { settings.limit - settings.limit / 64 }

    /// How full the outbox is, in percent of what it may hold. At 100, and not before, the oldest readings are dropped
    /// for new ones: what was acknowledged or refused does not count, since it goes before them.
    func fullPercent() throws(VaultError) -> Int {
        let percent = (Double(try store.bytesToKeep()) / Double(enough) * 100).rounded(.up)
        return Int(min(100, percent))
    }

    /// Frees space if there is more than the limit. It does the rest at the next flush.
    func makeRoom() throws(VaultError) {
        let (percent, inUse) = try store.database.snapshot { () throws(VaultError) in
            (try fullPercent(), try store.bytesInUse())
        }
        warnWhenNearlyFull(percent)
        guard inUse > settings.limit else { return }
        isDirty = true
        try removeUnneededKeys()
        for _ in 0..<mostBunches {
            guard try store.bytesInUse() > enough else { return }
            let spent = try store.commit { () throws(VaultError) in try store.removeSpent(atMost: bunch) }
            if spent > 0 { continue }
            guard try dropOldest() else { return }
        }
    }

    /// The disk is full, no matter of what. Moving the log into the file makes the log's room usable again; and
    /// if no pages of the file are free, what the consumer has makes room for what it does not have.
    func spareSpent() {
        do throws(VaultError) {
            // If the file cannot grow, this fails, but the rest may still work.
            do { _ = try store.database.checkpointInPassing() } catch { log.debug("outbox: \(error)") }
            guard try store.freePages() < bunch else { return }
            let count = try store.commit { () throws(VaultError) in try store.removeSpent(atMost: bunch) }
            if let count = spared.toTell(of: count, now: millisecondsSinceBoot()) {
                log.warning("the disk is full: removed \(count) blocks that were acknowledged or refused")
            }
        } catch {
            diskRefused(error)
        }
    }

    /// Drops the oldest blocks without acknowledgement, gap blocks among them, and gap blocks report all of them.
    /// Blocks that are on their way may be stored already, and stay. Says whether there is less now.
    private func dropOldest() throws(VaultError) -> Bool {
        for withGaps in [true, false] {
            let waiting = try store.oldestWaiting(withGaps: withGaps, atMost: bunch + Uplink.window)
            let oldest = Array(waiting.filter { !uplink.isOnItsWay($0.identity) }.prefix(bunch))
            var lost: [StreamID: Extent] = [:]
            for block in oldest { lost[block.identity.stream] += block.extent }
            // Replacing gap blocks with as many gap blocks makes no room.
            guard oldest.count > lost.count || oldest.contains(where: { !$0.isGap }) else { continue }
            let count = oldest.reduce(0) { $0 + ($1.isGap ? 0 : $1.extent.count) }
            try tell(of: lost, dropped: count) { () throws(VaultError) in try store.remove(oldest) }
            for block in oldest { uplink.remove(block.identity) }
            countDropped(count)
            if let count = droppedFromDisk.toTell(of: count, now: millisecondsSinceBoot()) {
                log.error(
                    "the outbox is full: dropped the \(count) oldest readings, and a gap block says so",
                    event: .readingsDropped)
            }
            return true
        }
        return false
    }

    /// Makes gap blocks for what was dropped from memory.
    func sealGaps() throws(VaultError) {
        guard !gaps.isEmpty else { return }
        let count = gaps.values.reduce(0) { $0 + $1.count }
        try tell(of: gaps, dropped: count) { () throws(VaultError) in }
        gaps = [:]
        if let count = droppedFromMemory.toTell(of: count, now: millisecondsSinceBoot()) {
            log.error(
                "\(count) readings were lost before they could be written, and a gap block says so",
                event: .readingsDropped)
        }
    }

    /// Gap blocks for what is lost, in one transaction with `removing` it.
    private func tell(
        of lost: [StreamID: Extent], dropped: Int, removing: () throws(VaultError) -> Void
    ) throws(VaultError) {
        let blocks = try gapBlocks(lost)
        try store.commit { () throws(VaultError) in
            try removing()
            for (block, contents) in blocks {
                try store.add(block.identity, block.bytes, contents, at: unixMilliseconds())
            }
            try store.addDropped(dropped)
        }
        isDirty = true
    }

    /// A gap block for each stream, under a session of its own; the stream of a forgotten grant has none.
    private func gapBlocks(
        _ lost: [StreamID: Extent]
    ) throws(VaultError) -> [(block: (identity: BlockIdentity, bytes: [UInt8]), contents: OutboxStore.Contents)] {
        var blocks: [(block: (identity: BlockIdentity, bytes: [UInt8]), contents: OutboxStore.Contents)] = []
        for (stream, extent) in lost {
            // Times from an `Extent` are in range.
            guard let grant = grants.grant(of: stream), let body = try? extent.gap(.outboxFull) else { continue }
            let open = try session(for: grant)
            blocks.append((try open.block(.gap, body.bytes), OutboxStore.Contents(extent: extent)))
        }
        return blocks
    }

    /// Warns once when four fifths of the outbox are full of what nobody has acknowledged, and again after it was less.
    private func warnWhenNearlyFull(_ percent: Int) {
        guard percent >= 80 else {
            isNearlyFull = false
            return
        }
        guard !isNearlyFull else { return }
        isNearlyFull = true
        limitedLog.warning("nearly full") {
            """
            the outbox is \(percent) % full\($0); at 100 % the oldest readings are dropped: is the consumer running, and is this \
            gateway enrolled with it?
            """
        }
    }

    /// Acknowledged blocks that were kept for long enough, and the key blocks that nothing needs then.
    func removeOld() {
        let before = unixMilliseconds() - Int64(settings.retention.components.seconds) * 1000
        do throws(VaultError) {
            let count = try store.commit { () throws(VaultError) in try store.removeAcknowledged(before: before) }
            if count > 0 { log.info("removed \(count) blocks that were acknowledged long ago") }
            try removeUnneededKeys()
        } catch {
            diskRefused(error)
        }
    }

    private func removeUnneededKeys() throws(VaultError) {
        let (before, open) = (unixMilliseconds() - keyAge, (sessions.values + retiring).map(\.id))
        _ = try store.commit { () throws(VaultError) in try store.removeUnneededKeys(before: before, excluding: open) }
    }
}
