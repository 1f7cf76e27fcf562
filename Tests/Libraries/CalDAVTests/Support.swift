import CalDAV
import Fetch
import TestSupport

/// This machine, where the tests' servers are.
let here = [NetworkRange("127.0.0.1")].compactMap { $0 }

/// A client of a server on this machine.
func client(
    _ address: String, user: String = CalendarServer.user, password: String = CalendarServer.password,
    limits: CalDAVClient.Limits = CalDAVClient.Limits(privateHosts: here)
) throws -> CalDAVClient {
    CalDAVClient(
        CalDAVAccount(address: try WebAddress(address), user: user, password: password), limits: limits)
}

/// Why something is not done.
func reason(_ body: () throws -> some Any) -> CalDAVError.Reason? { thrown(CalDAVError.self, body)?.reason }

/// An event with a title.
func event(_ uid: String, _ title: String) -> [UInt8] {
    let lines = [
        "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Tests//EN", "BEGIN:VEVENT", "UID:\(uid)", "SUMMARY:\(title)",
        "DTSTAMP:20261120T101112Z", "DTSTART:20261123T073000", "RRULE:FREQ=WEEKLY;BYDAY=MO", "END:VEVENT",
        "END:VCALENDAR", "",
    ]
    return Array(lines.joined(separator: "\r\n").utf8)
}
