import Fitness
import Glibc
import Synchronization

// One line, one write(2): lines of several threads never mix, and nothing is left in a buffer when the process is
// killed. A message may hold what a stranger's sensor calls itself, so it is made harmless here, not by each caller.

/// How important a log line is, the least important first. The raw value is the priority of syslog(3).
public enum LogLevel: Int, Sendable, CaseIterable, Comparable {
    /// What a developer wants to see.
    case debug = 7
    /// What an operator may want to see.
    case info = 6
    /// What an operator should see: something started, changed or ended.
    case notice = 5
    /// Something is wrong, but the program continues.
    case warning = 4
    /// Something that was asked for was not done.
    case error = 3

    /// The level's name: `debug`, `info`, `notice`, `warning`, `error`.
    public var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        }
    }

    /// The level of that name.
    public init?(name: String) {
        guard let level = LogLevel.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// Whether `first` is less important than `second`.
    public static func < (first: LogLevel, second: LogLevel) -> Bool {
        first.rawValue > second.rawValue
    }
}

/// The program's log, on stderr, from `info` upwards until its `level` is set.
public let log = Log(descriptor: 2, style: .fitting(2), level: .info)

/// Writes log lines, each by one `write(2)`: `<6>message` for the systemd journal, which adds the time itself,
/// `07:31:02 info: message` (UTC) on a terminal, `2026-11-22T07:31:02Z info: message` otherwise, such as in a file.
/// A line with an event goes to the journal as an entry with its id (systemd.io/JOURNAL_NATIVE_PROTOCOL); the journal may
/// show it some milliseconds before or after the lines around it.
/// Control characters are escaped, lines over 2,048 bytes are cut. Never throws and never ends the program: if
/// nobody reads, lines are lost (`Signals.block()` ignores SIGPIPE for the whole process). Safe to use from any thread.
public final class Log: Sendable {
    /// The longest line in bytes, its newline included.
    static let longestLine = 2048

    enum Style: Sendable {
        case journal, terminal, plain
    }

    /// The program's name, as the journal shows it.
    static let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "vitals"

    private let descriptor: CInt
    private let style: Style
    private let journal: String
    private let threshold: Atomic<Int>

    init(descriptor: CInt, style: Style, level: LogLevel, journal: String = "/run/systemd/journal/socket") {
        self.descriptor = descriptor
        self.style = style
        self.journal = journal
        threshold = Atomic(level.rawValue)
    }

    /// The lowest level that is written.
    public var level: LogLevel {
        get { LogLevel(rawValue: threshold.load(ordering: .relaxed)) ?? .info }
        set { threshold.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Logs what a developer wants to see. The message is not even made when the level is not written.
    public func debug(_ message: @autoclosure () -> String) { line(.debug, message) }

    /// Logs what an operator may want to see.
    public func info(_ message: @autoclosure () -> String) { line(.info, message) }

    /// Logs what an operator should see.
    public func notice(_ message: @autoclosure () -> String, event: LogEvent? = nil) { line(.notice, message, event) }

    /// Logs that something is wrong while the program continues.
    public func warning(_ message: @autoclosure () -> String, event: LogEvent? = nil) { line(.warning, message, event) }

    /// Logs that something that was asked for was not done.
    public func error(_ message: @autoclosure () -> String, event: LogEvent? = nil) { line(.error, message, event) }

    private func line(_ level: LogLevel, _ message: () -> String, _ event: LogEvent? = nil) {
        guard level.rawValue <= threshold.load(ordering: .relaxed) else { return }
        let message = escaped(message())
        // A journal that does not take it may still read what is written.
        if style == .journal, let event, send(entry(level, message, event), toSocket: journal) { return }
        let start =
            switch style {
            case .journal: "<\(level.rawValue)>"
            case .terminal: "\(timeOfDay(unixMilliseconds())) \(level.name): "
            case .plain: "\(utcTime(unixMilliseconds())) \(level.name): "
            }
        let text = cut(Array((start + message).utf8), to: Log.longestLine - 1)
        write(text + [UInt8(ascii: "\n")], to: descriptor)
    }

    /// An entry for the journal: one field in each line. The message has no line break, because it is escaped.
    private func entry(_ level: LogLevel, _ message: String, _ event: LogEvent) -> [UInt8] {
        let fields = """
            PRIORITY=\(level.rawValue)
            SYSLOG_IDENTIFIER=\(Log.program)
            MESSAGE_ID=\(event.id)
            VITALS_EVENT=\(event.name)
            MESSAGE=
            """
        return Array(fields.utf8) + cut(Array(message.utf8), to: Log.longestLine - 1) + [UInt8(ascii: "\n")]
    }
}

extension Log.Style {
    /// The style for a descriptor: `.journal` when the journal itself reads it. JOURNAL_STREAM names device and inode
    /// of the journal's socket (systemd.exec(5)); comparing them keeps the prefixes out of a file or a terminal to
    /// which a child of a service was redirected.
    static func fitting(_ descriptor: CInt, journalStream: String? = environment("JOURNAL_STREAM")) -> Log.Style {
        var status = stat()
        if let journalStream, fstat(descriptor, &status) == 0, journalStream == "\(status.st_dev):\(status.st_ino)" {
            return .journal
        }
        return isatty(descriptor) == 1 ? .terminal : .plain
    }
}

/// `hh:mm:ss`, UTC.
func timeOfDay(_ unixMilliseconds: Int64) -> String { timeOfDay(seconds: unixMilliseconds.floorDivided(by: 1000)) }

/// A variable of the process's environment.
func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}
