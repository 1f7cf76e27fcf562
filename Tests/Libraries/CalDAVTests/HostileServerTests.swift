import CalDAV
import Fetch
import Foundation
import TestSupport
import Testing

private let xmlHead = "<?xml version='1.0'?><d:multistatus xmlns:d='DAV:' xmlns:c='urn:ietf:params:xml:ns:caldav'>"

/// An answer with several resources.
private func multistatus(_ text: String) -> String { "\(xmlHead)\(text)</d:multistatus>" }

/// A resource with an ETag.
private func resource(_ href: String, _ etag: String = "e") -> String {
    "<d:response><d:href>\(href)</d:href><d:propstat><d:prop><d:getetag>\(etag)</d:getetag></d:prop>"
        + "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
}

/// What a server was asked for until now. What it prints comes after its answer, so one more request is waited for.
private func requests(_ server: WebServer) throws -> [String] {
    let path = "/last/\(UInt64.random(in: .min ... .max))"
    _ = try? Fetcher().get("\(server.address)\(path)")
    try server.waitForRequest(path)
    return server.allRequests.filter { !$0.hasPrefix("GET /last/") }
}

@Suite("Hostile calendar servers", .timeLimit(.minutes(60)))
struct HostileServerTests {
    @Test("goes nowhere but to the server of the account, and takes the password nowhere else")
    func redirections() throws {
        let (server, other) = (try WebServer(), try WebServer())
        for target in [
            "\(other.address)/dav/", "https://127.0.0.1:1/", "file:///etc/passwd", "http://10.0.0.1/", "//example.com/",
            "gopher://127.0.0.1/", "http://ann:word@127.0.0.1/", "not an address",
        ] {
            try server.answer("PROPFIND", "/dav/", 302, ["Location: \(target)"])
            let client = try client("\(server.address)/dav/")
            let home = try WebAddress("\(server.address)/dav/")
            #expect(reason { try client.calendar(named: "x", in: home) } == .redirected, "\(target)")
        }
        #expect(try requests(other).isEmpty)
        try server.answer("PROPFIND", "/round/", 301, ["Location: /round/"])
        let client = try client(server.address)
        let round = try WebAddress("\(server.address)/round/")
        #expect(reason { try client.calendar(named: "x", in: round) } == .redirected)
        #expect(try requests(server).filter { $0 == "PROPFIND /round/" }.count == 4)
        try server.answer("PROPFIND", "/nowhere/", 301)
        let nowhere = try WebAddress("\(server.address)/nowhere/")
        #expect(reason { try client.calendar(named: "x", in: nowhere) } == .malformed)
        let elsewhere = try WebAddress("\(other.address)/dav/")
        #expect(reason { try client.deleteCalendar(elsewhere) } == .redirected)
        #expect(try requests(other).isEmpty)
    }

    @Test("signs with Digest where the server takes the password in no other way", arguments: [true, false])
    func digest(_ isRight: Bool) throws {
        let server = try WebServer()
        try server.folder.write("ann:\(isRight ? "right" : "other")", to: "digest")
        try server.answer("DELETE", "/dav/", 204)
        let client = try client(server.address, user: "ann", password: "right")
        let calendar = try WebAddress("\(server.address)/dav/")
        if isRight {
            try client.deleteCalendar(calendar)
            try client.deleteCalendar(calendar)
            // Once without, and from then on a question and a signed request for each.
            #expect(try requests(server).count == 5)
            // What is sent along is there in the signed request.
            try server.answer("PUT", "/dav/run.ics", 201)
            _ = try client.put(event("run", "Run"), "run.ics", of: calendar, match: .none)
            let stored = try Data(contentsOf: URL(fileURLWithPath: server.folder.path("stored")))
            #expect(Array(stored) == event("run", "Run"))
        } else {
            #expect(reason { try client.deleteCalendar(calendar) } == .unauthorized)
            #expect(try requests(server).count == 3)
        }
    }

    @Test("finds no home at another server, whatever the first one says")
    func homes() throws {
        let (server, other) = (try WebServer(), try WebServer())
        for property in ["current-user-principal", "calendar-home-set"] {
            try server.answer(
                "PROPFIND", "/dav/", 207, [],
                multistatus(
                    "<d:response><d:href>/dav/</d:href><d:propstat><d:prop><d:\(property)><d:href>\(other.address)/</d:href>"
                        + "</d:\(property)></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"))
            let client = try client("\(server.address)/dav/")
            #expect(reason { try client.home() } == .redirected, "\(property)")
        }
        #expect(try requests(other).isEmpty)
    }

