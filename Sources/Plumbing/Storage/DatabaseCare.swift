import CSQLite
public import Files
import Glibc

// Work on a database as a whole: its log, its checks, its copies.

extension Database {
    /// Moves the log into the database file and empties it, as far as readers allow; says whether all of it was moved.
    @discardableResult
    public func checkpoint() throws(VaultError) -> Bool {
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        if code & 0xFF == SQLITE_BUSY { return false }
        try check(code, "checkpoint the database \(path)")
        return true
    }

    /// The same, but if a reader is in the way it says so at once.
    public func checkpointWithoutWaiting() throws(VaultError) -> Bool {
        // These only set a number in memory.
        sqlite3_busy_timeout(handle, 0)
        defer { sqlite3_busy_timeout(handle, busyMilliseconds) }
        return try checkpoint()
    }

    /// Lets another connection move the log into the database file: commits on this one then never wait for that.
    public func leaveCheckpointsToOthers() throws(VaultError) { try run("PRAGMA wal_autocheckpoint = 0") }

    /// Moves as much of the log into the database file as it can without blocking anybody; says how many pages the log
    /// has, and how many of them were moved. When all were, the next commit of any connection starts the log from its
    /// beginning.
    public func checkpointInPassing() throws(VaultError) -> (pages: Int, moved: Int) {
        var pages: Int32 = 0
        var moved: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &moved)
        try check(code, "checkpoint the database \(path)")
        return (Int(pages), Int(moved))
    }

    /// Whether the connection's file was renamed, removed, or replaced by another one with its name.
    public func hasMoved() throws(VaultError) -> Bool {
        var hasMoved: Int32 = 0
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        try check(code, "look at the file of the database \(path)")
        return hasMoved != 0
    }

    /// Gives back the memory that keeps what was read of the file. Outside of transactions that is all of it, as when a
    /// connection is closed; statements stay prepared.
    /// - Returns: how many bytes are kept nevertheless.
    @discardableResult
    public func releaseMemory() -> Int {
        sqlite3_db_release_memory(handle)
        var (bytes, most) = (Int32(0), Int32(0))
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &bytes, &most, 0)
        return Int(bytes)
    }

    /// Bytes of the file that are in use: without the pages that are free.
    public func bytesInUse() throws(VaultError) -> Int {
        try (count("page_count") - freePages()) * count("page_size")
    }

    /// Pages of the file that can be used again.
    public func freePages() throws(VaultError) -> Int { try count("freelist_count") }

    private func count(_ pragma: String) throws(VaultError) -> Int {
        Int(try first("PRAGMA \(pragma)", row: Row.int) ?? 0)
    }

    /// Checks every page, and that every reference leads somewhere; throws `.corrupt` with SQLite's first finding.
    public func checkIntegrity() throws(VaultError) {
        let finding = try first("PRAGMA integrity_check(1)", row: Row.text) ?? "no answer"
        guard finding == "ok" else { throw VaultError("check the database \(path)", .corrupt, said: finding) }
        if let table = try first("PRAGMA foreign_key_check", row: Row.text) {
            throw VaultError("check the database \(path)", .corrupt, said: "a row of \(table) refers to nothing")
        }
    }

    /// Writes a consistent copy to `path`, a file that does not exist yet, with mode 0600; on the disk when this
    /// returns.
    public func backUp(to path: String) throws(VaultError) {
        let attempted = "back up the database \(self.path) to \(path)"
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system(attempted, errno: errno) }
        defer { close(file) }
        do throws(VaultError) {
            try execute("VACUUM INTO ?", [.text(path)])
            guard fsync(file) == 0 else { throw .system(attempted, errno: errno) }
            try Folder.makeNamesDurable(of: path, attempted)
        } catch {
            unlink(path)
            throw error
        }
    }
}
