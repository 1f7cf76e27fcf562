import CalDAV
import CalendarFiles
import Daemon
import Fetch
import Files
import Fitness
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@testable import Calendars
@testable import Features
@testable import vitals_consumer

@Suite(
    "A calendar at Radicale, and a running service",
    .timeLimit(.minutes(60)))
struct CalendarRadicaleTests {
    private static let run: JSON = ["label": "Run", "time": "18:30", "weekdays": ["monday"], "alert_min": 15]

    @Test("has what is made, changed and deleted here, and what is made, changed and deleted there is so here")
    func bothWays() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let (ada, there) = (try circle.person(), try Neighbour())
            let connected = try circle.connect(ada, there)
            let place = try there.calendar().text
            #expect(connected["connected"] == true && connected["calendar"] == .string(place))
            let id = try circle.done(ada, "reminders/add", Self.run).text("reminder")
            try circle.sync(ada)
            var event = try #require(try there.events()["\(id).ics"])
            #expect(event.uid == id && event.summary == "Run" && event.minute == 1110 && event.alarmMinutes == 15)

            // There, it is called something else, and has no alarm; and there is one more.
            event.summary = "Run home"
            event.alarmMinutes = nil
            try there.put("\(id).ics", event)
            event.uid = "swim"
            event.summary = "Swim"
            event.alarmMinutes = 5
            try there.put("swim.ics", event)
            #expect(try circle.sync(ada)["reminders"] == 2)
            // What it has changed here itself is no reason to look again soon.
            #expect(try circle.onCalendars { ($0.states[ada]?.due ?? 0) > millisecondsSinceBoot() + 500_000 })
            let listed = try elements(circle.done(ada, "reminders/list"), "reminders")
            let (run, swim) = (
                listed.first { $0["label"] == "Run home" }, listed.first { $0["label"] == "Swim" }
            )
            #expect(listed.count == 2 && run?["reminder"] == .string(id) && run?["enabled"] == false)
            #expect(swim?["enabled"] == true && swim?["alert_min"] == 5 && swim?["time"] == "18:30")

