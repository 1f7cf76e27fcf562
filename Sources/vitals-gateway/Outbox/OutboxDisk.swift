import Daemon
import Vault

// From the journal and the blocks to the disk. `Flusher` does it on a thread of its own, one flush after the other; what was
// committed before a flush began is on the disk at its end, and may be sent or replied with.

extension Outbox {
    /// Has everything that is committed flushed. What is committed meanwhile waits for the next one.
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
        do throws(VaultError) {
            if let error {
                log.error("outbox: \(error)")
                store.database.distrustFlushes()
            }
            // A flush after one that failed succeeds, whatever is on the disk. Nothing is believed until it is written anew.
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

    /// A disk that does not answer holds up blocks and replies, but not the journal: it is said, and nobody waits for ever.
    func checkFlush() {
        guard let flushBegan, millisecondsSinceBoot() - flushBegan > 30_000 else { return }
        let seconds = (millisecondsSinceBoot() - flushBegan) / 1000
        log.error("the disk has not finished a flush for \(seconds) s: nothing is sent until it does (dmesg says more)")
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
}
