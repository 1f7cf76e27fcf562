import Daemon
import Glibc
import Reactor
import Synchronization

// Mail leaves by a program of the operator's, such as sendmail: it gets one whole message on its standard input, and says
// with its exit status whether it took it. A thread of its own waits for it here, at most half a minute.

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
    private let path: String
    private let program: ExternalProgram
    private let limit: Duration
    private let thread = EventLoop(name: "mail")
    private let waiting = Mutex(0)
    /// How many mails may wait.
    private static let capacity = 64

    /// - Parameters:
    ///   - command: the program's absolute path and its arguments.
    ///   - limit: how long it may take.
    init(_ command: [String], limit: Duration = .seconds(30)) {
        path = command[0]
        program = ExternalProgram(command)
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
        thread.perform { [path, program, limit, weak self] in
            defer { self?.waiting.withLock { $0 -= 1 } }
            let ending = program.run(message, within: limit)
            if ending != .status(0) { failed("\(path): \(ending)") }
        }
    }
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
