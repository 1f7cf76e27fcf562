import Daemon
import Files
import Foundation
import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Exercise
@testable import Sharing
@testable import vitals_consumer

@Suite("What people share at a running service", .timeLimit(.minutes(60)))
struct ShareServiceTests {
    private static let link = #"share_link: "https://example.org/?d={day}#{goal}","#

    @Test("is posted exactly as it was shown, with its picture and link, once, to the services that are chosen")
    func posted() throws {
        let receiver = try PushReceiver()
        try Circle.with(more: Circle.sharingSettings + Self.link) { circle in
            let ada = try circle.walker()
            let web = try circle.addService(ada, "json://ada:secret@\(receiver.place)/web", "Web")
            let other = try circle.addService(ada, "json://\(receiver.place)/other")
            let preview = try circle.preview(ada)
            let text = "12,345 steps on 21 November 2026: I have reached my goal of 10,000 steps!"
            let link = "https://example.org/?d=2026-11-21#steps"
            #expect(preview["text"] == .string(text) && preview["link"] == .string(link))
            #expect(
                preview["to"] == [
                    ["address": "json://127.0.0.1/…", "label": "Web", "service": .string(web)],
                    ["address": "json://127.0.0.1/…", "label": "json://127.0.0.1/…", "service": .string(other)],
                ])
            #expect(try preview.text("facebook").hasSuffix("?u=https%3A%2F%2Fexample.org%2F%3Fd%3D2026-11-21%23steps"))
            #expect(try preview.text("x").hasPrefix("https://x.com/intent/post?text=12%2C345%20steps"))
            let shown = try picture(of: preview) { try circle.done(ada, "share/picture", $0) }
            #expect(shown.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            // What comes in between changes nothing of what was shown.
            try circle.walk(ada, 0, 2000)
            let results = try circle.share(ada, preview["share"], to: web)
            #expect(results == [["label": "Web", "sent": true, "service": .string(web), "state": "sent"]])
            #expect(receiver.requests.map(\.path) == ["/web"])
            let posts = receiver.posts
            #expect(posts.map(\.text) == ["\(text)\n\(link)"] && posts[0].picture == shown)
            // The token is used up: it says what became of it.
            #expect(try circle.share(ada, preview["share"], to: other) == results)
            #expect(receiver.requests.count == 1)
            #expect(try circle.refused(ada, "share/cancel", ["share": preview["share"] ?? .null]).code == .notFound)
            let listed = try elements(circle.done(ada, "share/list"), "shares")
            #expect(listed.count == 1 && listed[0]["what"] == "steps" && listed[0]["results"] == .array(results))
        }
    }

    @Test("has the person's own text and no picture, if they say so")
    func edited() throws {
        let receiver = try PushReceiver()
        try Circle.with(more: Circle.sharingSettings) { circle in
            let ada = try circle.walker()
            let web = try circle.addService(ada, "json://\(receiver.place)/")
            let preview = try circle.preview(ada, ["what": "goal", "picture": false])
            #expect(preview["picture"] == nil && preview["link"] == nil && preview["facebook"] == nil)
            #expect(try circle.refused(ada, "share/picture", ["share": preview["share"] ?? .null]).code == .notFound)
            let share = preview["share"] ?? .null
            for text in ["", " \n", "a\u{202E}b", "a\u{1}", String(repeating: "a", count: 2001)] {
                let refused = try circle.refused(
                    ada, "share/post", ["share": share, "to": [.string(web)], "text": .string(text)])
                #expect([.invalid, .badRequest].contains(refused.code) && refused.field == "text", "\(text)")
            }
            for services in [[], ["nobody"], [web, web], [web, "x", "y", "z", "a", "b"]] as [[String]] {
                let to = JSON.array(services.map(JSON.string))
                #expect(try circle.refused(ada, "share/post", ["share": share, "to": to]).field == "to")
            }
            _ = try circle.share(ada, share, to: web, text: "Zwei Zeilen:\n-b --config=/etc/passwd $(id) <b>")
            #expect(receiver.posts.map(\.text) == ["Zwei Zeilen:\n-b --config=/etc/passwd $(id) <b>"])
            #expect(try #require(receiver.posts.first).picture == nil)
        }
    }

    @Test("is told result by result: sent, refused in the service's words, unreachable, taken without an answer")
    func results() throws {
        let (good, bad, silent) = (try PushReceiver(), try PushReceiver(), try PushReceiver())
        try bad.answers("status 422")
        try bad.answers(#"body {"error":"Text character limit of 500 exceeded"}"#)
        try silent.answers("drop")
        try Circle.with(more: Circle.sharingSettings) { circle in
            let ada = try circle.walker()
            let services = try [
                "mastodon://token@\(bad.place)/", "json://\(silent.place)/", "json://127.0.0.1:1/",
                "json://\(good.place)/",
            ].map { try circle.addService(ada, $0) }
            let share = try circle.preview(ada)["share"]
            let results = try circle.share(ada, share, to: services)
            let listed = try #require(try elements(circle.done(ada, "share/list"), "shares").first)
            #expect(listed["results"] == .array(results))
            try #require(results.count == 4)
            #expect(results.map { $0["state"] } == ["failed", "unknown", "failed", "sent"])
            #expect(
                results[0]["problem"]
                    == "the service did not take it, and said: 422: Text character limit of 500 exceeded")
            #expect(try results[1].text("problem").contains("look there"))
            #expect(results[2]["problem"] == "the service was not reached, or did not take it")
            #expect(good.requests.count == 1 && silent.requests.count == 1)
        }
    }

    @Test("does not wait for what somebody else shares with a service that does not answer")
    func turns() throws {
        let (good, slow) = (try PushReceiver(), try PushReceiver())
        try slow.answers("hang")
        try Circle.with(more: Circle.sharingSettings) { circle in
            let (ada, eve) = (try circle.walker(), try circle.walker())
            let hanging = try circle.addService(ada, "json://\(slow.place)/")
            let open = try circle.addService(eve, "json://\(good.place)/")
            let preview = try circle.preview(ada)["share"]
            circle.send(
                ada, "share/post", .object(present: ["share": preview, "to": .array([.string(hanging)])]),
                replyAt: "vitals/v1/users/\(ada)/responses/unheard")
            try slow.wait(for: 1)
            // Hers is going out: nothing else of hers goes out in the meantime.
            let next = try circle.preview(ada)["share"] ?? .null
            let busy = try circle.refused(ada, "share/post", ["share": next, "to": [.string(hanging)]])
            #expect(busy.code == .busy && busy.retryAfterSeconds != nil, "\(busy)")
            let results = try circle.share(eve, circle.preview(eve)["share"], to: open)
            #expect(results.map { $0["state"] } == ["sent"] && good.requests.count == 1)
            let listed = try elements(circle.done(ada, "share/list"), "shares")
            #expect(try elements(listed[0], "results").map { $0["state"] } == ["going"])
        }
    }

    @Test("leads into no private network, whether the address says so, a server's answer, or other settings")
    func privately() throws {
        let (receiver, inner) = (try PushReceiver(), try PushReceiver(at: "127.0.0.2"))
        try receiver.answers("redirect http://\(inner.place)/inner")
        let narrow = #"sharing: { schemes: ["json"] },"#
        var share: JSON?
        var user: ID?
        try Circle.with(
            more: Circle.sharingSettings, otherMore: narrow,
            { circle in
                let ada = try circle.walker()
                user = ada
                for (address, words) in [
                    ("json://\(inner.place)/", "private network"), ("file:///etc/passwd", "scheme"),
                    ("syslog://", "scheme"), ("json://example.org/?config=/etc/x", "parameter"), ("x", "scheme"),
                ] {
                    let refused = try circle.refused(ada, "share/add", ["address": .string(address)])
                    #expect(refused.field == "address" && refused.message.contains(words), "\(refused)")
                }
                let web = try circle.addService(ada, "json://\(receiver.place)/")
                share = try circle.preview(ada)["share"]
                let results = try circle.share(ada, share, to: web)
                #expect(results[0]["state"] == "failed")
                #expect(results[0]["problem"] == "the service was not reached, or did not take it")
                #expect(receiver.requests.count == 1 && inner.requests.isEmpty)
            },
            then: { circle in
                let ada = try #require(user)
                let service = try elements(circle.done(ada, "share/services"), "services")[0].text("service")
                let results = try circle.share(ada, circle.preview(ada)["share"], to: service)
                #expect(try results[0].text("problem").contains("private network"))
                // What was shared before is still known.
                #expect(try elements(circle.done(ada, "share/list"), "shares").map { $0["share"] }.contains(share))
                #expect(receiver.requests.count == 1 && inner.requests.isEmpty)
            })
    }

    @Test("is the person's own: nobody else's workout, preview or service")
    func others() throws {
        let receiver = try PushReceiver()
        try Circle.with(more: Circle.sharingSettings) { circle in
            let (ada, eve) = (try circle.walker(), try circle.walker())
            let hers = try circle.addService(ada, "json://\(receiver.place)/ada")
            let own = try circle.addService(eve, "json://\(receiver.place)/eve")
            try circle.done(ada, "workouts/start", ["activity": "running"])
            circle.advance(1_800_000)
            let run = try circle.done(ada, "workouts/stop").text("id")
            let shared = try circle.preview(ada, ["what": "workout", "workout": .string(run)])
            #expect(try shared.text("text").hasPrefix("Run on 21 November 2026: "))
            for id in [run, "nothing"] {
                let refused = try circle.refused(eve, "share/preview", ["what": "workout", "workout": .string(id)])
                #expect(refused == ReplyError(.notFound, "there is no such workout", field: "id"))
            }
            let share = shared["share"] ?? .null
            for verb in ["share/post", "share/cancel", "share/picture"] {
                let refused = try circle.refused(eve, verb, ["share": share, "to": [.string(own)]])
                #expect(refused.code == .notFound && refused.field == "share", "\(verb)")
            }
            let mine = try circle.preview(eve)["share"] ?? .null
            #expect(try circle.refused(eve, "share/post", ["share": mine, "to": [.string(hers)]]).code == .notFound)
            #expect(try circle.refused(eve, "share/remove", ["service": .string(hers)]).code == .notFound)
            #expect(try circle.share(ada, share, to: hers)[0]["sent"] == true)
            #expect(receiver.requests.map(\.path) == ["/ada"])
            #expect(try elements(circle.done(eve, "share/list"), "shares").isEmpty)
        }
    }

    @Test("can be a post of one's own with its picture, and of nobody else, also if one sees it")
    func posts() throws {
        let receiver = try PushReceiver()
        try Circle.with(more: Circle.sharingSettings) { circle in
            let (ada, eve) = (try circle.walker(), try circle.walker())
            try circle.befriend(ada, eve)
            let web = try circle.addService(ada, "json://\(receiver.place)/")
            let post = try circle.post(ada, "Three runs,\nand sun", picture: smallestJPEG())["post"] ?? .null
            #expect(try circle.done(eve, "posts/show", ["post": post])["own"] == false)
            for id in [post, "nothing"] {
                let refused = try circle.refused(eve, "share/preview", ["what": "post", "post": id])
                #expect(refused == ReplyError(.notFound, "you have no such post", field: "post"))
            }
            let preview = try circle.preview(ada, ["what": "post", "post": post])
            #expect(preview["text"] == "Three runs,\nand sun" && preview["picture"]?["type"] == "image/jpeg")
            let shown = try picture(of: preview) { try circle.done(ada, "share/picture", $0) }
            #expect(shown == smallestJPEG())
            #expect(try circle.share(ada, preview["share"], to: web)[0]["state"] == "sent")
            #expect(receiver.posts.map(\.text) == ["Three runs,\nand sun"] && receiver.posts[0].picture == shown)
        }
    }

    @Test(
        "says what a week, a month and all workouts came to, in the person's language and units; or that there is nothing"
    )
    func reports() throws {
        try Circle.with(more: Circle.sharingSettings) { circle in
            let bob = try circle.person(name: "Bob", locale: "de", units: "imperial")
            for fields in [
                ["what": "report"], ["what": "report", "period": "day"], ["what": "statistics"], ["what": "goal"],
            ] as [JSON] {
                #expect(try circle.refused(bob, "share/preview", fields).code == .notFound)
            }
            try circle.walk(bob, 0, 12_345)
            let week = try circle.preview(bob, ["what": "report"])
            #expect(
                try week.text("text").hasPrefix(
                    "Meine Woche vom 16. November 2026 bis zum 22. November 2026: 12.345 Schritte, "))
            #expect(try week.text("text").contains(" mi, ") && week["picture"] == nil)
            let month = try circle.preview(bob, ["what": "report", "period": "month", "day": "2026-11-01"])
            #expect(try month.text("text").contains("Schrittziel an 1 von 30 Tagen erreicht"))
            #expect(month["picture"]?["type"] == "image/png")
            #expect(try circle.preview(bob, ["what": "report", "period": "day"])["picture"] != nil)
            for fields in [
                ["what": "x"], [:], ["what": "report", "period": "year"], ["what": "report", "day": "1"],
                ["what": "goal", "goal": "x"], ["what": "workout"],
            ] as [JSON] {
                #expect(try circle.refused(bob, "share/preview", fields).code == .badRequest)
            }
        }
    }

    @Test("has limits: services, previews, ten minutes, and how often a day")
    func limits() throws {
        try Circle.with(more: Circle.sharingSettings) { circle in
            let ada = try circle.walker()
            let first = try circle.addService(ada, "json://127.0.0.1:1/", "One")
            let again = try circle.refused(ada, "share/add", ["address": "json://127.0.0.1:1/"])
            #expect(again.code == .notAllowed)
            for port in 2...5 { try circle.addService(ada, "json://127.0.0.1:\(port)/") }
            #expect(try circle.refused(ada, "share/add", ["address": "json://127.0.0.1:6/"]).code == .notAllowed)
            let old = try circle.preview(ada)["share"] ?? .null
            circle.advance(600_000)
            let expired = try circle.refused(ada, "share/post", ["share": old, "to": [.string(first)]])
            #expect(expired.code == .notFound && expired.message.contains("ten minutes"))
            let shares = try (0..<4).map { _ in try circle.preview(ada)["share"] ?? .null }
            #expect(try circle.refused(ada, "share/cancel", ["share": shares[0]]).code == .notFound)
            try circle.done(ada, "share/cancel", ["share": shares[1]])
            #expect(
                try circle.refused(ada, "share/post", ["share": shares[1], "to": [.string(first)]]).code == .notFound)
            // As if they had been shared.
            let now = circle.now
            let before = try (1...20).map { number in
                ShareRecord(id: try ID("share-\(number)"), time: now, subject: "steps", entries: [])
            }
            try circle.onSession { context in
                try context.store.change(ada) { () throws(VaultError) in
                    var records = try ShareRecords(context.documents, of: ada)
                    for record in before { _ = records.add(record) }
                    try records.keep(context.documents, of: ada)
                }
            }
            let often = try circle.refused(ada, "share/post", ["share": shares[2], "to": [.string(first)]])
            #expect(often.code == .rateLimited)
            circle.advance(ShareRecords.day)
            // That day has no steps: what was reached the day before can still be shared.
            let later = try circle.preview(ada, ["what": "goal", "day": "2026-11-21"])["share"]
            #expect(try circle.share(ada, later, to: first)[0]["state"] == "failed")
            #expect(try elements(circle.done(ada, "share/list"), "shares").count == 20)
        }
    }

    @Test("needs a home that wants it, and a service: an error says what to do; the pages of others need neither")
    func nothing() throws {
        try Circle.with { circle in
            let ada = try circle.walker()
            let refused = try circle.refused(ada, "share/add", ["address": "json://127.0.0.1:1/"])
            #expect(
                refused.code == .notSupported && refused.field == "sharing" && refused.message.contains("sharing: {}"))
            #expect(try circle.done(ada, "share/services") == ["available": false, "services": []])
            let preview = try circle.preview(ada)
            #expect(preview["to"] == [] && preview["x"] != nil)
            let share = preview["share"] ?? .null
            #expect(try circle.refused(ada, "share/post", ["share": share, "to": ["x"]]).code == .notSupported)
        }
        try Circle.with(more: Circle.sharingSettings) { circle in
            let ada = try circle.walker()
            let share = try circle.preview(ada)["share"] ?? .null
            let refused = try circle.refused(ada, "share/post", ["share": share, "to": ["x"]])
            #expect(refused.code == .notAllowed && refused.message.contains("vitals share add"))
        }
    }

    @Test("goes out no oftener when all that is known of it was deleted")
    func deletedLimits() throws {
        try Circle.with(more: Circle.sharingSettings) { circle in
            let ada = try circle.walker()
            let service = try circle.addService(ada, "json://127.0.0.1:1/")
            let sharing = try #require(circle.consumer.features.only(Sharing.self))
            try circle.onSession { _ in
                for _ in 1...ShareRecords.most { #expect(sharing.posted.take(ada, now: millisecondsSinceBoot()) == nil) }
            }
            let often = try circle.refused(ada, "share/post", ["share": circle.preview(ada)["share"] ?? .null, "to": [.string(service)]])
            #expect(often.code == .rateLimited && (3600...4320).contains(often.retryAfterSeconds ?? 0))
            #expect(try elements(circle.done(ada, "share/list"), "shares").isEmpty)
        }
    }

    @Test("leaves services after a reset of the password, which says that they are there")
    func reset() throws {
        try Circle.with(more: Circle.sharingSettings) { circle in
            let ada = try circle.person()
            func told() throws -> String? {
                let sharing = try #require(circle.consumer.features.only(Sharing.self))
                return try circle.onSession { _ in try sharing.resettingPassword(of: ada) }
            }
            #expect(try told() == nil)
            try circle.addService(ada, "json://127.0.0.1:1/")
            #expect(
                try told() == "You can share to 1 service: look whether all of that is your own: vitals share services")
        }
    }

    @Test("is forgotten with everything else, also what was only shown")
    func forgotten() throws {
        let receiver = try PushReceiver()
        try Circle.with(more: Circle.sharingSettings) { circle in
            let ada = try circle.walker()
            let web = try circle.addService(ada, "json://\(receiver.place)/")
            _ = try circle.share(ada, circle.preview(ada)["share"], to: web)
            let shown = try circle.preview(ada)["share"] ?? .null
            let names = { try circle.onSession { Set(try $0.store.documents(of: ada)) } }
            #expect(try names().isSuperset(of: [SharingServices.document, ShareRecords.document]))
            let confirmation = try circle.done(ada, "reset-all/ask")["confirmation"] ?? .null
            try circle.done(ada, "reset-all/confirm", ["confirmation": confirmation])
            #expect(try names().isDisjoint(with: [SharingServices.document, ShareRecords.document]))
            #expect(try circle.refused(ada, "share/cancel", ["share": shown]).code == .notFound)
        }
    }
}
