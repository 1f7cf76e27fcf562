import Synchronization

/// A log for events that others can cause as often as they like: a person who asks ten times a second, or a device that
/// sends nonsense. Lines of one kind are written once a minute, with how many there were since the last one. At the
/// level `debug` all of them are written.
///
/// ```swift
/// limitedLog.notice("claimed \(user)") { "\(user) has claimed \(sensor)\($0)" }
/// ```
///
/// The kind says what has happened, and who caused it. It contains nothing that strangers can make up: otherwise each
/// line would be of a different kind. Safe to use from any thread.
public final class LimitedLog: Sendable {
    private let log: Log
    private let now: @Sendable () -> UInt64
    private let kinds: Mutex<OncePerMinute<String>>

    /// - Parameters:
    ///   - log: where the lines are written.
    ///   - capacity: how many kinds there are in a minute, at most.
    ///   - now: milliseconds of a clock that never runs backwards.
    public init(
        _ log: Log = Daemon.log, capacity: Int = 4096,
        now: @escaping @Sendable () -> UInt64 = { millisecondsSinceBoot() }
    ) {
        self.log = log
        self.now = now
        kinds = Mutex(OncePerMinute(capacity: capacity))
    }

    /// Logs what an operator may want to see.
    /// - Parameter words: makes the line of what says how often this was.
    public func info(_ kind: String, _ words: (_ times: String) -> String) {
        if let times = times(kind, words) { log.info(words(times)) }
    }

    /// Logs what an operator should see.
    /// - Parameter words: makes the line of what says how often this was.
    public func notice(_ kind: String, event: LogEvent? = nil, _ words: (_ times: String) -> String) {
        if let times = times(kind, words) { log.notice(words(times), event: event) }
    }

    /// Logs that something is wrong while the program goes on.
    /// - Parameter words: makes the line of what says how often this was.
    public func warning(_ kind: String, event: LogEvent? = nil, _ words: (_ times: String) -> String) {
        if let times = times(kind, words) { log.warning(words(times), event: event) }
    }

    /// Logs that something that was asked for was not done.
    /// - Parameter words: makes the line of what says how often this was.
    public func error(_ kind: String, event: LogEvent? = nil, _ words: (_ times: String) -> String) {
        if let times = times(kind, words) { log.error(words(times), event: event) }
    }

    private func times(_ kind: String, _ words: (String) -> String) -> String? {
        let time = now()
        guard let count = kinds.withLock({ $0.count(kind, now: time) }) else {
            log.debug(words(""))
            return nil
        }
        return timesSinceLogged(count)
    }
}

/// What a line ends with that is logged once a minute: nothing the first time, ` (3 times since this was last logged)`
/// later.
public func timesSinceLogged(_ count: Int) -> String {
    count == 1 ? "" : " (\(count) times since this was last logged)"
}
