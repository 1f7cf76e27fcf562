import Daemon
import Files
import Fitness
import HouseholdSupport
import Records
import Schedules
import Telemetry
import TestSupport
import Testing

@testable import Calendars
@testable import Features
@testable import Reminders
@testable import vitals_consumer

@Suite("A calendar of a person's own, at a running service", .timeLimit(.minutes(60)))
struct CalendarServiceTests {
    private static let account: JSON = [
        "address": "http://127.0.0.1:1", "user": "ada", "password": "correct horse",
    ]
    private static let run: JSON = ["label": "Run", "time": "18:30", "weekdays": ["monday"], "alert_min": 15]

    @Test("is spoken to only if the operator wants it, and not under any address, name and password")
    func wanted() throws {
        try Circle.with { circle in
            let ada = try circle.person()
            #expect(try circle.done(ada, "calendar/show") == ["connected": false])
            let wrong = try circle.refused(ada, "calendar/connect", Self.account)
            #expect(
                wrong.code == .notSupported && wrong.field == "calendar" && wrong.message.contains("consumer.json5"))
            for name in ["sync", "disconnect"] {
                let wrong = try circle.refused(ada, "calendar/\(name)")
                #expect([.notSupported, .notFound].contains(wrong.code), "\(name)")
            }
        }
        try Circle.with(more: Circle.calendarSettings) { circle in
            for (field, value) in [
                ("address", "http://cloud.example.org"), ("address", "ftp://cloud.example.org"),
                ("address", "https://ada:secret@cloud.example.org"), ("address", "no address"),
                ("address", .string("https://\(String(repeating: "a", count: 1024)).org")), ("address", nil),
                ("user", "ada:secret"), ("user", ""), ("user", "a\nda"), ("user", nil), ("password", "a\u{0}b"),
                ("password", ""), ("password", 5),
            ] as [(String, JSON?)] {
                let wrong = try circle.refused(
                    circle.person(), "calendar/connect", Self.account.replacing(field, with: value))
                #expect(wrong.field == field, "\(field): \(wrong)")
            }
            // Nobody is there.
            let ada = try circle.person()
            let wrong = try circle.refused(ada, "calendar/connect", Self.account)
            #expect(wrong.code == .refused && wrong.message == "the calendar server was not reached", "\(wrong)")
            #expect(try circle.done(ada, "calendar/show") == ["connected": false])
            for _ in 0..<4 { _ = try circle.refused(ada, "calendar/connect", Self.account) }
            let often = try circle.refused(ada, "calendar/connect", Self.account)
            #expect(often.code == .rateLimited && often.retryAfterSeconds != nil, "\(often)")
            #expect(try circle.refused(ada, "calendar/sync").code == .notFound)
        }
    }

    @Test("that does not answer is left alone for longer and longer, is shown as such, and shows nobody the password")
    func unreachable() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let ada = try circle.person()
            try circle.keepCalendar(of: ada)
            let wrong = try circle.refused(ada, "calendar/sync")
            #expect(wrong.message == "the calendar server was not reached", "\(wrong)")
            let shown = try circle.done(ada, "calendar/show")
            #expect(shown["connected"] == true && shown["problem"] == "the calendar server was not reached")
            #expect(shown["stopped"] == nil && shown["in_step"] == nil && shown["user"] == "ada")
            #expect(shown["others"] == [["count": 1, "why": "it repeats every month"]])
            #expect(!String(decoding: shown.bytes, as: UTF8.self).contains("correct horse"))
            let pauses = try (1...12).map { _ in
                try circle.onCalendars { calendars in
                    calendars.ended(ada, .unreachable)
                    return Int((calendars.states[ada]?.due ?? 0) - millisecondsSinceBoot()) / 1000
                }
            }
            #expect(pauses[0] <= 120 && pauses[0] > 30, "\(pauses)")
            #expect(
                pauses.sorted() == pauses && pauses.last.map { (10_800...21_600).contains($0) } == true, "\(pauses)")
            // A change here does not have it asked more often.
            try circle.done(ada, "reminders/add", Self.run)
            #expect(try circle.onCalendars { ($0.states[ada]?.due ?? 0) > millisecondsSinceBoot() + 10_000_000 })
            let other = try circle.refused(
                ada, "calendar/connect", Self.account.replacing("address", with: "https://cloud.example.com"))
            #expect(other.code == .notAllowed && other.message.contains("127.0.0.1:1"), "\(other)")
            let deleted = try circle.refused(ada, "calendar/disconnect", ["delete": true])
            #expect(deleted.message == "the calendar server was not reached")
            #expect(try circle.done(ada, "calendar/show")["connected"] == true)
            try circle.done(ada, "calendar/disconnect")
            #expect(try circle.done(ada, "calendar/show") == ["connected": false])
            #expect(try elements(circle.done(ada, "reminders/list"), "reminders").count == 1)
        }
    }

    @Test("is looked at two seconds after a change here, and every quarter of an hour")
    func pauses() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let ada = try circle.person()
            try circle.keepCalendar(of: ada)
            func due() throws -> Int {
                try circle.onCalendars { Int(($0.states[ada]?.due ?? 0) - millisecondsSinceBoot()) }
            }
            try circle.onCalendars { $0.ended(ada, nil) }
            #expect(try (800_000...900_000).contains(due()))
            try circle.done(ada, "reminders/add", Self.run)
            #expect(try due() <= 2000)
            try circle.onCalendars { calendars in
                calendars.states[ada]?.due = nil
                calendars.current = ada
                calendars.remindersChanged(of: ada)
                calendars.ended(ada, nil)
            }
            #expect(try due() <= 2000)
        }
    }

    @Test("is said to be still there if its server does not answer when everything is deleted")
    func resetAll() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let ada = try circle.person()
            func reset() throws -> String {
                let asked = try circle.done(ada, "reset-all/ask")
                return try circle.done(ada, "reset-all/confirm", ["confirmation": asked["confirmation"] ?? .null])
                    .text("message")
            }
            #expect(try reset() == "Everything of yours was deleted, and the key to it with it.")
            try circle.keepCalendar(of: ada)
            #expect(
                try reset()
                    == "Everything of yours was deleted, and the key to it with it. Your calendar was not deleted at 127.0.0.1:1: delete it there yourself."
            )
            #expect(try circle.done(ada, "calendar/show") == ["connected": false])
            #expect(try circle.onCalendars { $0.states.isEmpty })
        }
    }

    @Test("is deleted with everything else however slow other servers are, and waited for no longer than is said")
    func slowLeave() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let (slow, quick) = (try WebServer(), try WebServer())
            try quick.answer("DELETE", "/ada/fitness/", 204)
            let (ada, eve) = (try circle.person(), try circle.person())
            func reset(_ user: ID) throws -> String {
                let asked = try circle.done(user, "reset-all/ask")
                return try circle.done(user, "reset-all/confirm", ["confirmation": asked["confirmation"] ?? .null])
                    .text("message")
            }
            try circle.keepCalendar(of: ada, quick.address)
            // Somebody waits for a server that never answers, as long as they may.
            let record = try CalendarRecord.madeUp(slow.address, calendar: "\(slow.address)/slow")
            try circle.onCalendars { calendars in
                guard let settings = calendars.settings else { return }
                for lane in [CalendarCourier.Lane.turns, .asked] {
                    calendars.delete(record, settings, in: lane, within: .seconds(600)) { _ in }
                }
            }
            try slow.waitForRequest("DELETE", "/slow")
            #expect(try reset(ada) == "Everything of yours was deleted, and the key to it with it.")
            #expect(quick.allRequests.contains("DELETE /ada/fitness/"))

            // Now somebody who leaves is before them, too.
            try circle.onCalendars { calendars in
                guard let settings = calendars.settings else { return }
                calendars.delete(record, settings, in: .leaving, within: .seconds(600)) { _ in }
                calendars.longestLeave = .milliseconds(100)
            }
            try circle.keepCalendar(of: eve, quick.address)
            #expect(try reset(eve).contains("Your calendar was not deleted at 127.0.0.1"))
        }
    }

    @Test("whose server answers nothing in the time of a look keeps nobody waiting for longer than that")
    func slowLook() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let slow = try WebServer()
            let ada = try circle.person()
            try circle.keepCalendar(of: ada, slow.address, calendar: "\(slow.address)/slow")
            try circle.onCalendars { $0.longestLook = 300 }
            let clock = ContinuousClock()
            let spent = try clock.measure {
                let wrong = try circle.refused(ada, "calendar/sync")
                #expect(wrong.code == .timeout && wrong.message == "the calendar server did not answer in time")
            }
            #expect(spent < .seconds(20), "a request may take 30 s")
        }
    }

    @Test("is looked at when its turn comes, however often its person asks")
    func turns() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let server = try WebServer()
            let (ada, bob) = (try circle.person(), try circle.person())
            try circle.keepCalendar(of: ada, server.address, calendar: "\(server.address)/ada/")
            try circle.keepCalendar(of: bob, server.address, calendar: "\(server.address)/bob/")
            // Bob's has been due for a second when ada asks.
            try circle.onCalendars { $0.states[bob]?.due = millisecondsSinceBoot() - 1000 }
            #expect(try circle.refused(ada, "calendar/sync").code == .notFound)
            #expect(server.allRequests.first == "REPORT /bob/")
        }
    }

    @Test("is a file for those who have none")
    func export() throws {
        try Circle.with { circle in
            let ada = try circle.person()
            for number in 0..<50 {
                let label = String(repeating: "ä", count: 60)
                try circle.keepReminder(of: ada, "\(label) \(number)")
            }
            let exported = try circle.done(ada, "calendar/export")
            #expect(exported["events"] == 50)
        }
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
    fileprivate func keepCalendar(
        of user: ID, _ server: String = "http://127.0.0.1:1", calendar: String? = nil
    ) throws {
        try onCalendars { calendars in
            // Whose everything was deleted has no secret, either.
            _ = try calendars.context.keys.currentVersion(of: user)
            try calendars.context.store.change(user) { () throws(VaultError) in
                try decoded { () throws(MalformedValue) in
                    try CalendarRecord.madeUp(server, calendar: calendar ?? "\(server)/ada/fitness/")
                }?.keep(calendars.context.documents, of: user)
            }
            calendars.states[user] = Calendars.State(due: millisecondsSinceBoot() + 86_400_000)
        }
    }

    fileprivate func keepReminder(of user: ID, _ label: String) throws {
        try onSession { context in
            let id = try drawnID()
            try context.store.change(user) { () throws(VaultError) in
                let list = ReminderList(documents: context.documents)
                var kept = try list.read(user)
                let schedule = WeeklySchedule(
                    firstDay: CalendarDay(daysSince1970: 20_000), minute: 450, weekdays: [6], alarmMinutes: 0)
                kept.append(Reminder(id: id, label: label, schedule: schedule, changed: start))
                try list.write(kept, of: user)
            }
        }
    }
}

extension JSON {
    /// The same object with another value of a member, or without it.
    fileprivate func replacing(_ name: String, with value: JSON?) -> JSON {
        guard case .object(let members) = self else { return self }
        let others = members.filter { $0.name != name }
        return .object(others + (value.map { [Member(name, $0)] } ?? []))
    }
}
