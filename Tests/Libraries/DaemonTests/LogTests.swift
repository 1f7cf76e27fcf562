import Foundation
import Synchronization
import Testing

@testable import Daemon

@Suite("Log")
struct LogTests {
    /// What `body` logs, as it arrives in a pipe.
    private func lines(
        _ style: Log.Style, level: LogLevel = .info, journal: String = "/nowhere", _ body: (Log) -> Void
    ) throws -> String {
        let pipe = Pipe()
        body(Log(descriptor: pipe.fileHandleForWriting.fileDescriptor, style: style, level: level, journal: journal))
        try pipe.fileHandleForWriting.close()
        return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// The time that a plain line begins with.
    private let time = #/20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z /#

    @Test("has an error of several lines in one, without the escapes of lines")
    func severalLines() throws {
        let error = SettingsError(file: "a.json5", key: "speed", problem: "too fast", hint: "see --help")
        let text = inOneLine(error)
        #expect("\(error)".contains("\n"), "the error has several lines")
        #expect(try lines(.terminal) { $0.error(text) }.contains("\\n") == false)
        #expect(text.contains("too fast") && text.contains("; ") && text.hasSuffix("see --help"), "\(text)")
    }

    @Test("has the time if nobody else adds it, and names the level, or gives the journal its number")
    func styles() throws {
        func all(_ log: Log) {
            log.debug("a")
            log.info("b")
            log.notice("c")
            log.warning("d")
            log.error("e")
        }
        let plain = try lines(.plain, level: .debug, all)
        #expect(plain.matches(of: time).count == 5)
        #expect(plain.replacing(time, with: "") == "debug: a\ninfo: b\nnotice: c\nwarning: d\nerror: e\n")
        #expect(try lines(.journal, level: .debug, all) == "<7>a\n<6>b\n<5>c\n<4>d\n<3>e\n")
        let terminal = try lines(.terminal, level: .error, all)
        #expect(terminal.wholeMatch(of: /[0-2][0-9]:[0-5][0-9]:[0-6][0-9] error: e\n/) != nil)
    }

    @Test("does not even make a message that is not written, until the level changes")
    func levels() throws {
        var made = 0
        func message() -> String {
            made += 1
            return "\(made)"
        }
        let text = try lines(.plain, level: .warning) { log in
            log.notice(message())
            #expect(made == 0)
            log.level = .debug
            #expect(log.level == .debug)
            log.debug(message())
        }
        #expect(text.replacing(time, with: "") == "debug: 1\n")
        #expect(LogLevel(name: "notice") == .notice && LogLevel(name: "loud") == nil)
        #expect(LogLevel.debug < .info && LogLevel.warning < .error)
    }

    @Test(
        "keeps hostile names on one line and away from the terminal",
        arguments: [
            ("a\nb\r\tc", "a\\nb\\r\\tc"), ("\u{1b}[31m\u{7}\u{0}\u{7f}", "\\u{1b}[31m\\u{7}\\u{0}\\u{7f}"),
            ("\u{85}\u{9b}\u{2028}\u{202e}\u{2066}", "\\u{85}\\u{9b}\\u{2028}\\u{202e}\\u{2066}"),
            ("Åse’s strap ❤️", "Åse’s strap ❤️"), ("a\r\nb", "a\\r\\nb"),
        ])
    func escapes(message: String, written: String) throws {
        #expect(try lines(.plain) { $0.info(message) }.replacing(time, with: "") == "info: \(written)\n")
    }

    @Test("cuts over-long lines, never inside a character")
    func cuts() throws {
        for padding in 0..<4 {
            let text = try lines(.plain) { log in
                log.info(String(repeating: "x", count: padding) + String(repeating: "😀", count: 1000))
            }
            #expect(text.utf8.count <= Log.longestLine && text.utf8.count > Log.longestLine - 4)
            #expect(text.hasSuffix("😀…\n") && !text.contains("\u{fffd}"))
        }
        #expect(try lines(.plain) { $0.info(String(repeating: "x", count: 2020)) }.hasSuffix("xx\n"))
    }

    @Test("an event goes to the journal with its id, on one line, and is written if the journal does not take it")
    func events() throws {
        let journal = try Supervisor("/tmp/vitals-" + UUID().uuidString)
        func all(_ log: Log) {
            log.warning("no broker\nPRIORITY=0", event: .brokerAway)
            LimitedLog(log).error("kind", event: .rulesNotInLine) { "x\($0)" }
            log.notice(String(repeating: "😀", count: 1000), event: .settingsRead)
        }
        #expect(try lines(.journal, journal: journal.name, all).isEmpty)
        #expect(
            journal.receive() == """
                PRIORITY=4
                SYSLOG_IDENTIFIER=\(Log.program)
                MESSAGE_ID=7be810c39cdd4bdeb314f8f7457fbecf
                VITALS_EVENT=broker-away
                MESSAGE=no broker\\nPRIORITY=0

                """)
        let second = try #require(journal.receive())
        #expect(second.contains("PRIORITY=3\n") && second.hasSuffix("VITALS_EVENT=rules-not-in-line\nMESSAGE=x\n"))
        let long = try #require(journal.receive())
        #expect(long.hasSuffix("😀…\n") && !long.contains("\u{fffd}") && long.utf8.count < 2 * Log.longestLine)

        let written = try lines(.journal, all)
        #expect(written.hasPrefix("<4>no broker\\nPRIORITY=0\n<3>x\n<5>😀"))
        // Nobody but the journal is told of ids.
        let plain = try lines(.plain, journal: journal.name) { $0.notice("a", event: .diskTakes) }
        #expect(plain.replacing(time, with: "") == "notice: a\n")
    }

