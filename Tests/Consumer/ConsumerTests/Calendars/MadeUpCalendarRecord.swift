import HouseholdSupport
import Telemetry

@testable import Calendars

extension CalendarRecord {
    /// A calendar that is connected, with an event that is no reminder.
    static func madeUp(
        _ address: String = "https://cloud.example.org", calendar: String = "https://cloud.example.org/ada/fitness/"
    ) throws(MalformedValue) -> CalendarRecord {
        let account = CalendarAccount(address: address, user: "ada", password: "correct horse")
        var record = CalendarRecord(id: try ID("connection"), account: account, calendar: calendar, connected: start)
        record.link.entries = [
            CalendarLink.Entry(reminder: try ID("yoga"), uid: "yoga", name: "yoga.ics", etag: "\"1\"")
        ]
        record.link.others["rent.ics"] = CalendarLink.Other(etag: "\"2\"", reason: NoReminder("it repeats every month"))
        return record
    }
}
