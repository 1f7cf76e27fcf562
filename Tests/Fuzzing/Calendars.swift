import CalendarFiles
import XMLDocuments

@testable import CalDAV

/// A resource of a calendar: an event that is read is one of each week, and comes back as it was when it is written, whether by
/// itself or into the resource that it came from.
func fuzzCalendars(_ bytes: [UInt8]) {
    guard let event = accepted({ () throws(CalendarFileError) in try calendarEvent(in: bytes) }) else { return }
    hold((0..<1440).contains(event.minute), "an event is at a minute of a day")
    hold(!event.weekdays.isEmpty && event.weekdays.isSubset(of: Set(1...7)), "an event is on weekdays")
    hold(event.summary.utf8.count <= CalendarEvent.mostSummaryBytes, "a title is short")
    hold(!event.uid.isEmpty && event.uid.utf8.count <= CalendarEvent.mostUIDBytes, "an event has a name")
    hold(event.alarmMinutes ?? 0 >= 0, "an alarm is before its event")
    for written in [calendarFile(of: [event], name: "it"), calendarFile(of: event, keeping: bytes)] {
        let again = accepted { () throws(CalendarFileError) in try calendarEvent(in: written) }
        hold(
            again?.uid == event.uid && again?.summary == event.summary,
            "\(event) keeps its words, and is \(again as Any)")
        hold(
            again?.minute == event.minute && again?.weekdays == event.weekdays
                && again?.aligned.firstDay == event.aligned.firstDay && again?.alarmMinutes == event.alarmMinutes,
            "\(event) keeps its times, and is \(again as Any)")
    }
}

/// What a calendar server answers.
func fuzzMultistatus(_ bytes: [UInt8]) {
    _ = accepted { () throws(XMLFailure<DAVErrorReader.TooMuch>) in try DAVErrorReader.conditions(of: bytes) }
    let found = accepted { () throws(XMLFailure<MultistatusReader.TooMuch>) in
        try MultistatusReader.read(bytes, mostResponses: 20, longest: 100)
    }
    for response in found?.responses ?? [] {
        hold(response.calendarData?.count ?? 0 <= 100, "a text is no longer than is kept")
    }
    hold(found?.responses.count ?? 0 <= 20, "there are no more resources than are allowed")
}