            try there.delete("\(id).ics")
            try circle.done(ada, "reminders/change", ["reminder": swim?["reminder"] ?? .null, "time": "06:00"])
            try circle.sync(ada)
            #expect(try elements(circle.done(ada, "reminders/list"), "reminders").count == 1)
            #expect(try there.events().mapValues(\.minute) == ["swim.ics": 360])
            try circle.done(ada, "reminders/delete", ["reminder": swim?["reminder"] ?? .null])
            try circle.sync(ada)
            #expect(try there.events().isEmpty)
            // Nothing but that it is connected.
            let told = try circle.notifications(ada).map { try $0.text("text") }
            #expect(
                told == [
                    "Your reminders are kept in a calendar at \(there.host) now. If that was not you: vitals calendar disconnect."
                ])
        }
    }

    @Test("whose events were changed on both sides has the later change, and the person is told")
    func conflict() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let (ada, there) = (try circle.person(), try Neighbour())
            try circle.connect(ada, there)
            let id = try circle.done(ada, "reminders/add", Self.run).text("reminder")
            try circle.sync(ada)
            var event = try #require(try there.events()["\(id).ics"])
            // Nobody looks before both are changed.
            try circle.onCalendars { $0.turns[.turns] = Calendars.Turn(user: ada, began: millisecondsSinceBoot()) }
            circle.advance(10_000)
            event.summary = "Earlier"
            event.modified = circle.now
            circle.advance(10_000)
            try circle.done(ada, "reminders/change", ["reminder": .string(id), "label": "Later"])
            try there.put("\(id).ics", event)
            try circle.onCalendars { $0.turns = [:] }
            try circle.sync(ada)
            #expect(try there.events()["\(id).ics"]?.summary == "Later")
            #expect(
                try circle.notifications(ada).first?["text"]
                    == "Later was changed in your calendar and here: the change here was later, and is in both now.")
        }
    }

    @Test("is asked for a while with a password that was changed there, and then not before somebody connects it again")
    func password() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let (ada, there) = (try circle.person(), try Neighbour())
            try circle.connect(ada, there)
            try circle.done(ada, "reminders/add", Self.run)
            try circle.sync(ada)
            there.server.stop()
            try there.server.setPassword("second word")
            try there.server.startAgain()
            // However often it says so within half an hour.
            for _ in 0..<3 { #expect(try circle.refused(ada, "calendar/sync").code == .refused) }
            #expect(try circle.done(ada, "calendar/show")["stopped"] == nil)
            try circle.onCalendars { $0.longestDoubt = 0 }
            let last = try circle.refused(ada, "calendar/sync")
            #expect(last.message == "the calendar refused the password" && last.field == "password", "\(last)")
            let shown = try circle.done(ada, "calendar/show")
            #expect(shown["stopped"] == true && shown["problem"] == "the calendar refused the password")
            #expect(try circle.refused(ada, "calendar/sync").code == .notAllowed)
            let told = try circle.notifications(ada).filter { $0["kind"] == "calendar" }
            #expect(
                told.count == 2
                    && told.first?["text"]
                        == "The calendar refused the password. Connect it again with a new one: vitals calendar connect."
            )
            let wrong = try circle.refused(ada, "calendar/connect", there.account("third word"))
            #expect(wrong.code == .refused && wrong.field == "password")
            try circle.connect(ada, there, "second word")
            #expect(try circle.sync(ada)["reminders"] == 1)
            #expect(try there.events("second word").count == 1)
        }
    }

    @Test("that was deleted there is connected no longer, and the reminders stay")
    func gone() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let (ada, there) = (try circle.person(), try Neighbour())
            try circle.connect(ada, there)
            try circle.done(ada, "reminders/add", Self.run)
            try circle.sync(ada)
            try there.client().deleteCalendar(there.calendar())
            for _ in 0..<3 { #expect(try circle.refused(ada, "calendar/sync").code == .notFound) }
            #expect(try circle.done(ada, "calendar/show")["connected"] == true)
            try circle.onCalendars { $0.longestDoubt = 0 }
            #expect(try circle.refused(ada, "calendar/sync").code == .notFound)
            #expect(try circle.done(ada, "calendar/show") == ["connected": false])
            #expect(try elements(circle.done(ada, "reminders/list"), "reminders").count == 1)
            #expect(
                try circle.notifications(ada).first?["text"]
                    == "Your calendar was deleted there. Your reminders stay here, and are in step with no calendar now."
            )
        }
    }

    @Test("in which most events are missing is not believed at once, and nothing is lost if they are there again")
    func emptied() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let (ada, there) = (try circle.person(), try Neighbour())
            try circle.connect(ada, there)
            for _ in 0..<4 { try circle.done(ada, "reminders/add", Self.run) }
            try circle.sync(ada)
            let events = try there.events()
            for name in events.keys { try there.delete(name) }
            for _ in 0..<2 {
                let wrong = try circle.refused(ada, "calendar/sync")
                #expect(
                    wrong.code == .busy && wrong.message.hasPrefix("most of your reminders are missing"), "\(wrong)")
            }
            for (name, event) in events { try there.put(name, event) }
            #expect(try circle.sync(ada)["reminders"] == 4)
            #expect(try elements(circle.done(ada, "reminders/list"), "reminders").count == 4)
            // They are gone, and stay so.
            for name in events.keys { try there.delete(name) }
            _ = try circle.refused(ada, "calendar/sync")
            try circle.onCalendars { $0.longestDoubt = 0 }
            try circle.sync(ada)
            #expect(try elements(circle.done(ada, "reminders/list"), "reminders").isEmpty)
            #expect(
                try circle.notifications(ada).first?["text"]
                    == "4 reminders were deleted in your calendar at once, and are deleted here, too.")
        }
    }

    @Test("that was there before stays, and loses only what was made here; nobody else here may have it, too")
    func notMade() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let (ada, eve, there) = (try circle.person("ada@example.org"), try circle.person(), try Neighbour())
            let client = try there.client()
            _ = try client.makeCalendar(named: CalendarTalk.name, in: client.home())
            try circle.connect(ada, there)
            let taken = try circle.refused(eve, "calendar/connect", there.account(CalendarServer.password))
            #expect(taken.code == .notAllowed && taken.message.hasPrefix("somebody else in this home"), "\(taken)")
            let ids = try (0..<2).map { _ in try circle.done(ada, "reminders/add", Self.run).text("reminder") }
            try circle.sync(ada)
            var event = try #require(try there.events()["\(ids[1]).ics"])
            event.summary = "Changed since"
            try there.put("\(ids[1]).ics", event)
            event.uid = "rent"
            try there.put("rent.ics", event)
            let asked = try circle.done(ada, "reset-all/ask")
            let reply = try circle.done(ada, "reset-all/confirm", ["confirmation": asked["confirmation"] ?? .null])
            #expect(
                try reply.text("message").hasSuffix(
                    "Your calendar at \(there.host) stays, because it was there before: the events that Vitals has made there were deleted; 1 of them stay, which were changed there."
                ), "\(reply)")
            #expect(try there.events().keys.sorted() == ["\(ids[1]).ics", "rent.ics"].sorted())
        }
    }

    @Test("is the same one when it is connected again, whatever it is called by then")
    func renamed() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let (ada, there) = (try circle.person(), try Neighbour())
            let first = try circle.connect(ada, there)["calendar"]
            try there.server.rename(to: "My runs")
            #expect(try there.found() == nil)
            #expect(try circle.connect(ada, there)["calendar"] == first)
        }
    }

    @Test("goes with everything else of a person, and when they say so, and stays otherwise")
    func deleted() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let (ada, there) = (try circle.person("ada@example.org"), try Neighbour())
            try circle.onCalendars { $0.connections = Allowance(perSecond: 1000, burst: 1000) }
            try circle.connect(ada, there)
            try circle.done(ada, "calendar/disconnect")
            let first = try there.calendar()
            // The same one is taken again, and is one that was there before.
            #expect(try circle.connect(ada, there)["calendar"] == .string(first.text))
            let kept = try circle.done(ada, "calendar/disconnect", ["delete": true]).text("message")
            #expect(kept.contains("stays, because it was there before"), "\(kept)")
            #expect(try there.found() == first)
            try there.client().deleteCalendar(first)
            try circle.connect(ada, there)
            #expect(
                try circle.done(ada, "calendar/disconnect", ["delete": true])
                    == ["message": "Your calendar was deleted there"])
            #expect(try there.found() == nil)
            try circle.connect(ada, there)
            #expect(try there.found() != nil)
            let asked = try circle.done(ada, "reset-all/ask")
            let reply = try circle.done(ada, "reset-all/confirm", ["confirmation": asked["confirmation"] ?? .null])
            #expect(reply["message"] == "Everything of yours was deleted, and the key to it with it.")
            #expect(try there.found() == nil)
        }
    }
}

