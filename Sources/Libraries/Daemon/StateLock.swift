internal import CLinux
import Glibc

/// The right to write a state folder: one process has it at a time, until the value is released or the process ends,
/// however it ends.
///
/// It is an exclusive flock(2) on the file `lock` in the folder (0600), which the kernel releases when the process
/// ends, and which copying the folder does not copy. The file holds the process id for people; the program does not
/// rely on it. The file is never removed: a process that waited for the old file would lock one that nobody else sees.
///
/// The process also has a lock of fcntl(2), because the kernel tells others which process holds such a lock: this is
/// how the process that has the folder is found. It would not be enough alone: a process loses it when it closes the
/// file anywhere, and it never conflicts with itself.
public final class StateLock: Sendable {
    /// Its name in the folder.
    public static let file = "lock"

    private let descriptor: CInt

    /// Locks the folder, which must exist; does not wait.
    /// - Throws: `.temporary` if another process has it, which the error names; `.configuration` if the file
    ///   cannot be opened.
    public init(folder: String) throws(Failure) {
        let path = "\(folder)/\(Self.file)"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw Failure(
                .configuration, "cannot open \(path): \(systemMessage(errno))",
                hint: "check \"state\" in the settings, and who may write there")
        }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            if number == EINTR { continue }
            let known = vitals_lock_holder(descriptor)
            let holder = known > 0 ? "\(known)" : Self.writtenHolder(path)
            close(descriptor)
            guard number == EWOULDBLOCK else {
                throw Failure(
                    .inputOutput, "cannot lock \(path): \(systemMessage(number))",
                    hint: "the file system must support flock(2)")
            }
            throw Failure(
                .temporary, "the state folder \(folder) is in use by process \(holder)",
                hint: "stop that process first, or give this one its own folder: \"state\" in the settings")
        }
        // For people only: if it cannot be written, as on a full disk, the lock still holds.
        let text = Array("\(getpid())\n".utf8)
        _ = vitals_lock(descriptor)
        if ftruncate(descriptor, 0) == 0 { _ = write(descriptor, text, text.count) }
        self.descriptor = descriptor
    }

    deinit {
        // Closing alone is not enough: a child that is being started has the descriptor, too, until it runs its
        // program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// The process that has a folder; nil if none has. Asking does not lock it.
    /// - Throws: if the kernel does not say which process it is: one of an earlier version, or a stranger that has
    ///   locked the file.
    public static func holder(of folder: String) throws(Failure) -> StateHolder? {
        let path = "\(folder)/\(Self.file)"
        // A pipe of this name must not keep us waiting.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // A shared lock, for this moment, is refused if somebody has the exclusive one.
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
        // A file of another name may be another program's lock.
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
            throw Failure(.data, "\(path) is not a lock of ours", hint: "find out who has put it there")
        }
        let process = vitals_lock_holder(descriptor)
        let handle = process > 0 ? vitals_pidfd_open(process) : -1
        // Asked again now that we have the handle: so the handle is that of the process that has the lock, not of a
        // later one with its number.
        guard handle >= 0, vitals_lock_holder(descriptor) == process else {
            if handle >= 0 { close(handle) }
            throw Failure(
                .unavailable, "a process has \(folder), and the kernel does not say which one",
                hint: "it may be of an earlier version: restart it, such as by systemctl restart vitals-gateway")
        }
        return StateHolder(process: process, handle: handle)
    }

    /// The process that says it has the lock: for people only.
    private static func writtenHolder(_ path: String) -> String {
        guard case .success(let bytes) = readFile(path, atMost: 32),
            let pid = Int32(String(decoding: bytes, as: UTF8.self).prefix { $0.isNumber })
        else { return "(unknown)" }
        return "\(pid)"
    }
}

/// A process that has a state folder. Its number may become another process's; this always means the same process.
public final class StateHolder: Sendable {
    /// Its number, for people.
    public let process: Int32
    /// A pidfd(2).
    private let handle: CInt

    init(process: Int32, handle: CInt) {
        self.process = process
        self.handle = handle
    }

    deinit { close(handle) }

    /// Sends it a signal.
    /// - Throws: if it has ended, or is another user's.
    public func signal(_ signal: Signal) throws(Failure) {
        guard vitals_pidfd_send_signal(handle, signal.rawValue) != 0 else { return }
        throw Failure(.inputOutput, "process \(process) was not told: \(systemMessage(errno))")
    }
}
