import Daemon
import TestSupport
import Testing

@testable import Calendars
@testable import Reminders
@testable import vitals_consumer

@Suite("A conversation with a calendar server", .timeLimit(.minutes(60)))
struct CalendarTalkTests {
    private static func list(_ text: String) -> String {
        "<?xml version='1.0'?><d:multistatus xmlns:d='DAV:' xmlns:c='urn:ietf:params:xml:ns:caldav'>\(text)</d:multistatus>"
    }

    private static func resource(_ href: String, _ properties: String = "<d:getetag>\"1\"</d:getetag>") -> String {
        "<d:response><d:href>\(href)</d:href><d:propstat><d:prop>\(properties)</d:prop>"
            + "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
    }

    /// A conversation with a server that answers as it is told.
    private func with(_ body: (CalendarTalk, WebServer, String) throws -> Void) throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let server = try WebServer()
            let settings = try #require(try circle.onCalendars { $0.settings })
            let account = CalendarAccount(address: server.address, user: "ada", password: "word")
            try body(CalendarTalk(account, settings, within: .seconds(60)), server, "\(server.address)/c/")
        }
    }

    private func problem(_ body: () throws -> some Any) -> CalendarProblem? { thrown(CalendarProblem.self, body) }

    @Test("looks at everything where its token is of no use, whatever the server says to that")
    func uselessToken() throws {
        try with { talk, server, calendar in
            var link = CalendarLink()
            link.token = "old"
            link.others["a.ics"] = CalendarLink.Other(etag: "\"1\"", reason: .untitled)
            try server.answer("PROPFIND", "/c/", 207, [], Self.list(Self.resource("/c/a.ics")))
            for status in [400, 404, 409, 500] {
                try server.answer("REPORT", "/c/", status)
                let sight = try talk.look(calendar, link)
                #expect(sight.isComplete && sight.listed == ["a.ics": "\"1\""] && sight.token == nil, "\(status)")
            }
            try server.answer("REPORT", "/c/", 401)
            #expect(problem { try talk.look(calendar, link) } == .password)
        }
    }

    @Test("keeps the old token as long as something was listed and not read")
    func unread() throws {
        try with { talk, server, calendar in
            // The same answer to both questions: the list has the event, and the event is not said.
            let answer = Self.list(Self.resource("/c/a.ics") + "<d:sync-token>new</d:sync-token>")
            try server.answer("REPORT", "/c/", 207, [], answer)
            var link = CalendarLink()
            #expect(try talk.look(calendar, link).token == nil)
            link.token = "old"
            #expect(try talk.look(calendar, link).token == "old")
            link.others["a.ics"] = CalendarLink.Other(etag: "\"1\"", reason: .untitled)
            #expect(try talk.look(calendar, link).token == "new")
        }
    }

    @Test("says that a calendar is gone only if the home of the person's calendars answers, and lists it no longer")
    func gone() throws {
        try with { talk, server, calendar in
            for method in ["REPORT", "PROPFIND"] { try server.answer(method, "/c/", 404) }
            #expect(problem { try talk.look(calendar, CalendarLink()) } == .status(404))
            let home = Self.resource(
                "/", "<c:calendar-home-set><d:href>/home/</d:href></c:calendar-home-set>")
            try server.answer("PROPFIND", "/.well-known/caldav", 207, [], Self.list(home))
            #expect(problem { try talk.look(calendar, CalendarLink()) } == .status(404))
            try server.answer("PROPFIND", "/home/", 207, [], Self.list(Self.resource("/c", "")))
            #expect(problem { try talk.look(calendar, CalendarLink()) } == .status(404))
            try server.answer("PROPFIND", "/home/", 207, [], Self.list(Self.resource("/other/", "")))
            #expect(problem { try talk.look(calendar, CalendarLink()) } == .gone)
            try server.answer("PROPFIND", "/home/", 503)
            #expect(problem { try talk.look(calendar, CalendarLink()) } == .status(503))
        }
    }

    @Test("tells what a server refuses from what it cannot do now")
    func refusals() throws {
        try with { talk, server, calendar in
            let step = CalendarStep.put(
                name: "a.ics", uid: "a",
                try .init(
                    title: "Run",
                    .init(firstDay: .init(daysSince1970: 20_000), minute: 60, weekdays: [1], alarmMinutes: nil)),
                etag: nil, changed: 0, revision: 1)
            for status in [400, 403, 409, 413, 415, 422, 500, 501] {
                try server.answer("PUT", "/c/a.ics", status)
                #expect(try talk.take(step, calendar) == .refused, "\(status)")
            }
            for status in [408, 423, 425, 429, 502, 503, 504, 507] {
                try server.answer("PUT", "/c/a.ics", status)
                #expect(problem { try talk.take(step, calendar) } == .status(status), "\(status)")
            }
            try server.answer("PUT", "/c/a.ics", 201, ["ETag: \"2\""])
            #expect(try talk.take(step, calendar) == .done(etag: "\"2\""))
        }
    }
}
