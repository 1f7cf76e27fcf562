public import Files
import Glibc

/// The log of a database in WAL mode, for flushing by a thread that writes nothing.
///
/// What a `.normal` connection has committed is in the log and in the kernel's memory. A flush of the log writes
/// everything that was committed before to the disk, whichever connection committed it, and holds no lock of SQLite's
/// in the meantime: a slow card does not keep the writer waiting. SQLite syncs the log's folder itself when it flushes
/// for the first time: let the writer do one flush first.
///
/// After an error, the kernel treats what it could not write as written: tell the writer to `distrustFlushes`, and
/// flush there.
public final class LogFile: Sendable {
    private let path: String
    private let descriptor: CInt

    /// The log of the database at `path`, which must be open, and written to, at least once.
    public init(of path: String) throws(VaultError) {
        self.path = path + "-wal"
        descriptor = open(self.path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open \(self.path)", errno: errno) }
    }

    deinit { close(descriptor) }

    /// Everything that was committed before is on the disk when this returns.
    public func flush() throws(VaultError) {
        while fdatasync(descriptor) != 0 {
            guard errno == EINTR else { throw .system("flush \(path)", errno: errno) }
        }
    }
}
