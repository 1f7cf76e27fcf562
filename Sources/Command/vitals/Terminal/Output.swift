import Daemon
import Glibc
import Telemetry

/// Standard output and standard error.
enum Output {
    /// Writes lines to standard output, all at once and without a buffer.
    /// - Returns: false when its reader has gone, as `head` does when it has enough. That is not an error.
    /// - Throws: why it cannot be written: a disk that is full, say.
    @discardableResult
    static func write(_ text: String) throws(Failure) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:  // A terminal that somebody else has made non-blocking.
                var entry = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, -1)
            case EPIPE: return false
            case let number:
                throw Failure(.inputOutput, "cannot write to standard output: \(String(cString: strerror(number)))")
            }
        }
        return true
    }

    /// Whether programs read what is printed.
    private static let isJSON = CommandLine.arguments.prefix { $0 != "--" }.contains("--json")

    /// Tells the person something that is not output; tells a program the same as an object, like everything else that
    /// it reads.
    static func note(_ text: String) {
        let text = Hints.completed(text)
        let json: JSON = ["note": .string(text)]
        let line = isJSON ? json.bytes + [UInt8(ascii: "\n")] : Array("vitals: \(escaped(text))\n".utf8)
        _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Asks the person at the terminal something, wherever output and errors go.
    /// - Parameter isRaw: the text is our own, and may move the cursor.
    static func ask(_ question: String, isRaw: Bool = false) {
        let terminal = open("/dev/tty", O_WRONLY | O_CLOEXEC | O_NOCTTY)
        defer { if terminal >= 0 { close(terminal) } }
        let bytes = Array((isRaw ? question : escaped(question)).utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(terminal >= 0 ? terminal : STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Whether nobody reads standard output any more. A pipe says so even if nothing is written.
    static var readerHasGone: Bool {
        var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&entry, 1, 0) == 1 && entry.revents & Int16(POLLERR | POLLNVAL) != 0
    }

    /// Writing to a reader that has gone becomes an error that `write` sees, rather than the end of the process. The
    /// session's socket needs that, too.
    static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}

/// Colours, where they are wanted: on a terminal, unless NO_COLOR is set (no-color.org).
struct Style {
    let isOn: Bool

    init() {
        isOn = isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR") == nil && variable("TERM") != "dumb"
    }

    func dim(_ text: String) -> String { wrap(text, "2") }
    func bold(_ text: String) -> String { wrap(text, "1") }
    func red(_ text: String) -> String { wrap(text, "31") }
    func green(_ text: String) -> String { wrap(text, "32") }
    func cyan(_ text: String) -> String { wrap(text, "36") }
    func yellow(_ text: String) -> String { wrap(text, "33") }

    /// Up to four bars, as telephones show a signal; nil if there is no terminal to look at them.
    func bars(_ count: Int) -> String? {
        let bars = "▂▄▆█"
        return isOn ? String(bars.prefix(count)) + dim(String(bars.dropFirst(count))) : nil
    }

    private func wrap(_ text: String, _ code: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
