import Glibc

/// The right to write a state folder: one process has it at a time, until the value goes or the process ends, however it ends.
///
/// It is an exclusive flock(2) on the file `lock` in the folder (0600), which the kernel takes back with the process, and which copying
/// the folder does not copy. The file holds the process id for people; nothing is decided by it, and it is never removed:
/// whoever waited for the old file would lock one that no one else sees.
public final class StateLock: Sendable {
    private let descriptor: CInt

    /// Takes the folder, which must exist; does not wait.
    /// - Throws: `.temporary` where another process has it, naming that; `.configuration` where the file cannot be opened.
    public init(folder: String) throws(Failure) {
        let path = folder + "/lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw Failure(
                .configuration, "cannot open \(path): \(systemMessage(errno))",
                hint: "check \"state\" in the settings, and who may write there")
        }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let number = errno
            if number == EINTR { continue }
            let holder = Self.holder(path)
            close(descriptor)
            guard number == EWOULDBLOCK else {
                throw Failure(
                    .failure, "cannot lock \(path): \(systemMessage(number))",
                    hint: "the file system must know flock(2)")
            }
            throw Failure(
                .temporary, "the state folder \(folder) is in use by process \(holder)",
                hint: "stop that first, or give this one a folder of its own: \"state\" in the settings")
        }
        // For people only: where it cannot be written, as on a full disk, the lock holds all the same.
        let text = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) == 0 { _ = write(descriptor, text, text.count) }
        self.descriptor = descriptor
    }

    deinit {
        // Not by closing alone: a child that is being started has the descriptor, too, until it runs its program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// The process that has a folder; nil where none has, or it does not say. Whoever asks does not take it.
    public static func holder(of folder: String) -> Int32? {
        let path = folder + "/lock"
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        // A shared lock, for this moment, is refused where somebody has the exclusive one.
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
        return Int32(holder(path))
    }

    /// Who says to have it.
    private static func holder(_ path: String) -> String {
        guard case .success(let bytes) = readFile(path, atMost: 32),
            let pid = Int32(String(decoding: bytes, as: UTF8.self).prefix { $0.isNumber })
        else { return "(unknown)" }
        return "\(pid)"
    }
}
