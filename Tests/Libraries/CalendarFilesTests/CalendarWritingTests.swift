import CalendarFiles
import Fitness
import Foundation
import TestSupport
import Testing

@Suite("Writing events of calendars", .timeLimit(.minutes(60)))
struct CalendarWritingTests {
    private static let script = "\(projectFolder)/Tests/Libraries/CalendarFilesTests/read.py"

    private func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
    }

    @Test("writes an event with all that a calendar needs, and reads it again")
    func written() throws {
        let event = try sample()
        let bytes = calendarFile(of: [event], name: nil)
        #expect(try calendarEvent(in: bytes) == event)
        let lines = lines(bytes)
        for line in [
            "BEGIN:VCALENDAR", "VERSION:2.0", "UID:0197-reminder", "SUMMARY:Stretch", "DTSTART:20261123T073000",
            "RRULE:FREQ=WEEKLY;BYDAY=MO,TH", "DURATION:PT15M", "TRANSP:TRANSPARENT", "BEGIN:VALARM", "ACTION:DISPLAY",
            "TRIGGER:-PT10M", "DTSTAMP:20261125T094640Z", "LAST-MODIFIED:20261125T094640Z", "SEQUENCE:3",
        ] { #expect(lines.contains(line), "\(line) in \(lines)") }
        #expect(!lines.contains { $0.hasPrefix("X-WR-CALNAME") || $0.hasPrefix("NAME") })
        let named = self.lines(calendarFile(of: [], name: "Fitness, mine"))
        #expect(named.contains("X-WR-CALNAME:Fitness, mine") && named.contains("NAME:Fitness\\, mine"))
    }

    @Test("random events come back as they were, whatever their titles say")
    func random() throws {
        var dice = SeededGenerator(seed: 5)
        let pieces = ["a", ",", ";", "\\", ":", "\"", "ü", "🏃", "END:VEVENT", " ", "=", "世界", "\\n", "^n", "x"]
        for number in 0..<300 {
            let title = (0...number % 30).compactMap { _ in pieces.randomElement(using: &dice) }.joined()
                .trimmingCharacters(in: .whitespaces)
            let weekdays = Set((0...number % 7).map { _ in Int.random(in: 1...7, using: &dice) })
            let event = CalendarEvent(
                uid: "u-\(number)", summary: title,
                firstDay: CalendarDay(daysSince1970: .random(in: 0...40_000, using: &dice)),
                minute: .random(in: 0..<1440, using: &dice), weekdays: weekdays,
                alarmMinutes: number % 3 == 0 ? nil : .random(in: 0...1440, using: &dice),
                modified: Int64.random(in: 0...4_000_000_000, using: &dice) * 1000,
                sequence: .random(in: 0...1000, using: &dice))
            let again = try calendarEvent(in: calendarFile(of: [event], name: nil))
            #expect(again == event.aligned, "\(number)")
        }
    }

    @Test("keeps what somebody else has written into an event, and touches only what has changed")
    func kept() throws {
        let zone =
            "BEGIN:VTIMEZONE\nTZID:Europe/Berlin\nBEGIN:STANDARD\nDTSTART:19701025T030000\nTZOFFSETFROM:+0200\n"
            + "TZOFFSETTO:+0100\nEND:STANDARD\nEND:VTIMEZONE\n"
        let original = resource(
            """
            DTSTART;TZID=Europe/Berlin:20261123T073000
            DTEND;TZID=Europe/Berlin:20261123T083000
            RRULE:FREQ=WEEKLY
            SUMMARY:Old
            SEQUENCE:9
            COLOR:tomato
            LOCATION:Park
            X-OTHER;X-P=1:kept
            BEGIN:VALARM
            ACTION:EMAIL
            TRIGGER:-PT7M
            SUMMARY:mail
            DESCRIPTION:mail
            ATTENDEE:mailto:a@example.com
            END:VALARM
            BEGIN:VALARM
            ACTION:AUDIO
            TRIGGER:-PT15M
            ATTACH;VALUE=URI:Chord
            END:VALARM
            """, other: zone)
        var event = try calendarEvent(in: original)
        event.summary = "New"
        event.modified = 1_795_600_000_000
        let renamed = lines(calendarFile(of: event, keeping: original))
        for line in [
            "SUMMARY:New", "DTEND;TZID=Europe/Berlin:20261123T083000", "RRULE:FREQ=WEEKLY", "ACTION:AUDIO",
            "ATTACH:Chord", "SEQUENCE:9", "BEGIN:VTIMEZONE", "COLOR:tomato", "X-OTHER;X-P=1:kept",
            "LAST-MODIFIED:20261125T094640Z",
        ] { #expect(renamed.contains(line), "\(line) in \(renamed)") }
        #expect(!renamed.contains("SUMMARY:Old"))
        event.minute = 600
        event.weekdays = [2, 3]
        event.alarmMinutes = nil
        event.sequence = 10
        let moved = calendarFile(of: event, keeping: original)
        #expect(try calendarEvent(in: moved) == event.aligned)
        for line in [
            "DTSTART;TZID=Europe/Berlin:20261124T100000", "DURATION:PT1H", "RRULE:FREQ=WEEKLY;BYDAY=TU,WE",
            "ACTION:EMAIL", "LOCATION:Park", "SEQUENCE:10",
        ] { #expect(lines(moved).contains(line), "\(line) in \(lines(moved))") }
        #expect(!lines(moved).contains { $0.hasPrefix("DTEND") || $0 == "ACTION:AUDIO" })
    }

    @Test("a control within a line is a space, before and after it is written again")
    func controls() throws {
        let original = resource("DTSTART:20261123T073000\nRRULE:FREQ=WEEKLY\nSUMMARY:a\rb\u{7}c\\fd\\te\\xf")
        var event = try calendarEvent(in: original)
        #expect(event.summary == "a b cd e f")
        event.alarmMinutes = 5
        #expect(try calendarEvent(in: calendarFile(of: event, keeping: original)).summary == "a b cd e f")
    }

    @Test("writes a whole event where the original is another, or none at all")
    func withoutOriginal() throws {
        let event = try sample()
        let whole = calendarFile(of: [event], name: nil)
        #expect(calendarFile(of: event, keeping: nil) == whole)
        #expect(calendarFile(of: event, keeping: Array("nonsense".utf8)) == whole)
        let other = calendarFile(of: [try sample(uid: "other")], name: nil)
        #expect(calendarFile(of: event, keeping: other) == whole)
    }

    @Test("Python's icalendar and recurring-ical-events read the same times")
    func elsewhere() throws {
        let events = [
            try sample(),
            try sample(uid: "b", summary: "Ü,;\\ 🏃", day: "2026-11-24", minute: 0, weekdays: [7], alarm: nil),
        ]
        let folder = try TemporaryFolder()
        let path = folder.path("calendar.ics")
        try Data(calendarFile(of: events, name: "Fitness Calendar")).write(to: URL(fileURLWithPath: path))
        let told = try RunningProgram.runPython([Self.script, path, "2026-11-20", "2026-12-04"])
        #expect(
            told.split(separator: "\n").sorted() == [
                "2026-11-23T07:30:00 Stretch -10", "2026-11-26T07:30:00 Stretch -10",
                "2026-11-29T00:00:00 Ü,;\\ 🏃 none",
                "2026-11-30T07:30:00 Stretch -10", "2026-12-03T07:30:00 Stretch -10",
            ])
    }
}
