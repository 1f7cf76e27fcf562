import Daemon
import Vault

// From the journal and the blocks to the disk. `Flusher` does it on a thread of its own, one flush after the other; what was
// committed before a flush began is on the disk at its end, and may be sent or replied with.

extension Outbox {
    /// Has everything that is committed flushed. What is committed meanwhile waits for the next one.
    func toDisk() throws(VaultError) {
        guard !isFlushing else {
            mustFlushAgain = true
            return
        }
        let (last, waiting) = (try store.lastBlock(), waitingForDisk)
        (isFlushing, isDirty, waitingForDisk) = (true, false, [])
        flusher.flush { [self] error, isLogLong in
            loop.perform { [self] in isOnDisk(through: last, waiting, error, isLogLong) }
        }
    }

    private func isOnDisk(
        through last: Int64, _ waiting: [@Sendable (Bool) -> Void], _ error: VaultError?, _ isLogLong: Bool
    ) {
        isFlushing = false
        do throws(VaultError) {
            if let error {
                // The next flush would succeed whatever is on the disk: it is all written anew.
                log.error("outbox: \(error)")
                store.database.distrustFlushes()
                try store.flush { () throws(VaultError) in }
            }
            if isLogLong { try store.database.checkpoint() }
            flushedThrough = max(flushedThrough, last)
            for completion in waiting { completion(true) }
            pump()
            if mustFlushAgain {
                mustFlushAgain = false
                try toDisk()
            }
        } catch {
            isDirty = true
            for completion in waiting { completion(false) }
            tellWaiting(false)
            trouble(error)
        }
    }

    /// At the end this thread waits for the disk itself.
    func flushHere() {
        do throws(VaultError) {
            try store.flush { () throws(VaultError) in }
            flushedThrough = try store.lastBlock()
            tellWaiting(true)
        } catch {
            tellWaiting(false)
            trouble(error)
        }
    }

    func tellWaiting(_ isDurable: Bool) {
        for completion in waitingForDisk { completion(isDurable) }
        waitingForDisk = []
    }
}
