import Glibc
import Reactor
import Synchronization

// Mail leaves by a program of the operator's, such as sendmail: it is started without a shell, gets one whole message
// on its standard input, and says with its exit status whether it took it. It runs on a thread of its own here, which
// waits for it at most half a minute.

/// A mail: plain text for one receiver.
struct Mail: Sendable {
    private let to: EmailAddress
    private let subject: String
    private let body: String

    /// - Parameters:
    ///   - subject: ASCII, one line.
    ///   - body: ASCII, lines that end with \n.
    init(to: EmailAddress, subject: String, body: String) {
        self.to = to
        self.subject = subject
        self.body = body
    }

    /// The message (RFC 5322), without From, which the mail program must know (sendmail and msmtp add it). An
    /// `EmailAddress` has no character that could end a line; subject and body are ours.
    /// - Parameter time: Unix milliseconds.
    func bytes(time: Int64) -> [UInt8] {
        let lines = [
            "To: \(to.text)", "Subject: \(subject)", "Date: \(internetDate(time))",
            "Auto-Submitted: auto-generated", "MIME-Version: 1.0", "Content-Type: text/plain; charset=us-ascii",
            "Content-Transfer-Encoding: 7bit", "",
        ]
        // Programs that take mail on their standard input expect it with the line ends of the system.
        return Array((lines.joined(separator: "\n") + "\n" + body).utf8)
    }
}

/// Sends mail with a program. Its thread ends with the value.
final class MailCommand: Sendable {
    private let command: [String]
    private let limit: Duration
    private let thread = EventLoop(name: "mail")
    private let waiting = Mutex(0)
    /// How many mails may wait.
    private static let capacity = 64

    /// - Parameters:
    ///   - command: the program's path and its arguments.
    ///   - limit: how long it may take.
    init(_ command: [String], limit: Duration = .seconds(30)) {
        self.command = command
        self.limit = limit
        thread.start()
    }

    deinit { thread.end() }

    /// Sends a message, when its turn comes. `failed` is called on the mail thread, and its text holds nothing of the
    /// message.
    func send(_ message: [UInt8], failed: @escaping @Sendable (String) -> Void) {
        let isTaken = waiting.withLock { waiting in
            guard waiting < Self.capacity else { return false }
            waiting += 1
            return true
        }
        guard isTaken else { return failed("too many mails are waiting") }
        thread.perform { [command, limit, weak self] in
            defer { self?.waiting.withLock { $0 -= 1 } }
            if let problem = Self.run(command, message, limit) { failed("\(command[0]): \(problem)") }
        }
    }

    /// - Returns: what went wrong; nil if nothing did.
    private static func run(_ command: [String], _ message: [UInt8], _ limit: Duration) -> String? {
        // A socket, because a write to it can be told not to end this process if the program has gone.
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return system(errno)
        }
        defer { close(ends[0]) }
        var program: pid_t = 0
        let code = spawn(command, input: ends[1], &program)
        close(ends[1])
        guard code == 0 else { return system(code) }
        let end = ContinuousClock.now + limit
        let problem = write(message, to: ends[0], until: end)
        shutdown(ends[0], CInt(SHUT_WR))
        return wait(for: program, until: end) ?? problem
    }

    /// Starts the program in a process group of its own, with none of our descriptors open except its input, and no
    /// signal blocked.
    private static func spawn(_ command: [String], input: CInt, _ program: inout pid_t) -> CInt {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        for descriptor in openDescriptors() where descriptor > 2 {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        let words = command.map { strdup($0) } + [nil]
        let variables = [strdup("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"), nil]
        defer { for text in words + variables { free(text) } }
        return posix_spawn(&program, command[0], &actions, &attributes, words, variables)
    }

    /// Not all libraries are known to mark their descriptors as not to be inherited; `closefrom` would be one call, but
    /// posix_spawn_file_actions_addclosefrom_np does not import.
    private static func openDescriptors() -> [CInt] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var found: [CInt] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let descriptor = CInt(name) { found.append(descriptor) }
        }
        return found
    }

    private static func write(_ message: [UInt8], to socket: CInt, until end: ContinuousClock.Instant) -> String? {
        var rest = message[...]
        while !rest.isEmpty {
            guard ContinuousClock.now < end else { return "it does not read the mail" }
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN || errno == EINTR {
                var entry = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, 100)
            } else {
                return "it did not read the whole mail"
            }
        }
        return nil
    }

    /// Waits for the program's end, and kills it, and everything that it has started, when the time is over.
    private static func wait(for program: pid_t, until end: ContinuousClock.Instant) -> String? {
        var status: CInt = 0
        while true {
            let found = waitpid(program, &status, WNOHANG)
            if found == program { break }
            if found < 0, errno != EINTR { return system(errno) }
            guard ContinuousClock.now < end else {
                kill(-program, SIGKILL)
                while waitpid(program, &status, 0) < 0, errno == EINTR {}
                return "it took too long, and was ended"
            }
            usleep(20_000)
        }
        // The macros of wait(2) do not import: the low seven bits are the signal, the next eight the status.
        if status & 0x7F != 0 { return "it was ended by signal \(status & 0x7F)" }
        let code = (status >> 8) & 0xFF
        return code == 0 ? nil : "it ended with status \(code)"
    }

    private static func system(_ code: CInt) -> String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }
}

/// A time in UTC as mails have it: `Sat, 21 Nov 2026 18:12:00 +0000` (RFC 5322, 3.3).
func internetDate(_ milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    func two(_ number: CInt) -> String { number < 10 ? "0\(number)" : "\(number)" }
    // gmtime_r keeps both within their ranges.
    let (day, month) = (days[Int(parts.tm_wday)], months[Int(parts.tm_mon)])
    let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(two).joined(separator: ":")
    return "\(day), \(parts.tm_mday) \(month) \(parts.tm_year + 1900) \(time) +0000"
}
