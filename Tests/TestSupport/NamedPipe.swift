import Foundation
import Glibc

/// Something that another program writes, and a test waits for: a named pipe (fifo(7)).
public final class NamedPipe {
    /// Where the other program writes to.
    public let path: String
    private var descriptor: CInt

    /// Makes it in a folder, which has to outlive it.
    public init(in folder: TemporaryFolder, _ name: String = "pipe") throws {
        path = folder.path(name)
        guard mkfifo(path, 0o600) == 0 else { throw TestFailure("mkfifo: \(String(cString: strerror(errno)))") }
        descriptor = try Self.opened(path)
    }

    private static func opened(_ path: String) throws -> CInt {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw TestFailure("open: \(String(cString: strerror(errno)))") }
        return descriptor
    }

    deinit { close(descriptor) }

    /// All that the next program writes there until it closes it.
    public func read(within limit: Duration = limit) throws -> String {
        let end = ContinuousClock.now + limit
        var text: [UInt8] = []
        while true {
            // As long as nobody has opened it for writing, there is nothing to report.
            guard isReadable(descriptor, within: end - .now) else { throw TestFailure("nothing was written to \(path) within \(limit)") }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else {
                // The end of this program's writing must not be taken for that of the next one.
                let next = try Self.opened(path)
                close(descriptor)
                descriptor = next
                return String(decoding: text, as: UTF8.self)
            }
            text += bytes.prefix(count)
        }
    }
}
