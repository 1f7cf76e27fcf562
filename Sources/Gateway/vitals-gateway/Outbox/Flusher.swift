import Daemon
import Reactor
import Storage

/// Flushes the outbox to the disk on a thread of its own: a card may need a second for that, and in the meantime
/// readings must get into the journal within milliseconds. It also moves the log into the database file now and then,
/// which takes flushes, too.
// Proof of @unchecked: constants, except for what is touched on `loop` only.
final class Flusher: @unchecked Sendable {
    private let loop = EventLoop(name: "flush")
    private let logFile: LogFile
    private let database: Database
    private var flushes = 0
    /// A checkpoint has failed, and this was logged.
    private var hasFailed = false

    /// The number of flushes between two checkpoints: about five minutes.
    private static let flushesPerCheckpoint = 64
    /// A log with this many pages has not been moved for long: the writer must do it.
    private static let longestLog = 16_384

    /// - Parameter store: it must have been flushed once.
    init(of store: OutboxStore) throws(VaultError) {
        logFile = try LogFile(of: store.path)
        database = try store.anotherConnection()
        try store.database.leaveCheckpointsToOthers()
    }

    func start() { loop.start() }

    func stop() { loop.stop() }

    /// Flushes everything that was committed before. The completion is told, on this thread, what went wrong, and
    /// whether the log has become so long that the writer should move it.
    func flush(_ completion: @escaping @Sendable (_ error: VaultError?, _ isLogLong: Bool) -> Void) {
        loop.perform { [self] in
            do throws(VaultError) {
                try logFile.flush()
            } catch {
                return completion(error, false)
            }
            completion(nil, checkpointIfDue())
        }
    }

    /// Other work that waits for the disk.
    func perform(_ work: @escaping @Sendable () -> Void) { loop.perform(work) }

    /// A failure here leaves the log as it was: the checkpoint is tried again at the next flush, and the flushes are
    /// still trusted.
    private func checkpointIfDue() -> Bool {
        flushes += 1
        guard flushes >= Self.flushesPerCheckpoint else { return false }
        do throws(VaultError) {
            let pages = try database.checkpointInPassing().pages
            (flushes, hasFailed) = (0, false)
            return pages > Self.longestLog
        } catch {
            if !hasFailed { log.error("outbox: \(error)") }
            hasFailed = true
            return false
        }
    }
}
