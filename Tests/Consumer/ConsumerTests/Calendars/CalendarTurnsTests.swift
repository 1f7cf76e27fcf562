import Daemon
import HouseholdSupport
import Telemetry
import TestSupport
import Testing

@testable import Calendars
@testable import Features
@testable import vitals_consumer

@Suite("Calendars of several people, some of whom leave, at a running service", .timeLimit(.minutes(60)))
struct CalendarTurnsTests {
    private static let account: JSON = [
        "address": "http://127.0.0.1:1", "user": "ada", "password": "correct horse",
    ]

    /// Has a server say that it has the calendar that `keepCalendar` keeps.
    private static func offerCalendar(_ server: WebServer) throws {
        try server.answer(
            "PROPFIND", "/ada/fitness/", 207, ["Content-Type: text/xml"],
            """
            <multistatus xmlns="DAV:"><response><href>/ada/fitness/</href><propstat><prop><resourcetype><collection/>\
            <calendar xmlns="urn:ietf:params:xml:ns:caldav"/></resourcetype></prop><status>HTTP/1.1 200 OK</status>\
            </propstat></response></multistatus>
            """)
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
                    calendars.remove(record, settings, in: lane, within: .seconds(600)) { _ in }
                }
            }
            try slow.waitForRequest("DELETE", "/slow")
            #expect(try reset(ada) == "Everything of yours was deleted, and the key to it with it.")
            #expect(quick.allRequests.contains("DELETE /ada/fitness/"))
            // Somebody else connects in the meantime, as far as that server lets them.
            let wrong = try circle.refused(
                eve, "calendar/connect", Self.account.changing("address", to: .string(quick.address)))
            #expect(wrong.code == .notFound, "\(wrong)")

            // Now somebody who leaves is before them, too.
            try circle.onCalendars { calendars in
                guard let settings = calendars.settings else { return }
                for _ in 0..<3 {
                    calendars.remove(record, settings, in: .leaving, within: .seconds(600)) { _ in }
                }
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
            #expect(try circle.refused(ada, "calendar/sync").message == "the calendar server answered with status 404")
            #expect(server.allRequests.first == "REPORT /bob/")
        }
    }

    @Test("of somebody who is being forgotten keeps nobody else's from being looked at")
    func beingForgotten() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let (slow, server) = (try WebServer(), try WebServer())
            let (ada, bob) = (try circle.person(), try circle.person())
            try circle.keepCalendar(of: ada, slow.address, calendar: "\(slow.address)/slow")
            try circle.keepCalendar(of: bob, server.address, calendar: "\(server.address)/bob/")
            try circle.onCalendars { calendars in
                calendars.longestLeave = .seconds(600)
                calendars.context.doors.forget(ada, keepingAccount: true, telling: nil) { _ in }
            }
            try slow.waitForRequest("DELETE", "/slow")
            try circle.onCalendars { calendars in
                calendars.states[ada]?.due = 0
                calendars.states[bob]?.due = 1
                calendars.goOn(at: 0)
            }
            try server.waitForRequest("REPORT", "/bob/")
        }
    }

    @Test("that is being connected is not, if its person ends it in the meantime")
    func overtaken() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let (slow, quick) = (try WebServer(), try WebServer())
            try Self.offerCalendar(quick)
            let ada = try circle.person()
            func connect(endingBefore isEnded: Bool) throws -> Reply.Outcome {
                try circle.keepCalendar(of: ada, quick.address)
                // Nobody's turn comes before this server has been waited for.
                let record = try CalendarRecord.madeUp(slow.address, calendar: "\(slow.address)/slow")
                try circle.onCalendars { calendars in
                    guard let settings = calendars.settings else { return }
                    for _ in 0..<3 { calendars.remove(record, settings, in: .asked, within: .seconds(2)) { _ in } }
                }
                let place = "vitals/v1/users/\(ada)/responses/\(isEnded)"
                let address = Self.account.changing("address", to: .string(quick.address))
                circle.send(ada, "calendar/connect", address, replyAt: place)
                if isEnded { try circle.done(ada, "calendar/disconnect") }
                return try circle.reply(to: "calendar/connect", at: place)
            }
            guard case .error(let error) = try connect(endingBefore: true) else {
                throw TestFailure("a calendar that was ended is connected")
            }
            #expect(error == Calendars.unconnected)
            #expect(try circle.done(ada, "calendar/show") == ["connected": false])
            // Otherwise it is.
            guard case .ok(let shown) = try connect(endingBefore: false) else {
                throw TestFailure("a calendar is not connected")
            }
            #expect(shown["connected"] == true)
        }
    }

    @Test("whose server needed long has a rest, even if its person asks")
    func rest() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let server = try WebServer()
            let ada = try circle.person()
            try circle.keepCalendar(of: ada, server.address)
            for problem in [nil, CalendarProblem.timeout] {
                let due = try circle.onCalendars { calendars in
                    let now = millisecondsSinceBoot()
                    calendars.turns[.turns] = Calendars.Turn(user: ada, began: now - 60_000)
                    calendars.ended(ada, problem)
                    return (calendars.states[ada]?.due ?? 0) - now
                }
                #expect((1_200_000...1_210_000).contains(due))
                let busy = try circle.refused(ada, "calendar/sync")
                #expect(
                    busy.code == .busy && busy.retryAfterSeconds.map { (1190...1201).contains($0) } == true, "\(busy)")
            }
            #expect(server.allRequests.isEmpty)
        }
    }

    @Test("is not kept waiting by servers that need long, which have turns of their own for a day")
    func slowTurns() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let (slow, quick) = (try WebServer(), try WebServer())
            let (ada, eve) = (try circle.person(), try circle.person())
            try circle.keepCalendar(of: ada, quick.address, calendar: "\(quick.address)/ada/")
            try circle.keepCalendar(of: eve, slow.address, calendar: "\(slow.address)/slow")
            try circle.onCalendars { calendars in
                let now = millisecondsSinceBoot()
                calendars.turns[.turns] = Calendars.Turn(user: eve, began: now - 15_000)
                calendars.ended(eve, nil)
                #expect(calendars.lane(of: eve, now) == .slow && calendars.lane(of: ada, now) == .turns)
                #expect(calendars.lane(of: eve, now + 86_500_000) == .turns)
                // One that could not be connected to is only left alone for a while.
                calendars.turns[.turns] = Calendars.Turn(user: eve, began: now - 10_000)
                calendars.slowness = [:]
                calendars.ended(eve, .timeout)
                #expect(calendars.slowness[eve]?.busy(now) != nil && calendars.lane(of: eve, now + 250_000) == .turns)
                calendars.slowness[eve] = Calendars.Slowness(rested: 0, until: now + 60_000)
                // It has had its rest.
                calendars.states[eve]?.due = 0
                calendars.goOn(at: 0)
            }
            try slow.waitForRequest("REPORT", "/slow")
            // Nothing of what eve waits for keeps ada waiting.
            #expect(try circle.refused(ada, "calendar/sync").message == "the calendar server answered with status 404")
            #expect(try circle.onCalendars { $0.turns[.slow]?.user } == eve)
        }
    }

    @Test("whose server needed long has its rest, though the look was overtaken, or the calendar was connected again")
    func connectedAgain() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let server = try WebServer()
            try Self.offerCalendar(server)
            let ada = try circle.person()
            let account = Self.account.changing("address", to: .string(server.address))
            try circle.keepCalendar(of: ada, server.address)
            try circle.onCalendars { calendars in
                calendars.turns[.turns] = Calendars.Turn(user: ada, began: millisecondsSinceBoot() - 15_000)
                calendars.superseded(ada)
            }
            for isEnded in [false, true] {
                if isEnded {
                    try circle.done(ada, "calendar/disconnect")
                    try circle.keepCalendar(of: ada, server.address)
                }
                try circle.done(ada, "calendar/connect", account)
                #expect(try circle.refused(ada, "calendar/sync").code == .busy)
                try circle.done(ada, "reminders/add", ["label": "Run", "time": "18:30", "weekdays": ["monday"]])
                let (lane, due) = try circle.onCalendars { calendars in
                    let now = millisecondsSinceBoot()
                    return (calendars.lane(of: ada, now), (calendars.states[ada]?.due ?? 0) - now)
                }
                #expect(lane == .slow && (290_000...300_000).contains(due))
            }
            #expect(!server.allRequests.contains { $0.hasPrefix("REPORT") })
        }
    }

    @Test("is looked at for nobody once the operator wants none, and nobody waits for that")
    func unwanted() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            let slow = try WebServer()
            let ada = try circle.person()
            try circle.keepCalendar(of: ada, slow.address, calendar: "\(slow.address)/slow")
            let place = "vitals/v1/users/\(ada)/responses/unwanted"
            try circle.onCalendars { calendars in
                calendars.states[ada]?.due = 0
                calendars.goOn(at: 0)
            }
            try slow.waitForRequest("REPORT", "/slow")
            // For the look after the one that is under way.
            circle.send(ada, "calendar/sync", [:], replyAt: place)
            try circle.done(ada, "calendar/show")
            #expect(try circle.onCalendars { $0.waiting[ada]?.count } == 1)
            circle.consumer.reload(
                try circle.household.settings(port: circle.broker.port, more: "accounts: {}, broker_rules: {},"))
            guard case .error(let error) = try circle.reply(to: "calendar/sync", at: place) else {
                throw TestFailure("a look that nobody makes was answered")
            }
            #expect(error == Calendars.unwanted)
        }
    }

    @Test("is announced to go with everything else, or to stay")
    func announced() throws {
        try Circle.with(more: Circle.calendarSettings) { circle in
            for (isMade, words) in [
                (true, "at 127.0.0.1:1 will be deleted, too"), (false, "was there before and will stay"),
            ] {
                let ada = try circle.person()
                try circle.keepCalendar(of: ada, isMade: isMade)
                let asked = try circle.done(ada, "reset-all/ask").text("message")
                #expect(asked.contains(words), "\(asked)")
            }
        }
    }
}
