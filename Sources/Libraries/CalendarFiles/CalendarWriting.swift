import CICal
import Fitness

/// A calendar with events, as iCalendar (RFC 5545).
///
/// A time is written without a zone, so it is the time on the wall wherever somebody is. The first day is written as the first
/// one that is among the weekdays, as RFC 5545 asks (3.8.5.3): see `CalendarEvent.aligned`.
/// - Parameter name: what people call the calendar; nil in a resource of a CalDAV server.
public func calendarFile(of events: [CalendarEvent], name: String?) -> [UInt8] {
    guard let calendar = icalcomponent_new(ICAL_VCALENDAR_COMPONENT) else { return [] }
    defer { icalcomponent_free(calendar) }
    icalcomponent_add_property(calendar, icalproperty_new_prodid(producer))
    icalcomponent_add_property(calendar, icalproperty_new_version("2.0"))
    if let name {
        icalcomponent_add_property(calendar, icalproperty_new_name(text(name)))
        // What Apple, Google and Nextcloud read.
        let property = icalproperty_new_x(text(name))
        icalproperty_set_x_name(property, "X-WR-CALNAME")
        icalcomponent_add_property(calendar, property)
    }
    for event in events {
        guard let component = icalcomponent_new(ICAL_VEVENT_COMPONENT) else { continue }
        icalcomponent_add_property(component, icalproperty_new_uid(text(event.uid)))
        icalcomponent_add_property(component, icalproperty_new_transp(ICAL_TRANSP_TRANSPARENT))
        EventWriter(component).write(event, over: nil)
        icalcomponent_add_component(calendar, component)
    }
    return serialised(calendar)
}

/// A resource with one event that keeps what its original says besides: a colour, a place, the zone of its time, alarms by
/// mail.
/// - Parameter original: the resource as a server had it. What cannot be read as the same event counts as none.
public func calendarFile(of event: CalendarEvent, keeping original: [UInt8]?) -> [UInt8] {
    if let original, let bytes = try? changed(original, event) { return bytes }
    return calendarFile(of: [event], name: nil)
}

private func changed(_ original: [UInt8], _ event: CalendarEvent) throws(CalendarFileError)
    -> [UInt8]
{
    try withCalendar(original) { calendar throws(CalendarFileError) in
        let component = try theEvent(of: calendar)
        let before = try EventReader(event: component).read()
        guard before.uid == event.uid else { throw .damaged("it is another event") }
        EventWriter(component).write(event, over: before)
        // What libical could not read, it has put there as properties of its own.
        icalcomponent_strip_errors(calendar)
        return serialised(calendar)
    }
}

private let producer = "-//Vitals//Reminders//EN"

/// A text without the character that ends it for C.
private func text(_ text: String) -> String {
    text.contains("\0") ? text.filter { $0 != "\0" } : text
}

/// Writes what is ours of an event into a component.
private struct EventWriter {
    private let component: OpaquePointer

    init(_ component: OpaquePointer) { self.component = component }

    /// - Parameter before: what it says now; nil if it says nothing yet. What stays the same is not touched.
    func write(_ event: CalendarEvent, over before: CalendarEvent?) {
        let stamp = utc(event.modified ?? 0)
        replace([ICAL_DTSTAMP_PROPERTY], icalproperty_new_dtstamp(stamp))
        if event.modified != nil {
            replace([ICAL_LASTMODIFIED_PROPERTY], icalproperty_new_lastmodified(stamp))
        }
        replace(
            [ICAL_SEQUENCE_PROPERTY],
            icalproperty_new_sequence(CInt(clamping: max(event.sequence, before?.sequence ?? 0))))
        if event.summary != before?.summary {
            replace([ICAL_SUMMARY_PROPERTY], icalproperty_new_summary(text(event.summary)))
        }
        if !hasSameTime(event, before) { writeTime(event) }
        if before == nil || event.alarmMinutes != before?.alarmMinutes { writeAlarm(event) }
    }

    private func hasSameTime(_ event: CalendarEvent, _ before: CalendarEvent?) -> Bool {
        guard let before = before?.aligned else { return false }
        let event = event.aligned
        return event.minute == before.minute && event.weekdays == before.weekdays
            && event.firstDay == before.firstDay
    }

