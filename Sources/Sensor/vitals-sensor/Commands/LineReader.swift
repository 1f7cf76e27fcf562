import Glibc
import Reactor

/// Lines from a descriptor, as they come. The end of the input only ends the reading.
final class LineReader {
    private let descriptor: Int32
    private let take: (String) -> Void
    private var watch: EventLoop.Watch?
    private var rest: [UInt8] = []

    private static let longestLine = 4096

    init(_ descriptor: Int32, on loop: EventLoop, take: @escaping (String) -> Void) {
        self.descriptor = descriptor
        self.take = take
        watch = loop.watch(descriptor, for: .readable) { [unowned self] _ in readable() }
    }

    func cancel() {
        watch?.cancel()
        watch = nil
    }

    private func readable() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        // poll has said that there is something, so this does not wait.
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0 else { return cancel() }
        rest += buffer[..<count]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest.removeSubrange(...end)
            take(line)
        }
        if rest.count > Self.longestLine { rest = [] }
    }
}