    @Test("connects to nothing on this machine or its network unless the operator allows it")
    func privateAddresses() throws {
        let server = try WebServer()
        let strict = try client(server.address, limits: CalDAVClient.Limits())
        #expect(reason { try strict.home() } == .notPublic)
        #expect(try requests(server).isEmpty)
        // A name that a name server has given this machine's address.
        let named = try client("https://localhost:\(try freePort())/", limits: CalDAVClient.Limits())
        let error = thrown(CalDAVError.self) { try named.home() }
        #expect(error?.reason == .notPublic && error?.said.contains("public") == true)
    }

    @Test("refuses answers that are no answers, in little time")
    func answers() throws {
        let many = (0..<1100).map { resource("/c/\($0).ics") }.joined()
        let attributes = (0..<2000).map { "a\($0)='b' " }.joined()
        for (body, expected) in [
            ("", CalDAVError.Reason.malformed), ("nonsense", .malformed),
            ("<d:multistatus xmlns:d='DAV:'>", .malformed),
            ("<!DOCTYPE m [<!ENTITY a 'b'>]><m>&a;</m>", .malformed),
            ("<!DOCTYPE m SYSTEM 'file:///etc/passwd'><m/>", .malformed),
            (String(repeating: "<d:a xmlns:d='DAV:'>", count: 100), .tooLarge), ("<a \(attributes)/>", .tooLarge),
            (multistatus(String(repeating: "<d:a/>", count: 250_000)), .tooLarge), (multistatus(many), .tooLarge),
            (multistatus(String(repeating: " ", count: 4 << 20)), .tooLarge),
            // Sound, but without a token.
            ("\u{FEFF}" + multistatus(resource("/c/a.ics")), .malformed),
        ] {
            let server = try WebServer()
            let calendar = try WebAddress("\(server.address)/c/")
            try server.answer("REPORT", "/c/", 207, [], body)
            let client = try client(server.address)
            let clock = ContinuousClock()
            let spent = clock.measure {
                let found = reason { try client.changes(of: calendar, since: "t") }
                #expect(found == expected, "\(body.prefix(60))")
            }
            #expect(spent < .seconds(10), "\(body.prefix(60))")
        }
    }

    @Test("ends a request that brings too much, or nothing, and when it is told to")
    func endless() throws {
        let server = try WebServer()
        let limits = CalDAVClient.Limits(
            answer: 100_000, duration: .milliseconds(300), privateHosts: here)
        let quick = try client(server.address, limits: limits)
        func changes(_ client: CalDAVClient, _ path: String) -> CalDAVError.Reason? {
            reason { try client.changes(of: try WebAddress("\(server.address)\(path)"), since: nil) }
        }
        #expect(changes(quick, "/endless") == .tooLarge)
        #expect(changes(quick, "/announced") == .tooLarge)
        #expect(changes(quick, "/headers") == .tooLarge)
        #expect(changes(quick, "/slow") == .timeout)
        #expect(changes(quick, "/half") == .unreachable)
        // However long a request may take: the whole conversation is over.
        let brief = try client(
            server.address,
            limits: CalDAVClient.Limits(conversation: .milliseconds(300), privateHosts: here))
        #expect(changes(brief, "/slow") == .timeout)
        #expect(changes(brief, "/after") == .timeout)
        #expect(try !requests(server).contains("REPORT /after"))
        let patient = try client(server.address)
        let ended = Record<CalDAVError.Reason?>()
        let slow = try WebAddress("\(server.address)/slow/")
        try server.answer("PROPFIND", "/other/", 207, [], multistatus(""))
        let address = try WebAddress("\(server.address)/slow")
        Thread.detachNewThread { ended.append(reason { try patient.changes(of: address, since: nil) }) }
        try server.waitForRequest("REPORT", "/slow")
        patient.cancel()
        #expect(try ended.wait(for: 1) == [.cancelled])
        #expect(reason { try patient.changes(of: slow, since: nil) } == .cancelled)
    }

    @Test(
        "tells statuses apart",
        arguments: [
            (401, CalDAVError.Reason.unauthorized), (403, .forbidden), (404, .gone), (410, .gone), (412, .conflict),
            (500, .status(500)), (503, .status(503)), (204, .malformed),
        ])
    func statuses(_ status: Int, _ expected: CalDAVError.Reason) throws {
        let server = try WebServer()
        try server.answer("REPORT", "/c/", status)
        let calendar = try WebAddress("\(server.address)/c/")
        let client = try client(server.address)
        let error = thrown(CalDAVError.self) { try client.changes(of: calendar, since: "t") }
        #expect(error?.reason == expected)
        #expect(!"\(try #require(error))".contains(CalendarServer.password))
    }