    private func writeTime(_ event: CalendarEvent) {
        let duration = self.duration
        var time = icaltime_null_time()
        let day = event.aligned.firstDay
        (time.year, time.month, time.day) = (CInt(day.year), CInt(day.month), CInt(day.day))
        (time.hour, time.minute) = (CInt(event.minute / 60), CInt(event.minute % 60))
        let begin = icalproperty_new_dtstart(time)
        if let zone = properties(ICAL_DTSTART_PROPERTY, of: component).first.flatMap({
            icalproperty_get_first_parameter($0, ICAL_TZID_PARAMETER)
        }) {
            icalproperty_add_parameter(begin, icalparameter_new_tzid(icalparameter_get_tzid(zone)))
        }
        replace([ICAL_DTSTART_PROPERTY], begin)
        replace([ICAL_DTEND_PROPERTY, ICAL_DURATION_PROPERTY], icalproperty_new_duration(duration))
        let days = event.weekdays.sorted().map { Self.weekdays[$0 - 1] }.joined(separator: ",")
        let rule = icalrecurrencetype_from_string("FREQ=WEEKLY;BYDAY=\(days)")
        replace([ICAL_RRULE_PROPERTY], icalproperty_new_rrule(rule))
    }

    private static let weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

    /// How long it lasts: a quarter of an hour if nothing says so.
    private var duration: icaldurationtype {
        if let property = properties(ICAL_DURATION_PROPERTY, of: component).first {
            return icalproperty_get_duration(property)
        }
        guard
            let begin = properties(ICAL_DTSTART_PROPERTY, of: component).first.map({
                icalproperty_get_dtstart($0)
            }),
            let end = properties(ICAL_DTEND_PROPERTY, of: component).first.map({
                icalproperty_get_dtend($0)
            }),
            let first = seconds(begin), let last = seconds(end), (1...86_400).contains(last - first)
        else { return icaldurationtype_from_int(15 * 60) }
        return icaldurationtype_from_int(CInt(last - first))
    }

    /// Seconds since 1970 on the wall.
    private func seconds(_ time: icaltimetype) -> Int64? {
        guard let day = CalendarDay(year: Int(time.year), month: Int(time.month), day: Int(time.day)),
            let minute = minuteOfDay(time)
        else { return nil }
        return day.daysSince1970 * 86_400 + Int64(minute) * 60
    }

    private func writeAlarm(_ event: CalendarEvent) {
        for alarm in EventAlarms(event: component).ours {
            icalcomponent_remove_component(component, alarm)
            icalcomponent_free(alarm)
        }
        guard let minutes = event.alarmMinutes, let alarm = icalcomponent_new(ICAL_VALARM_COMPONENT)
        else { return }
        icalcomponent_add_property(alarm, icalproperty_new_action(ICAL_ACTION_DISPLAY))
        icalcomponent_add_property(alarm, icalproperty_new_description(text(event.summary)))
        icalcomponent_add_property(
            alarm, icalproperty_new_trigger(icaltriggertype_from_int(CInt(clamping: -minutes * 60))))
        icalcomponent_add_component(component, alarm)
    }

    /// Puts a property in the place of all that are of some kinds.
    private func replace(_ kinds: [icalproperty_kind], _ property: OpaquePointer?) {
        for old in kinds.flatMap({ properties($0, of: component) }) {
            icalcomponent_remove_property(component, old)
            icalproperty_free(old)
        }
        icalcomponent_add_property(component, property)
    }

    /// The end of the year 9999: a year has four digits.
    private static let lastMoment: Int64 = 253_402_300_799_000

    private func utc(_ unixMilliseconds: Int64) -> icaltimetype {
        let seconds = min(max(unixMilliseconds, 0), Self.lastMoment) / 1000
        let day = CalendarDay(daysSince1970: seconds / 86_400)
        var time = icaltime_null_time()
        (time.year, time.month, time.day) = (CInt(clamping: day.year), CInt(day.month), CInt(day.day))
        (time.hour, time.minute, time.second) = (
            CInt(seconds / 3600 % 24), CInt(seconds / 60 % 60), CInt(seconds % 60)
        )
        time.zone = icaltimezone_get_utc_timezone()
        return time
    }
}
