import Glibc

/// What went wrong with stored data: what was attempted, what the kernel, SQLite or OpenSSL said, and what an operator
/// can do about it.
///
/// Files, `Storage` and `Vault` throw the same type, because nearly every function above them seals a row and writes
/// it.
///
/// No error ever carries a key, a plaintext or a bound value.
public struct VaultError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What a caller may want to tell apart.
    public enum Reason: Hashable, Sendable {
        /// A tag or a signature does not match: another key, or altered bytes.
        case notAuthentic
        /// The bytes are not what they must be: a wrong length, not base64, a column of another type.
        case malformed
        /// OpenSSL refused for another reason.
        case crypto
        /// No file of this name.
        case missing
        /// The file may not be opened, or may be opened by too many.
        case permissions
        /// The disk, or the database's own limit, is full.
        case diskFull
        /// The file or its file system is read-only.
        case readOnly
        /// Another connection holds the lock, for longer than the busy timeout.
        case locked
        /// The file is damaged, or not a database.
        case corrupt
        /// The database belongs to another program.
        case foreign
        /// The database was written by a newer version.
        case newer
        /// A constraint of the schema forbids this row.
        case constraint
        /// Reading or writing failed.
        case inputOutput
        /// The call is wrong: bad SQL, bindings that do not match, a transaction inside another.
        case misuse
    }

    /// What was attempted, to follow "could not": `open the block`.
    public let attempted: String
    /// What to tell apart.
    public let reason: Reason
    /// What the library or the kernel said.
    public let said: String
    /// The SQL that failed, without its bindings.
    public let sql: String?
    /// SQLite's extended result code or the kernel's errno; 0 if there is none.
    public let code: Int32

    /// An error from its parts: also for callers that keep things in a vault and do not find them there.
    public init(_ attempted: String, _ reason: Reason, said: String, sql: String? = nil, code: Int32 = 0) {
        self.attempted = attempted
        self.reason = reason
        self.said = said
        self.sql = sql
        self.code = code
    }

    /// One line for a log.
    public var description: String {
        var line = "could not \(attempted): \(said)"
        if code != 0 { line += " (\(code))" }
        if let sql { line += " in: \(sql)" }
        if let hint { line += "; \(hint)" }
        return line
    }

    /// What to check or to run; nil if an operator can do nothing.
    public var hint: String? {
        switch reason {
        case .notAuthentic: "wrong key, or the bytes were altered: check that this key belongs to this data"
        case .missing: "check the path in the settings"
        case .permissions: "check owner and mode (ls -l): a key file must be yours alone, chmod 600"
        case .diskFull: "make room (df -h, df -i)"
        case .readOnly:
            "check that the file system is mounted read-write and that the service's user owns the file and its directory"
        case .locked: "another process is writing to this file: check that only one instance runs (fuser)"
        case .corrupt: "the file is damaged or not a database: check the disk, then restore a backup"
        case .foreign: "this file belongs to another program or service: check the path in the settings"
        case .newer: "install at least the version that wrote this file, or restore a backup from before the upgrade"
        case .inputOutput: "check the disk and the kernel's log (dmesg)"
        case .malformed, .crypto, .constraint, .misuse: nil
        }
    }

    /// The same about the kernel: `errno` and its text.
    package static func system(_ attempted: String, errno code: Int32) -> VaultError {
        let reason: Reason =
            switch code {
            case ENOENT: .missing
            case EACCES, EPERM: .permissions
            case ENOSPC, EDQUOT: .diskFull
            case EROFS: .readOnly
            default: .inputOutput
            }
        return VaultError(attempted, reason, said: String(cString: strerror(code)), code: code)
    }
}
