import CalDAV
import Fetch
import Foundation
import TestSupport
import Testing

@Suite("A calendar at Radicale", .timeLimit(.minutes(60)))
struct RadicaleTests {
    private func text(_ resource: CalDAVClient.Resource?) -> String {
        String(decoding: resource?.bytes ?? [], as: UTF8.self)
    }

    @Test("finds the user's calendars, makes one, and finds it by its name")
    func discovery() throws {
        let server = try CalendarServer()
        for address in ["\(server.address)/", server.address, "\(server.address)/ann/"] {
            let client = try client(address)
            let home = try client.home()
            #expect(home.text == "\(server.address)/ann/", "\(address)")
        }
        let client = try client(server.address)
        let home = try client.home()
        #expect(try client.calendar(named: "Fitness <&> \"Calendar\"", in: home) == nil)
        let made = try client.makeCalendar(named: "Fitness <&> \"Calendar\"", in: home)
        #expect(try client.calendar(named: "Fitness <&> \"Calendar\"", in: home) == made)
        #expect(try client.calendar(named: "Fitness", in: home) == nil)
        #expect(try client.makeCalendar(named: "Other", in: home) != made)
    }

    @Test("writes, reads, changes and deletes resources, and sees what somebody else does")
    func resources() throws {
        let server = try CalendarServer()
        let (mine, other) = (try client(server.address), try client(server.address))
        let calendar = try mine.makeCalendar(named: "Fitness Calendar", in: try mine.home())
        let empty = try mine.changes(of: calendar, since: nil)
        #expect(empty.changed.isEmpty && empty.isWhole)
        let token = try #require(empty.token)
        let etag = try #require(try mine.put(event("a", "One <&>"), "a.ics", of: calendar, match: .none))
        #expect(reason { try other.put(event("a", "Two"), "a.ics", of: calendar, match: .none) } == .conflict)
        #expect(try other.changes(of: calendar, since: token).changed == ["a.ics": etag])
        let read = try other.resources(["a.ics", "missing.ics"], of: calendar)
        #expect(read.map(\.name) == ["a.ics"] && read.first?.etag == etag)
        #expect(text(read.first).contains("SUMMARY:One <&>"))
        let second = try other.put(event("a", "Two"), "a.ics", of: calendar, match: .etag(etag))
        #expect(second != nil && second != etag)
        #expect(reason { try mine.put(event("a", "Three"), "a.ics", of: calendar, match: .etag(etag)) } == .conflict)
        #expect(reason { try mine.delete("a.ics", of: calendar, match: .etag(etag)) } == .conflict)
        let changes = try mine.changes(of: calendar, since: token)
        #expect(changes.changed == ["a.ics": second ?? ""] && !changes.isWhole)
        try mine.delete("a.ics", of: calendar, match: .etag(second ?? ""))
        let after = try other.changes(of: calendar, since: changes.token)
        #expect(after.deleted == ["a.ics"] && after.changed.isEmpty)
        #expect(reason { try mine.delete("a.ics", of: calendar, match: .etag("\"x\"")) } == .gone)
        #expect(try mine.changes(of: calendar, since: nil).changed.isEmpty)
        #expect(
            reason { try mine.changes(of: calendar, since: "http://radicale.org/ns/sync/nonsense") } == .tokenExpired)
    }

    @Test("reads as many resources as are allowed, and says so where there are more")
    func many() throws {
        let server = try CalendarServer()
        var limits = CalDAVClient.Limits(privateHosts: here)
        let all = try client(server.address, limits: limits)
        let calendar = try all.makeCalendar(named: "Many", in: try all.home())
        for number in 0..<45 {
            _ = try all.put(event("u\(number)", "t\(number)"), "u\(number).ics", of: calendar, match: .none)
        }
        let names = Array(try all.changes(of: calendar, since: nil).changed.keys)
        #expect(Set(try all.resources(names, of: calendar).map(\.name)) == Set((0..<45).map { "u\($0).ics" }))
        limits.resources = 45
        #expect(try client(server.address, limits: limits).changes(of: calendar, since: nil).changed.count == 45)
        limits.resources = 44
        let few = try client(server.address, limits: limits)
        #expect(reason { try few.changes(of: calendar, since: nil) } == .tooLarge)
    }

    @Test("says that the calendar is gone, that the password is wrong, and that the server is away")
    func troubles() throws {
        let server = try CalendarServer()
        let mine = try client(server.address)
        let home = try mine.home()
        let calendar = try mine.makeCalendar(named: "Fitness Calendar", in: home)
        server.stop()
        #expect(reason { try mine.changes(of: calendar, since: nil) } == .unreachable)
        try server.setPassword("second word")
        try server.startAgain()
        #expect(reason { try mine.changes(of: calendar, since: nil) } == .unauthorized)
        #expect(reason { try mine.home() } == .unauthorized)
        let renewed = try client(server.address, password: "second word")
        #expect(try renewed.calendar(named: "Fitness Calendar", in: home) == calendar)
        try renewed.deleteCalendar(calendar)
        #expect(reason { try renewed.changes(of: calendar, since: nil) } == .gone)
        #expect(reason { try renewed.deleteCalendar(calendar) } == .gone)
        #expect(try renewed.calendar(named: "Fitness Calendar", in: home) == nil)
    }
}
