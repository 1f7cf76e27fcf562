import CICal

/// A calendar with events, as iCalendar (RFC 5545).
/// - Parameter name: what people call the calendar; nil in a resource of a CalDAV server.
public func calendarFile(of events: [CalendarEvent], name: String?) -> [UInt8] {
    []
}

/// A resource with one event, that keeps what its original says besides: a colour, a place, people.
/// - Parameter original: the resource as a server had it; what cannot be read counts as none.
public func calendarFile(of event: CalendarEvent, keeping original: [UInt8]?) -> [UInt8] {
    calendarFile(of: [event], name: nil)
}
