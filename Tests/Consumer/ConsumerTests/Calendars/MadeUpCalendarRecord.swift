import Daemon
import Files
import HouseholdSupport
import Records
import Telemetry
import TestSupport

@testable import Calendars
@testable import Features
@testable import vitals_consumer

extension CalendarRecord {
    /// A calendar that is connected, with an event that is no reminder.
    static func madeUp(
        _ address: String = "https://cloud.example.org", calendar: String = "https://cloud.example.org/ada/fitness/",
        isMade: Bool = true
    ) throws(MalformedValue) -> CalendarRecord {
        let account = CalendarAccount(address: address, user: "ada", password: "correct horse")
        var record = CalendarRecord(
            id: try ID("connection"), account: account, calendar: calendar, isMade: isMade, connected: start)
        record.link.entries = [
            CalendarLink.Entry(reminder: try ID("yoga"), uid: "yoga", name: "yoga.ics", etag: "\"1\"")
        ]
        record.link.others["rent.ics"] = CalendarLink.Other(etag: "\"2\"", reason: NoReminder("it repeats every month"))
        return record
    }
}

extension Circle {
    /// What the settings say where people may have calendars at this machine.
    static let calendarSettings = #"calendar: { private_hosts: ["127.0.0.1"] },"#

    /// What `body` makes of what looks at calendars, on the session's thread.
    @discardableResult
    func onCalendars<Value: Sendable>(_ body: @escaping @Sendable (Calendars) throws -> Value) throws -> Value {
        let calendars = consumer.features.only(Calendars.self)
        return try onSession { _ in
            guard let calendars else { throw TestFailure("nothing looks at calendars") }
            return try body(calendars)
        }
    }

    /// Has somebody a calendar, at a server that does not answer if no other is named. It is looked at by no clock.
    func keepCalendar(
        of user: ID, _ server: String = "http://127.0.0.1:1", calendar: String? = nil, isMade: Bool = true
    ) throws {
        try onCalendars { calendars in
            // A person of whom everything was deleted has no secret, either.
            _ = try calendars.context.keys.currentVersion(of: user)
            try calendars.context.store.change(user) { () throws(VaultError) in
                try decoded { () throws(MalformedValue) in
                    try CalendarRecord.madeUp(
                        server, calendar: calendar ?? "\(server)/ada/fitness/", isMade: isMade)
                }?.keep(calendars.context.documents, of: user)
            }
            calendars.states[user] = Calendars.State(due: millisecondsSinceBoot() + 86_400_000)
        }
    }
}

extension JSON {
    /// The same object with another value of a member, or without it.
    func changing(_ name: String, to value: JSON?) -> JSON {
        guard case .object(let members) = self else { return self }
        let others = members.filter { $0.name != name }
        return .object(others + (value.map { [Member(name, $0)] } ?? []))
    }
}
