/// The event of a resource of a calendar.
public func calendarEvent(in bytes: [UInt8]) throws(CalendarFileError) -> CalendarEvent {
    throw .damaged("nothing is read yet")
}
