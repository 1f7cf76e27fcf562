import Daemon
import Storage

// From the journal and the blocks to the disk. `Flusher` does it on a thread of its own, one flush after the other;
// what was committed before a flush began is on the disk at its end, and may be sent or replied with.

extension Outbox {
    /// Starts a flush of everything that is committed. What is committed in the meantime waits for the next one.
    func toDisk() throws(VaultError) {
        guard flushBegan == nil else {
            mustFlushAgain = true
            return
        }
        let last = try store.lastBlock()
        (flushBegan, isDirty) = (millisecondsSinceBoot(), false)
        (toldOfFlush, waitingForDisk) = (waitingForDisk, [])
        flusher.flush { [self] error, isLogLong in
            loop.perform { [self] in isOnDisk(through: last, error, isLogLong) }
        }
    }

    private func isOnDisk(through last: Int64, _ error: VaultError?, _ isLogLong: Bool) {
        flushBegan = nil
        if isHangTold { log.notice("the disk has finished its flush") }
        isHangTold = false
        do throws(VaultError) {
            if let error {
                diskRefused(error)
                store.database.distrustFlushes()
            }
            // A flush after one that failed succeeds, whatever is on the disk. Nothing is trusted until it is written
            // again.
            if store.database.isDoubtful { try store.durably { () throws(VaultError) in } }
            if isLogLong { try store.database.checkpoint() }
            flushedThrough = max(flushedThrough, last)
            tellOfFlush(true)
            pump()
            if mustFlushAgain {
                mustFlushAgain = false
                try toDisk()
            }
        } catch {
            isDirty = true
            tellOfFlush(false)
            tellWaiting(false)
            trouble(error)
        }
    }

    private func tellOfFlush(_ isDurable: Bool) {
        for completion in toldOfFlush { completion(isDurable) }
        toldOfFlush = []
    }

    /// A disk that does not answer holds up blocks and replies, but not the journal: it is reported, and nobody waits
    /// forever.
    func checkFlush() {
        guard let flushBegan, millisecondsSinceBoot() - flushBegan > 30_000 else { return }
        if !isHangTold {
            log.error("the disk has not finished a flush for 30 s: nothing is sent until it does (dmesg says more)")
        }
        isHangTold = true
        tellOfFlush(false)
        tellWaiting(false)
    }

    /// At the end this thread waits for the disk itself.
    func flushHere() {
        do throws(VaultError) {
            try store.durably { () throws(VaultError) in }
            flushedThrough = try store.lastBlock()
            tellOfFlush(true)
            tellWaiting(true)
        } catch {
            tellOfFlush(false)
            tellWaiting(false)
            trouble(error)
        }
    }

    func tellWaiting(_ isDurable: Bool) {
        for completion in waitingForDisk { completion(isDurable) }
        waitingForDisk = []
    }

    // MARK: Whether the disk accepts what is written

    /// Something was not written. It is tried again and again; people are told once.
    func diskRefused(_ error: VaultError) {
        guard disk.refused(error.reason, now: millisecondsSinceBoot(), wall: unixMilliseconds()) else {
            return log.debug("outbox: \(error)")
        }
        let what =
            switch disk.condition {
            case .full: "the disk is full"
            case .locked: "another program has locked the database"
            case .ok, .failing: "the disk does not take what is written"
            }
        log.error(
            """
            outbox: \(what): readings wait in memory, the last \(Self.mostUnwritten) at most, and are written when it \
            takes them: \(error)
            """, event: .diskRefuses)
        onChange()
    }

    /// Something was written.
    func diskTook() {
        guard let seconds = disk.took(now: millisecondsSinceBoot(), wall: unixMilliseconds()) else { return }
        log.notice("outbox: the disk takes what is written again, after \(seconds) s", event: .diskTakes)
        onChange()
    }

    /// If nothing has to be written, it tries anyway: otherwise nobody would notice that there is space again.
    func checkDisk() {
        guard disk.condition != .ok else { return }
        guard !disk.hasTaken else { return diskTook() }
        guard unwritten.isEmpty else { return }
        do throws(VaultError) {
            try store.commit { () throws(VaultError) in try store.addDropped(0) }
            diskTook()
        } catch {
            diskRefused(error)
        }
    }
}
