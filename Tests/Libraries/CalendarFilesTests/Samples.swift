import CalendarFiles
import Fitness
import TestSupport
import Testing

/// An event of every Monday and Thursday.
func sample(
    uid: String = "0197-reminder", summary: String = "Stretch", day: String = "2026-11-23", minute: Int = 450,
    weekdays: Set<Int> = [1, 4], alarm: Int? = 10
) throws -> CalendarEvent {
    CalendarEvent(
        uid: uid, summary: summary, firstDay: try #require(CalendarDay(day)), minute: minute, weekdays: weekdays,
        alarmMinutes: alarm, modified: 1_795_600_000_000, sequence: 3)
}

/// A resource with one event that has these lines, and a UID.
func resource(_ lines: String, uid: String = "u", other: String = "") -> [UInt8] {
    let text = """
        BEGIN:VCALENDAR
        VERSION:2.0
        PRODID:-//Somebody//Else//EN
        \(other)BEGIN:VEVENT
        UID:\(uid)
        \(lines)
        END:VEVENT
        END:VCALENDAR

        """
    return Array(text.split(separator: "\n").joined(separator: "\r\n").utf8)
}

/// Why a resource is not read.
func refusal(_ bytes: [UInt8]) -> CalendarFileError? {
    thrown(CalendarFileError.self) { try calendarEvent(in: bytes) }
}
