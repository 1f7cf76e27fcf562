import Daemon
import Telemetry
import Vault

// The outbox keeps within its limit. What was acknowledged goes first, then dead letters; then the oldest blocks that nobody
// has acknowledged, and a gap block says how many readings went with them, from when until when. Gap blocks are dropped like
// others, and the next one tells of what they told.

/// So many blocks go at once.
private let bunch = 64
/// A key block is needed while its session may still be open, which is a day.
private let keyAge: Int64 = 2 * 86_400_000

extension Outbox {
    /// Frees space where there is more than the limit, and a little besides, so that it need not be done at each flush.
    func makeRoom() throws(VaultError) {
        let inUse = try store.bytesInUse()
        try warnWhenNearlyFull(inUse)
        guard inUse > settings.limit else { return }
        let (target, keysBefore) = (settings.limit - settings.limit / 64, unixMilliseconds() - keyAge)
        isDirty = true
        while try store.bytesInUse() > target {
            let spent = try store.commit { () throws(VaultError) in
                try store.removeSpent(atMost: bunch) + store.removeUnneededKeys(before: keysBefore)
            }
            guard spent == 0 else { continue }
            guard try dropOldest() else { return }
        }
    }

    /// The disk is full, of whatever: what the consumer has makes room for what it does not have.
    func spareSpent() {
        do throws(VaultError) {
            let count = try store.commit { () throws(VaultError) in try store.removeSpent(atMost: bunch) }
            if count > 0 { log.warning("the disk is full: removed \(count) acknowledged blocks") }
        } catch {
            log.error("outbox: \(error)")
        }
    }

    /// The oldest blocks without acknowledgement go, in one transaction with the gap blocks that tell of them.
    private func dropOldest() throws(VaultError) -> Bool {
        let oldest = try store.oldestWaiting(atMost: bunch)
        guard !oldest.isEmpty else { return false }
        var lost: [StreamID: Extent] = [:]
        for block in oldest { lost[block.identity.stream] += block.extent }
        let count = oldest.reduce(0) { $0 + ($1.isGap ? 0 : $1.extent.count) }
        let gaps = try gapBlocks(lost)
        try store.commit { () throws(VaultError) in
            for block in oldest { try store.remove(block.identity) }
            for (block, contents) in gaps {
                try store.add(block.identity, block.bytes, contents, at: unixMilliseconds())
            }
            try store.addDropped(count)
        }
        for block in oldest { uplink.remove(block.identity) }
        countDropped(count)
        log.error("the outbox is full: dropped the \(count) oldest readings, and a gap block says so")
        return true
    }

    /// What was dropped from memory gets its gap blocks.
    func sealGaps() throws(VaultError) {
        guard !gaps.isEmpty else { return }
        let blocks = try gapBlocks(gaps)
        let count = gaps.values.reduce(0) { $0 + $1.count }
        try store.commit { () throws(VaultError) in
            for (block, contents) in blocks {
                try store.add(block.identity, block.bytes, contents, at: unixMilliseconds())
            }
            try store.addDropped(count)
        }
        isDirty = true
        gaps = [:]
        log.error("\(count) readings were lost before they could be written, and a gap block says so")
    }

    /// A gap block for each stream, under a session of its own; the stream of a forgotten grant has none.
    private func gapBlocks(
        _ lost: [StreamID: Extent]
    ) throws(VaultError) -> [(block: (identity: BlockIdentity, bytes: [UInt8]), contents: OutboxStore.Contents)] {
        var blocks: [(block: (identity: BlockIdentity, bytes: [UInt8]), contents: OutboxStore.Contents)] = []
        for (stream, extent) in lost {
            // Times that come out of `Extent` are within all years.
            guard let grant = grants.grant(of: stream), let body = try? extent.gap(.outboxFull) else { continue }
            let open = try session(for: grant)
            blocks.append((try open.block(.gap, body.bytes), OutboxStore.Contents(extent: extent)))
        }
        return blocks
    }

    /// Once when four fifths of the limit are full of what nobody has acknowledged, and again after it was less.
    private func warnWhenNearlyFull(_ inUse: Int) throws(VaultError) {
        let threshold = settings.limit / 5 * 4
        guard inUse >= threshold, try inUse - store.spentBytes() >= threshold else {
            isNearlyFull = false
            return
        }
        guard !isNearlyFull else { return }
        isNearlyFull = true
        log.warning(
            "the outbox is 80 % full; when it is full, the oldest readings go: is the consumer running, and enrolled?")
    }

    /// Acknowledged blocks that were kept for long enough.
    func removeOld() {
        let before = unixMilliseconds() - Int64(settings.retention.components.seconds) * 1000
        do throws(VaultError) {
            let count = try store.commit { () throws(VaultError) in try store.removeAcknowledged(before: before) }
            if count > 0 { log.info("removed \(count) blocks that were acknowledged long ago") }
        } catch {
            log.error("outbox: \(error)")
        }
    }
}
