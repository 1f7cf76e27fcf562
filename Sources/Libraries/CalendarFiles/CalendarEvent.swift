public import Fitness

/// An event that comes each week, as a calendar has it: what a reminder is there.
public struct CalendarEvent: Hashable, Sendable {
    /// What it is known by, wherever it is. At most `mostUIDBytes` bytes.
    public var uid: String
    /// What people read, without spaces at its ends. At most `mostSummaryBytes` bytes.
    public var summary: String
    /// The first day on which it may be, of the years from 1900 to 2999; it need not be one of the weekdays.
    public var firstDay: CalendarDay
    /// The minute of the day on the wall of whoever reads it, from 0 to 1439.
    public var minute: Int
    /// From 1 for Monday to 7 for Sunday; at least one.
    public var weekdays: Set<Int>
    /// How many minutes before the time an alarm comes, 0 for at the time; nil for no alarm.
    public var alarmMinutes: Int?
    /// When it was changed last, in Unix milliseconds; nil if that is not known.
    public var modified: Int64?
    /// How often its time was changed.
    public var sequence: Int64

    /// The years of first days that are read. libical writes no day beyond the year 3000.
    static let years = 1900..<3000
    /// The longest uid that is read or written, in bytes.
    public static let mostUIDBytes = 255
    /// The longest summary that is read or written, in bytes.
    public static let mostSummaryBytes = 256

    /// An event from its parts.
    public init(
        uid: String, summary: String, firstDay: CalendarDay, minute: Int, weekdays: Set<Int>,
        alarmMinutes: Int?,
        modified: Int64?, sequence: Int64
    ) {
        self.uid = uid
        self.summary = summary
        self.firstDay = firstDay
        self.minute = minute
        self.weekdays = weekdays
        self.alarmMinutes = alarmMinutes
        self.modified = modified
        self.sequence = sequence
    }

    /// The same event as a calendar gives it back: its first day is the first one that is among its weekdays.
    public var aligned: CalendarEvent {
        var event = self
        for _ in 0..<7 where !weekdays.contains(event.firstDay.weekday) {
            event.firstDay = event.firstDay.advanced(by: 1)
        }
        return event
    }
}