    @Test("takes names from what a server says, and leaves the way to them out")
    func names() throws {
        let server = try WebServer()
        try server.answer(
            "REPORT", "/c/", 207, [],
            multistatus(
                resource("/c/") + resource("/c/a.ics", "W/&quot;1&quot;") + resource("/elsewhere/b.ics")
                    + resource("http://example.com/c.ics") + resource("/c/..") + resource("") + resource("/c/d%2Fe.ics")
                    + resource("/c/f.ics?x=y") + resource("//example.com/g.ics")
                    + "<d:response><d:href>/c/h.ics</d:href>"
                    + "<d:status>HTTP/1.1 404 Not Found</d:status></d:response><d:sync-token>t2</d:sync-token>"))
        let calendar = try WebAddress("\(server.address)/c/")
        let client = try client(server.address)
        let changes = try client.changes(of: calendar, since: "t1")
        #expect(changes.changed == ["a.ics": "\"1\"", "b.ics": "e", "d%2Fe.ics": "e", "f.ics": "e"])
        #expect(changes.deleted == ["h.ics"] && changes.token == "t2" && !changes.isWhole)
        let before = try requests(server)
        for name in ["", ".", "..", "a/b", "a?b", "a#b", "a\nb", String(repeating: "x", count: 256)] {
            #expect(reason { try client.put([], name, of: calendar, match: .none) } == .address, "\(name)")
        }
        for etag in ["", "a\r\nX: y", String(repeating: "x", count: 1025)] {
            #expect(reason { try client.delete("a.ics", of: calendar, match: .etag(etag)) } == .malformed)
        }
        #expect(try requests(server) == before)
    }

    @Test("asks for all ETags where a server knows no changes, reads pages, and ends where they do not")
    func changes() throws {
        let server = try WebServer()
        let calendar = try WebAddress("\(server.address)/c/")
        let client = try client(server.address)
        let all = multistatus(resource("/c/") + resource("/c/a.ics"))
        try server.answer("PROPFIND", "/c/", 207, [], all)
        for status in [400, 403, 405, 415, 501] {
            try server.answer("REPORT", "/c/", status)
            let changes = try client.changes(of: calendar, since: nil)
            #expect(changes.isWhole && changes.token == nil && changes.changed == ["a.ics": "e"], "\(status)")
        }
        try server.answer(
            "REPORT", "/c/", 403, [], "<d:error xmlns:d='DAV:'><d:valid-sync-token/></d:error>")
        #expect(reason { try client.changes(of: calendar, since: "old") } == .tokenExpired)
        let more = "<d:response><d:href>/c/</d:href><d:status>HTTP/1.1 507 More</d:status></d:response>"
        try server.answer(
            "REPORT", "/c/", 207, [], multistatus(resource("/c/a.ics") + more + "<d:sync-token>t</d:sync-token>"))
        #expect(reason { try client.changes(of: calendar, since: "t") } == .malformed)
        try server.answer("REPORT", "/c/", 207, [], multistatus(resource("/c/a.ics")))
        #expect(reason { try client.changes(of: calendar, since: "t") } == .malformed)
        // Whatever a server says that does not know changes, but for one that does not let anybody in.
        for (status, body) in [(207, multistatus(resource("/c/a.ics"))), (500, ""), (200, "ok"), (422, "")] {
            try server.answer("REPORT", "/c/", status, [], body)
            #expect(try client.changes(of: calendar, since: nil).changed == ["a.ics": "e"], "\(status)")
        }
        try server.answer("REPORT", "/c/", 401)
        #expect(reason { try client.changes(of: calendar, since: nil) } == .unauthorized)
    }