/// A calendar server, and somebody who uses it with another program.
private struct Neighbour {
    let server: CalendarServer

    init() throws { server = try CalendarServer() }

    /// As people are shown it.
    var host: String { String(server.address.dropFirst("http://".count)) }

    /// What `calendar/connect` asks for.
    func account(_ password: String) -> JSON {
        ["address": .string(server.address), "user": .string(CalendarServer.user), "password": .string(password)]
    }

    func client(_ password: String = CalendarServer.password) throws -> CalDAVClient {
        let account = CalDAVAccount(
            address: try WebAddress(server.address), user: CalendarServer.user, password: password)
        return CalDAVClient(
            account, limits: CalDAVClient.Limits(privateHosts: [NetworkRange("127.0.0.1")].compactMap { $0 }))
    }

    /// Where the calendar is; nil if there is none.
    func found(_ password: String = CalendarServer.password) throws -> WebAddress? {
        let client = try client(password)
        return try client.calendar(named: CalendarTalk.name, in: client.home())
    }

    func calendar(_ password: String = CalendarServer.password) throws -> WebAddress {
        try #require(try found(password))
    }

    /// The events that are there, by names.
    func events(_ password: String = CalendarServer.password) throws -> [String: CalendarEvent] {
        let (client, calendar) = (try client(password), try calendar(password))
        let names = Array(try client.changes(of: calendar, since: nil).changed.keys)
        var events: [String: CalendarEvent] = [:]
        for resource in try client.resources(names, of: calendar) {
            events[resource.name] = try calendarEvent(in: resource.bytes)
        }
        return events
    }

    /// Writes an event, whatever is there.
    func put(_ name: String, _ event: CalendarEvent) throws {
        let (client, calendar) = (try client(), try calendar())
        let etag = try client.changes(of: calendar, since: nil).changed[name]
        let match = etag.map(CalDAVClient.Match.etag) ?? .none
        _ = try client.put(calendarFile(of: [event], name: nil), name, of: calendar, match: match)
    }

    func delete(_ name: String) throws {
        let (client, calendar) = (try client(), try calendar())
        let etag = try #require(try client.changes(of: calendar, since: nil).changed[name])
        try client.delete(name, of: calendar, match: .etag(etag))
    }
}

extension Circle {
    @discardableResult
    fileprivate func connect(
        _ user: ID, _ there: Neighbour, _ password: String = CalendarServer.password
    ) throws -> JSON {
        try done(user, "calendar/connect", there.account(password))
    }

    /// Has the calendar looked at, as often as somebody wants.
    @discardableResult
    fileprivate func sync(_ user: ID) throws -> JSON {
        try onCalendars { calendars in calendars.looks = Allowance(perSecond: 1000, burst: 1000) }
        return try done(user, "calendar/sync")
    }
}