    @Test("each event has an id and a name of its own")
    func ids() {
        let events = LogEvent.allCases
        #expect(Set(events.map(\.id)).count == events.count && Set(events.map(\.name)).count == events.count)
        for event in events { #expect(event.id.wholeMatch(of: /[0-9a-f]{32}/) != nil, "\(event)") }
    }

    @Test("names a moment as its day and second, in UTC")
    func moments() {
        #expect(utcTime(0) == "1970-01-01T00:00:00Z" && utcTime(1_795_252_800_999) == "2026-11-21T09:20:00Z")
        #expect(utcTime(951_782_399_999) == "2000-02-28T23:59:59Z")
        #expect(utcTime(951_782_400_000) == "2000-02-29T00:00:00Z")
    }

    @Test("what happens repeatedly is reported at once, and then once a minute with how often it was")
    func counts() {
        var count = CountToTell()
        #expect(count.toTell(of: 0, now: 5_000) == nil)
        #expect(count.toTell(of: 1, now: 5_000) == 1)
        #expect(count.toTell(of: 2, now: 5_001) == nil)
        #expect(count.toTell(of: 3, now: 64_999) == nil)
        #expect(count.toTell(of: 1, now: 65_000) == 6)
        #expect(count.toTell(of: 1, now: 65_001) == nil)
    }

    @Test("things of several kinds are told once a minute each, and no more of them than there is room for")
    func kinds() {
        var once = OncePerMinute<String>(capacity: 2)
        let first = [("a", 0), ("a", 59_999), ("b", 1), ("c", 2)].map { once.allows($0, now: $1) }
        #expect(first == [true, false, true, false])
        let second = [("a", 60_000), ("c", 60_001), ("b", 60_001)].map { once.allows($0, now: $1) }
        #expect(second == [true, true, false])
        once.forget { $0 == "c" }
        let third = [("a", 60_002), ("c", 60_002)].map { once.allows($0, now: $1) }
        #expect(third == [false, true])
        // What is left to report keeps its place as long as there is another.
        let counts = [("a", 4, 60_003), ("d", 1, 130_000), ("a", 1, 130_000)].map { once.count($0, $1, now: $2) }
        #expect(counts == [nil, 1, 6])
    }

    @Test("a problem that lasts is reported when it begins, when its reason changes, and once a minute")
    func trouble() {
        var trouble = LastingTrouble()
        #expect(trouble.toTell("refused", now: 1_000) == 1)
        #expect(trouble.toTell("refused", now: 2_000) == nil)
        #expect(trouble.toTell("not authorized", now: 3_000) == 1)
        #expect(trouble.toTell("not authorized", now: 4_000) == nil)
        #expect(trouble.toTell("not authorized", now: 63_000) == 2)
    }

    @Test("writes what comes repeatedly once a minute, with how often it came, and other kinds in between")
    func limited() throws {
        let time = Mutex<UInt64>(5_000)
        func claim(_ log: LimitedLog, _ who: String) {
            log.notice("claimed \(who)") { "\(who) has claimed a sensor\($0)" }
        }
        func all(_ log: Log) {
            let limited = LimitedLog(log) { time.withLock { $0 } }
            for _ in 1...100 { claim(limited, "eve") }
            claim(limited, "ada")
            time.withLock { $0 = 65_000 }
            claim(limited, "eve")
            claim(limited, "ada")
        }
        #expect(
            try lines(.journal, all) == """
                <5>eve has claimed a sensor
                <5>ada has claimed a sensor
                <5>eve has claimed a sensor (100 times since this was last logged)
                <5>ada has claimed a sensor

                """)
        time.withLock { $0 = 5_000 }
        let everything = try lines(.journal, level: .debug, all).split(separator: "\n")
        #expect(everything.count == 103 && everything.count { $0 == "<7>eve has claimed a sensor" } == 99)
    }

    @Test("writes each line at once, from many threads")
    func threads() throws {
        let text = try lines(.plain) { log in
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for line in 0..<20 { log.info("\(thread) \(line) end") }
            }
        }
        let lines = text.split(separator: "\n")
        #expect(lines.count == 160)
        #expect(lines.allSatisfy { $0.wholeMatch(of: /20\S+Z info: [0-7] \d+ end/) != nil })
    }

    @Test("continues when nobody reads")
    func survives() throws {
        signal(SIGPIPE, SIG_IGN)  // as Signals.block() does; harmless to other tests
        let pipe = Pipe()
        let log = Log(descriptor: pipe.fileHandleForWriting.fileDescriptor, style: .plain, level: .info)
        try pipe.fileHandleForReading.close()
        log.error("broken pipe")
        try pipe.fileHandleForWriting.close()
        Log(descriptor: -1, style: .plain, level: .info).error("no descriptor")
    }

    @Test("knows the journal by the device and inode of its stream")
    func journal() throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        var status = stat()
        try #require(fstat(descriptor, &status) == 0)
        #expect(Log.Style.fitting(descriptor, journalStream: "\(status.st_dev):\(status.st_ino)") == .journal)
        #expect(Log.Style.fitting(descriptor, journalStream: "\(status.st_dev):\(status.st_ino + 1)") == .plain)
        #expect(Log.Style.fitting(descriptor, journalStream: nil) == .plain)
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(terminal >= 0)
        defer { close(terminal) }
        #expect(Log.Style.fitting(terminal, journalStream: nil) == .terminal)
    }

    @Test(
        "tells the time of day in UTC",
        arguments: [
            (Int64(0), "00:00:00"), (1_700_000_000_999, "22:13:20"), (-1000, "23:59:59"),
        ])
    func times(unixMilliseconds: Int64, text: String) {
        #expect(timeOfDay(unixMilliseconds) == text)
    }
}