    @Test("takes no list for a whole one of which it cannot read everything")
    func wholeLists() throws {
        let server = try WebServer()
        let calendar = try WebAddress("\(server.address)/c/")
        let client = try client(server.address)
        func status(_ href: String, _ status: Int) -> String {
            "<d:response>\(href)<d:status>HTTP/1.1 \(status) Words</d:status></d:response>"
        }
        let a = resource("/c/a.ics")
        let collection =
            "<d:response><d:href>/c/more</d:href><d:propstat><d:prop><d:resourcetype><d:collection/>"
            + "</d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
        for (text, expected) in [
            (resource("/c/") + a + resource("/c") + collection + resource("/dav/alias/"), nil),
            (a + status("<d:href>/c/b.ics</d:href><d:href>/c/d.ics</d:href>", 404), nil),
            (a + status("<d:href>/c/b.ics</d:href>", 403), .status(403)),
            (a + status("<d:href>/c/b.ics</d:href><d:href>/c/d.ics</d:href>", 500), .status(500)),
            (a + resource("http://example.com/c/b.ics"), .malformed), (a + resource("/c/b b.ics"), .malformed),
            (a + resource("/c/\(String(repeating: "b", count: 256))"), .malformed),
        ] as [(String, CalDAVError.Reason?)] {
            try server.answer("PROPFIND", "/c/", 207, [], multistatus(text))
            try server.answer("REPORT", "/c/", 501)
            #expect(reason { try client.changes(of: calendar, since: nil) } == expected, "\(text)")
            try server.answer("REPORT", "/c/", 207, [], multistatus(text + "<d:sync-token>t</d:sync-token>"))
            #expect(reason { try client.changes(of: calendar, since: nil) } == expected, "\(text)")
        }
        // Of what has changed, too: the next token leads past it.
        let refused = status("<d:href>/c/a.ics</d:href>", 403) + "<d:sync-token>t2</d:sync-token>"
        try server.answer("REPORT", "/c/", 207, [], multistatus(refused))
        #expect(reason { try client.changes(of: calendar, since: "t") } == .status(403))
        let two = status("<d:href>/c/a.ics</d:href><d:href>/c/b.ics</d:href>", 404) + "<d:sync-token>t2</d:sync-token>"
        try server.answer("REPORT", "/c/", 207, [], multistatus(two))
        #expect(try client.changes(of: calendar, since: "t").deleted == ["a.ics", "b.ics"])
    }

    @Test(
        "takes no calendar of somebody else's for the user's own, and finds one whose address has no slash at its end")
    func owners() throws {
        let server = try WebServer()
        let client = try client(server.address)
        let home = try WebAddress("\(server.address)/ann")
        func calendar(_ href: String, _ more: String, _ kind: String = "") -> String {
            "<d:response><d:href>\(href)</d:href><d:propstat><d:prop><d:displayname>Fit</d:displayname><d:resourcetype>"
                + "<d:collection/><c:calendar/>\(kind)</d:resourcetype>\(more)</d:prop><d:status>HTTP/1.1 200 OK</d:status>"
                + "</d:propstat></d:response>"
        }
        func owner(_ owner: String, _ user: String) -> String {
            "<d:owner><d:href>\(owner)</d:href></d:owner><d:current-user-principal><d:href>\(user)</d:href>"
                + "</d:current-user-principal>"
        }
        let shared = calendar("/ann/bob-fit/", "", "<s:shared xmlns:s='http://calendarserver.org/ns/'/>")
        let strange = calendar("/ann/eve-fit/", owner("/p/eve/", "/p/ann/"))
        let elsewhere = calendar("/ann/away-fit/", owner("https://example.com/p/ann/", "/p/ann/"))
        try server.answer("PROPFIND", "/ann", 207, [], multistatus(shared + strange + elsewhere))
        #expect(try client.calendar(named: "Fit", in: home) == nil)
        for own in [owner("/p/%61nn", "\(server.address)/p/ann/"), owner("", "/p/ann/"), ""] {
            try server.answer(
                "PROPFIND", "/ann", 207, [], multistatus(shared + strange + elsewhere + calendar("/ann/fit", own)))
            let found = try client.calendar(named: "Fit", in: home)
            #expect(found?.text == "\(server.address)/ann/fit/", "\(own)")
        }
        let fit = try WebAddress("\(server.address)/ann/fit/")
        #expect(try client.lists(fit, in: home))
        #expect(try !client.lists(WebAddress("\(server.address)/ann/fat/"), in: home))
        try server.answer("PROPFIND", "/ann/fit/", 207, [], multistatus(calendar("/ann/fit/", "")))
        #expect(try client.isThere(fit))
        for (status, body) in [(404, ""), (207, multistatus(resource("/ann/fit/")))] {
            try server.answer("PROPFIND", "/ann/fit/", status, [], body)
            #expect(try !client.isThere(fit), "\(status)")
        }
        try server.answer("PROPFIND", "/ann/fit/", 503)
        #expect(reason { try client.isThere(fit) } == .status(503))
        // What is made and written is in the collection, and not beside it.
        _ = try? client.makeCalendar(named: "Fit", in: home)
        _ = try? client.put([], "a.ics", of: WebAddress("\(server.address)/ann/fit"), match: .none)
        let asked = try requests(server)
        #expect(asked.contains("PUT /ann/fit/a.ics"))
        #expect(asked.contains { $0.hasPrefix("MKCALENDAR /ann/calendar-") })
    }
}
