import CICal
import Fitness

// What Nextcloud, Apple's Calendar, Thunderbird and DAVx5 write for an event of each week is read: a time in a zone (TZID), of
// which only what the clock on the wall shows counts, or in none; RRULE with FREQ=WEEKLY, or with FREQ=DAILY as Thunderbird
// writes for "every weekday". What comes on other days than some weekdays, or ends, is said to be something else.

/// The event of a resource of a calendar.
///
/// A time with a zone is taken as the time on the wall, and its zone does not matter. Of alarms that
/// show or play something at the event's time or before it, the one nearest to that time counts.
public func calendarEvent(in bytes: [UInt8]) throws(CalendarFileError) -> CalendarEvent {
    try withCalendar(bytes) { calendar throws(CalendarFileError) in
        try EventReader(event: theEvent(of: calendar)).read()
    }
}

/// The one event of a calendar.
func theEvent(of calendar: OpaquePointer) throws(CalendarFileError) -> OpaquePointer {
    let events = components(ICAL_VEVENT_COMPONENT, of: calendar)
    guard let event = events.first else {
        let isTask = !components(ICAL_VTODO_COMPONENT, of: calendar).isEmpty
        throw isTask ? .unsupported("it is a task") : .damaged("it has no event")
    }
    guard events.count == 1 else { throw .unsupported("some of its days differ from the others") }
    return event
}

/// Reads an event from what libical has of it.
struct EventReader {
    let event: OpaquePointer

    func read() throws(CalendarFileError) -> CalendarEvent {
        guard let uid = text(ICAL_UID_PROPERTY).map(trimmed),
            (1...CalendarEvent.mostUIDBytes).contains(uid.utf8.count),
            !uid.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw .damaged("it has no name of its own (UID), or too long a one") }
        if let status = properties(ICAL_STATUS_PROPERTY, of: event).first,
            icalproperty_get_status(status) == ICAL_STATUS_CANCELLED
        {
            throw .unsupported("it is cancelled")
        }
        let (day, minute) = try begin()
        // Some programs keep LAST-MODIFIED as it was, and write DTSTAMP with each change: the later one counts.
        let modified = [
            properties(ICAL_LASTMODIFIED_PROPERTY, of: event).first.map { icalproperty_get_lastmodified($0) },
            properties(ICAL_DTSTAMP_PROPERTY, of: event).first.map { icalproperty_get_dtstamp($0) },
        ].compactMap { $0.flatMap(unixTime) }.max()
        let sequence =
            properties(ICAL_SEQUENCE_PROPERTY, of: event).first.map { icalproperty_get_sequence($0) } ?? 0
        return CalendarEvent(
            uid: uid, summary: shortened(text(ICAL_SUMMARY_PROPERTY) ?? ""), firstDay: day,
            minute: minute,
            weekdays: try weekdays(day), alarmMinutes: EventAlarms(event: event).minutes,
            modified: modified, sequence: Int64(max(0, sequence)))
    }

    /// The value of a property that is a text.
    private func text(_ kind: icalproperty_kind) -> String? {
        guard let property = properties(kind, of: event).first,
            let value = icalproperty_get_value(property),
            let words = kind == ICAL_UID_PROPERTY
                ? icalproperty_get_uid(property) : icalproperty_get_summary(property),
            icalvalue_isa(value) == ICAL_TEXT_VALUE
        else { return nil }
        return String(cString: words)
    }

    /// The day and the minute of it at which the event is for the first time.
    private func begin() throws(CalendarFileError) -> (CalendarDay, Int) {
        let all = properties(ICAL_DTSTART_PROPERTY, of: event)
        guard all.count == 1, let property = all.first else { throw .damaged("it has no time") }
        let time = icalproperty_get_dtstart(property)
        guard let day = CalendarDay(year: Int(time.year), month: Int(time.month), day: Int(time.day))
        else {
            throw .damaged("it has no time")
        }
        guard CalendarEvent.years.contains(day.year) else { throw .unsupported("it is centuries away") }
        guard time.is_date == 0 else { throw .unsupported("it lasts all day") }
        guard icaltime_is_utc(time) == 0 else {
            throw .unsupported("its time is in UTC, which is another time of day when clocks are changed")
        }
        guard let minute = minuteOfDay(time) else { throw .damaged("it has no time") }
        return (day, minute)
    }

    private func weekdays(_ first: CalendarDay) throws(CalendarFileError) -> Set<Int> {
        guard properties(ICAL_RECURRENCEID_PROPERTY, of: event).isEmpty else {
            throw .unsupported("it is one day of another event")
        }
        let rules = properties(ICAL_RRULE_PROPERTY, of: event)
        let hasDays = !properties(ICAL_RDATE_PROPERTY, of: event).isEmpty
        guard !hasDays else { throw .unsupported("it has days besides those that it repeats on") }
        guard let rule = rules.first else { throw .unsupported("it does not repeat") }
        guard rules.count == 1, properties(ICAL_EXRULE_PROPERTY, of: event).isEmpty else {
            throw .unsupported("it repeats by more than one rule")
        }
        guard properties(ICAL_EXDATE_PROPERTY, of: event).isEmpty else {
            throw .unsupported("it leaves out some days")
        }
        // libical follows VALUE=INTEGER, too, and would take the number for the address of a rule.
        guard let value = icalproperty_get_value(rule), icalvalue_isa(value) == ICAL_RECUR_VALUE else {
            throw .damaged("nobody can tell how it repeats")
        }
        return try RecurrenceRule(icalproperty_get_rrule(rule)).weekdays(first)
    }

    /// The beginning of a text that is kept, with spaces for controls. libical makes controls of `\r`, `\b` and `\f`, which are
    /// none of RFC 5545's, and leaves them out when it writes the text: so they are left out here.
    private func shortened(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !["\r", "\u{8}", "\u{C}"].contains(scalar) {
            scalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        var kept = ""
        for character in String(scalars) {
            guard kept.utf8.count + character.utf8.count <= CalendarEvent.mostSummaryBytes else { break }
            kept.append(character)
        }
        return trimmed(kept)
    }

    /// Without spaces at its ends: libical drops them when it reads a line.
    private func trimmed(_ text: String) -> String {
        let rest = text.drop(while: \.isWhitespace)
        return rest.lastIndex { !$0.isWhitespace }.map { String(rest[...$0]) } ?? ""
    }
}

/// The minute of the day that a time of libical says; nil for what no clock shows.
func minuteOfDay(_ time: icaltimetype) -> Int? {
    guard (0..<24).contains(time.hour), (0..<60).contains(time.minute) else { return nil }
    return Int(time.hour) * 60 + Int(time.minute)
}

/// Unix milliseconds of a time in UTC; nil for what is none.
private func unixTime(_ time: icaltimetype) -> Int64? {
    guard let day = CalendarDay(year: Int(time.year), month: Int(time.month), day: Int(time.day)),
        let minute = time.is_date == 0 ? minuteOfDay(time) : 0, (0...60).contains(time.second)
    else { return nil }
    return (day.daysSince1970 * 86_400 + Int64(minute) * 60 + Int64(time.second)) * 1000
}
