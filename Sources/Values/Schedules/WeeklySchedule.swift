public import Fitness

// When a reminder is due. It is a time on the wall of the person who is reminded, wherever they are, on some weekdays, from a day on.
// A calendar would say it as DTSTART without a zone ("floating", RFC 5545, 3.3.5), RRULE:FREQ=WEEKLY;BYDAY=…, and a VALARM that is
// triggered some minutes before.

/// A time of day on some weekdays, and how long before it somebody wants to be told.
public struct WeeklySchedule: Hashable, Sendable {
    /// The first day on which it may be; it need not be one of the weekdays.
    public var firstDay: CalendarDay
    /// The minute of the day, from 0 to 1439.
    public var minute: Int
    /// From 1 for Monday to 7 for Sunday; at least one.
    public var weekdays: Set<Int>
    /// How many minutes before the time an alarm is told, 0 for at the time; nil if none is told.
    public var alarmMinutes: Int?

    /// A time of day on some weekdays.
    public init(firstDay: CalendarDay, minute: Int, weekdays: Set<Int>, alarmMinutes: Int?) {
        self.firstDay = firstDay
        self.minute = minute
        self.weekdays = weekdays
        self.alarmMinutes = alarmMinutes
    }

    /// One of the times.
    public struct Occurrence: Hashable, Sendable {
        /// The day on the person's wall.
        public let day: CalendarDay
        /// When the alarm is told, in Unix milliseconds.
        public let alarm: Int64

        /// One of the times from its parts.
        public init(day: CalendarDay, alarm: Int64) { (self.day, self.alarm) = (day, alarm) }
    }

    /// The first occurrence whose alarm is at some moment or after it.
    /// - Parameters:
    ///   - day: only occurrences on later days count; nil for all.
    ///   - moment: Unix milliseconds.
    ///   - zone: where the person is.
    /// - Returns: nil if no alarm is told, or there is no weekday.
    public func next(after day: CalendarDay? = nil, from moment: Int64, in zone: ZoneRules) -> Occurrence? {
        guard let alarmMinutes else { return nil }
        let lead = Int64(alarmMinutes) * 60_000
        // A time that no clock shows is on the next day if that is where the clocks are put forward to.
        var candidate = max(firstDay, zone.day(at: moment + lead).advanced(by: -2))
        if let day { candidate = max(candidate, day.advanced(by: 1)) }
        for _ in 0..<Self.mostCandidates {
            defer { candidate = candidate.advanced(by: 1) }
            guard weekdays.contains(candidate.weekday) else { continue }
            let local = candidate.daysSince1970 * 86_400 + Int64(minute) * 60
            let alarm = zone.time(ofLocalSeconds: local) * 1000 - lead
            if alarm >= moment { return Occurrence(day: candidate, alarm: alarm) }
        }
        return nil
    }

    /// Each weekday comes within a week, and the first days may be over: this many days are enough.
    private static let mostCandidates = 14
}

// MARK: The time as a text

extension WeeklySchedule {
    /// The time of day as people write it: `07:30`.
    public var time: String { String(timeOfDay(seconds: Int64(minute) * 60).prefix(5)) }

    /// The minute of the day that a text such as `07:30` says; nil if it says none.
    public static func minute(_ text: String) -> Int? {
        guard text.utf8.count == 5, let time = unixMilliseconds(iso8601: "1970-01-01T\(text):00Z") else { return nil }
        return Int(time / 60_000)
    }
}
