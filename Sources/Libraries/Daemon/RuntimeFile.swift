internal import CLinux
import Glibc

/// A file of a fixed size in the machine's memory (tmpfs): it survives the process, but not a power cut. Writing to it never
/// waits for a disk, where the process may not be swapped out (`MemorySwapMax=0`).
///
/// It lies in the folder that systemd makes for a service (`RuntimeDirectory=`). One process has it at a time, until the
/// value is released or the process ends, however it ends; the lock is that of `StateLock`. What another program has put
/// there in its place is not touched. Its memory is reserved when it is opened, so that no write finds the memory full.
public final class RuntimeFile: Sendable {
    /// In bytes.
    public let size: Int
    private let descriptor: CInt

    /// The folder that systemd names in RUNTIME_DIRECTORY; nil if there is none.
    public static var folder: String? {
        environment("RUNTIME_DIRECTORY")?.split(separator: ":").first.map(String.init)
    }

    /// Opens or makes the file, and locks it. It keeps what it holds.
    /// - Throws: if it is not a file of ours in the machine's memory, or another process has it.
    public init(_ name: String, in folder: String, size: Int) throws(Failure) {
        self.size = size
        let path = "\(folder)/\(name)"
        guard Self.isInMemory(folder) else {
            throw Failure(.configuration, "\(folder) is not a folder in the machine's memory (tmpfs)")
        }
        guard Self.isOurs(folder, S_IFDIR, withoutMode: 0o022) else {
            throw Failure(.configuration, "others may write in \(folder), or it belongs to another user")
        }
        // A pipe of this name must not keep us waiting.
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
        guard descriptor >= 0 else { throw Failure(.configuration, "cannot open \(path): \(systemMessage(errno))") }
        self.descriptor = descriptor
        guard Self.isOurs(path, S_IFREG, withoutMode: 0o077), vitals_is_in_memory(descriptor) != 0 else {
            throw Failure(
                .configuration, "\(path) is not a file of ours alone", hint: "find out who has put it there")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw Failure(.temporary, "cannot lock \(path): \(systemMessage(errno))")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, [0, off_t(size)].contains(status.st_size) else {
            throw Failure(.configuration, "\(path) is a file of something else", hint: "find out who has put it there")
        }
        guard ftruncate(descriptor, off_t(size)) == 0 else {
            throw Failure(.inputOutput, "cannot cut \(path) to \(size) bytes: \(systemMessage(errno))")
        }
        let code = posix_fallocate(descriptor, 0, off_t(size))
        guard code == 0 else {
            throw Failure(.inputOutput, "cannot reserve \(size) bytes for \(path): \(systemMessage(code))")
        }
    }

    deinit {
        // A child that is being started has the descriptor, too: see `StateLock`.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func isInMemory(_ folder: String) -> Bool {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return vitals_is_in_memory(descriptor) != 0
    }

    /// Whether this is a file or folder of our user, under one name, without these rights.
    private static func isOurs(_ path: String, _ type: mode_t, withoutMode mode: mode_t) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == type && status.st_uid == geteuid()
            && status.st_mode & mode == 0 && (type == S_IFDIR || status.st_nlink == 1)
    }

    /// Bytes of the file; fewer of them, or none, if they cannot be read.
    public func read(_ range: Range<Int>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, range.count, off_t(range.lowerBound)))
        }
    }

    /// Writes within the file.
    /// - Returns: whether every byte was written.
    public func write(_ bytes: [UInt8], at offset: Int) -> Bool {
        guard offset >= 0, offset <= size - bytes.count else { return false }
        return pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count
    }
}
