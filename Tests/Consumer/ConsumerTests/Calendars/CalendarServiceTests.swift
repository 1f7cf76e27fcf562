import CalendarFiles
import Daemon
import Files
import Fitness
import Foundation
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

    @Test("tells nobody which names lead into a private network: they are as those where nobody is")
    func privateNames() throws {
        try Circle.with(more: #"calendar: { private_hosts: ["127.0.0.2"] },"#) { circle in
            let ada = try circle.person()
            let errors = try ["https://localhost:1", "https://127.0.0.2:1"].map { address in
                try circle.refused(
                    ada, "calendar/connect", Self.account.changing("address", to: .string(address)))
            }
            #expect(errors[0] == errors[1] && errors[0].code == .refused, "\(errors)")
        }
    }

    @Test("is spoken to only if the operator wants it, and not under any address, name and password")
    func wanted() throws {
        try Circle.with { circle in
            let ada = try circle.person()
            #expect(try circle.done(ada, "calendar/show") == ["connected": false])
            let wrong = try circle.refused(ada, "calendar/connect", Self.account)
            #expect(
                wrong.code == .notSupported && wrong.field == "calendar" && wrong.message.contains("consumer.json5"))
            #expect(try circle.refused(ada, "calendar/sync").code == .notSupported)
            #expect(try circle.refused(ada, "calendar/disconnect").code == .notFound)
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
                    circle.person(), "calendar/connect", Self.account.changing(field, to: value))
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
            // One thing at a time for a person, and not for everybody at once.
            let (bob, others) = (try circle.person(), try (0..<Calendars.mostAsking).map { try ID("other-\($0)") })
            for busy in [[bob], others] {
                try circle.onCalendars { $0.asking = Set(busy) }
                #expect(try circle.refused(bob, "calendar/connect", Self.account).code == .busy)
            }
            try circle.onCalendars { $0.asking = Set(others.dropFirst()) }
            #expect(try circle.refused(bob, "calendar/connect", Self.account).code == .refused)
            #expect(try circle.onCalendars { $0.asking.count } == Calendars.mostAsking - 1)
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
            // In whole minutes, so that the time between the end of a look and the next line does not count.
            let pauses = try (1...12).map { _ in
                try circle.onCalendars { calendars in
                    calendars.ended(ada, .unreachable)
                    let due = Double(calendars.states[ada]?.due ?? 0) - Double(millisecondsSinceBoot())
                    return Int((due / 60_000).rounded())
                }
            }
            #expect(pauses == [2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360, 360])
            // A change here does not have it asked more often.
            try circle.done(ada, "reminders/add", Self.run)
            #expect(try circle.onCalendars { ($0.states[ada]?.due ?? 0) > millisecondsSinceBoot() + 10_000_000 })
            let other = try circle.refused(
                ada, "calendar/connect", Self.account.changing("address", to: "https://cloud.example.com"))
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
            #expect(try (1...2000).contains(due()))
            try circle.onCalendars { calendars in
                calendars.states[ada]?.due = nil
                calendars.turns[.turns] = Calendars.Turn(user: ada, began: millisecondsSinceBoot())
                calendars.remindersChanged(of: ada)
                calendars.ended(ada, nil)
            }
            #expect(try (1...2000).contains(due()))
            // A server that needed ten minutes is left alone for twenty times as long.
            try circle.onCalendars { calendars in
                let now = millisecondsSinceBoot()
                calendars.turns[.turns] = Calendars.Turn(user: ada, began: now - min(600_000, now))
                calendars.ended(ada, nil)
            }
            #expect(try due() > 11_000_000)
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
            // What a person has in their hands is what any calendar reads.
            let file = try exported.text("calendar")
            #expect(file.hasPrefix("BEGIN:VCALENDAR\r\n") && file.hasSuffix("END:VCALENDAR\r\n"))
            let events = file.components(separatedBy: "BEGIN:VEVENT\r\n").dropFirst()
            let read = try events.map { event in
                let end = event.hasSuffix("END:VCALENDAR\r\n") ? "" : "END:VCALENDAR\r\n"
                return try calendarEvent(
                    in: Array("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\n\(event)\(end)".utf8))
            }
            #expect(Set(read.map(\.uid)).count == 50 && read.allSatisfy { $0.minute == 450 && $0.weekdays == [6] })
            #expect(Set(read.map(\.summary)) == Set((0..<50).map { "\(String(repeating: "ä", count: 60)) \($0)" }))
        }
    }
}

extension Circle {
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
