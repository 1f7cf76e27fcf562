import Daemon
import Days
import Files
import Foundation
import HouseholdSupport
import Reactor
import Records
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Accounts
@testable import Features
@testable import Push
@testable import vitals_consumer

extension Circle {
    /// What the settings say where people may have notifications brought to browsers, whose push service is on this machine.
    fileprivate static func browserSettings(_ more: String = "") -> String {
        #"push: { schemes: ["json", "webpush"], private_hosts: ["127.0.0.1"], contact: "mailto:ops@example.org"\#(more) },"#
    }

    /// Makes a browser that a person could add.
    fileprivate func browser(of user: ID, at service: PushService) throws -> PushService.Subscription {
        try service.subscription(to: done(user, "push/key").text("key"))
    }

    /// Adds a browser of a person's.
    /// - Returns: the reply.
    @discardableResult
    fileprivate func addBrowser(
        _ user: ID, _ browser: PushService.Subscription, _ more: KeyValuePairs<String, JSON> = [:]
    ) throws -> JSON {
        try done(user, "push/browser", browser.said(more))
    }
}

/// What a browser says of itself.
private func fields(
    _ endpoint: String, _ p256dh: String, _ auth: String, _ more: KeyValuePairs<String, JSON> = [:]
) -> JSON {
    let own: KeyValuePairs<String, JSON> = [
        "endpoint": .string(endpoint), "p256dh": .string(p256dh), "auth": .string(auth),
    ]
    return .object((Array(own) + Array(more)).map { JSON.Member($0, $1) })
}

extension PushService.Subscription {
    fileprivate func said(_ more: KeyValuePairs<String, JSON> = [:]) -> JSON { fields(endpoint, p256dh, auth, more) }
}

extension PushService.Message {
    /// What the page's worker gets.
    fileprivate var payload: JSON {
        get throws { try JSON(payload: Array((message ?? "").utf8)) }
    }
}

@Suite("Notifications that are brought to a browser", .timeLimit(.minutes(60)))
struct PushBrowserTests {
    @Test("are encrypted for it, say what kind of thing has happened, and more if the person says so")
    func brought() throws {
        let service = try PushService()
        try Circle.with(more: Circle.browserSettings()) { circle in
            let ada = try circle.person(name: "Ada", locale: "de-AT")
            let browser = try circle.browser(of: ada, at: service)
            let added = try circle.addBrowser(
                ada, browser, ["label": "Browser on Linux", "kinds": ["goal-reached", "left-area"]])
            #expect(added["address"] == "webpush://127.0.0.1/…" && added["label"] == "Browser on Linux")
            #expect(try added.text("browser").utf8.count == 64)
            let id = try circle.tell(ada, "goal-reached", "12.345 Schritte, mit Grace in Graz")[0]
            let first = try service.wait(for: 1)[0]
            #expect(first.wrong == nil && first.urgency == "normal" && first.ttl == "86400", "\(first)")
            #expect(first.contact == "mailto:ops@example.org")
            #expect(
                try first.payload == [
                    "alert": false, "id": .string(id),
                    "text": "Vitals hat Neuigkeiten für dich: Du hast ein Ziel erreicht.", "title": "Vitals",
                ])
            try circle.done(ada, "push/set", ["details": true])
            try circle.tell(ada, "left-area", "Bob hat die Schule verlassen 😀")
            let second = try service.wait(for: 2)[1]
            let payload = try second.payload
            #expect(payload["text"] == "Bob hat die Schule verlassen 😀" && payload["alert"] == true)
            #expect(second.urgency == "high" && second.length == first.length)
            try circle.done(ada, "push/test", ["push": added["push"] ?? .null])
            #expect(try service.wait(for: 3)[2].payload["text"] == "Das ist ein Test: Vitals kann dich hier erreichen.")
            // Another kind goes nowhere, and neither does anything of somebody else.
            let bob = try circle.person()
            try circle.tell(ada, "thumbs-up", "Grace")
            try circle.tell(bob, "goal-reached", "Bob's")
            let listed = try circle.waitForDelivery(ada)
            #expect(service.messages.count == 3 && listed[0]["sent"] != nil && listed[0]["browser"] == added["browser"])
            // Nothing of what would let somebody write there is in the database's files, or in an export.
            let folder = circle.consumer.settings.state
            let secrets = [
                browser.auth, browser.p256dh, browser.endpoint.split(separator: "/").last.map(String.init) ?? "",
            ]
            for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let bytes = FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data()
                for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(file)") }
            }
            let shown = String(decoding: try circle.done(ada, "push/list").bytes, as: UTF8.self)
            for secret in secrets { #expect(!shown.contains(secret)) }
        }
    }

    @Test("go to the same browser with its new keys, which is one address all the time")
    func renewed() throws {
        let service = try PushService()
        try Circle.with(more: Circle.browserSettings()) { circle in
            let ada = try circle.person()
            let (old, new) = (try circle.browser(of: ada, at: service), try circle.browser(of: ada, at: service))
            let added = try circle.addBrowser(ada, old)
            let other = try circle.done(ada, "push/browser", fields(new.endpoint, old.p256dh, old.auth))
            #expect(other["push"] != added["push"])
            let told = try circle.notifications(ada, all: true).count
            let renewed = try circle.addBrowser(ada, new)
            #expect(renewed["push"] == other["push"])
            #expect(try circle.notifications(ada, all: true).count == told)
            #expect(try elements(circle.done(ada, "push/list"), "addresses").count == 2)
            try circle.done(ada, "push/test", ["push": other["push"] ?? .null])
            #expect(service.messages.last?.wrong == nil)
        }
    }

    @Test("end when the browser has unsubscribed, as its push service says", arguments: [404, 410])
    func ended(status: Int) throws {
        let (service, receiver) = (try PushService(), try PushReceiver())
        try Circle.with(more: Circle.browserSettings()) { circle in
            let ada = try circle.person()
            try circle.addPush(ada, "json://\(receiver.place)/", kinds: ["storage-full"])
            let first = try circle.addBrowser(ada, circle.browser(of: ada, at: service), ["kinds": ["goal-reached"]])
            let second = try circle.addBrowser(ada, circle.browser(of: ada, at: service), ["kinds": ["storage-full"]])
            try service.answers("status \(status)")
            try circle.tell(ada, "goal-reached", "one", "two")
            let left = try circle.pushes(ada) { $0.count == 2 }
            #expect(left.allSatisfy { $0["push"] != first["push"] })
            let refused = try circle.refused(ada, "push/test", ["push": second["push"] ?? .null])
            #expect(refused.code == .notFound && refused.message.contains("was removed"))
            _ = try circle.pushes(ada) { $0.count == 1 && $0[0]["address"] == "json://127.0.0.1/…" }
            try circle.waitForDelivery(ada)
            #expect(try circle.pushRows(ada) == 0)
        }
    }

    @Test("are tried again where the push service does not take them now", arguments: [401, 403, 413, 429, 500, 307])
    func again(status: Int) throws {
        let (service, inner) = (try PushService(), try PushService())
        try service.answers(status == 307 ? "redirect http://\(inner.place)/inner" : "status \(status)")
        try Circle.with(more: Circle.browserSettings()) { circle in
            try circle.onDelivery { $0.backoff = Backoff(first: .milliseconds(20), limit: .milliseconds(200)) }
            let ada = try circle.person()
            try circle.addBrowser(ada, circle.browser(of: ada, at: service), ["kinds": ["goal-reached"]])
            let id = try circle.tell(ada, "goal-reached", "one")[0]
            try service.wait(for: 2)
            let failed = try circle.pushes(ada) { $0[0]["failed"] != nil }
            #expect(failed[0]["problem"] == "the receiver was not reached, or did not take it")
            try service.answers("status 201")
            try circle.waitForDelivery(ada)
            let messages = service.messages
            #expect(try messages.allSatisfy { try $0.payload["id"] == .string(id) } && inner.messages.isEmpty)
        }
    }

    @Test("that a push service keeps waiting, or never ends to answer, keep nobody else waiting for long")
    func slow() throws {
        let (slow, quick) = (try PushService(), try PushService())
        try Circle.with(more: Circle.browserSettings(#", time_limit: "1 s""#)) { circle in
            let (ada, bob) = (try circle.person(), try circle.person())
            let push = try circle.addBrowser(ada, circle.browser(of: ada, at: slow), ["kinds": ["goal-reached"]])
            try circle.addBrowser(bob, circle.browser(of: bob, at: quick), ["kinds": ["goal-reached"]])
            try slow.answers("hang")
            try circle.tell(ada, "goal-reached", "one")
            try circle.tell(bob, "goal-reached", "bob's")
            try quick.wait(for: 1)
            let failed = try circle.pushes(ada) { $0[0]["failed"] != nil }
            #expect(failed[0]["problem"] == "the receiver did not answer in time")
            try slow.answers("endless")
            let refused = try circle.refused(ada, "push/test", ["push": push["push"] ?? .null])
            #expect(refused.code == .refused || refused.code == .timeout)
        }
    }

    @Test("need no Apprise")
    func noApprise() throws {
        let service = try PushService()
        try Circle.with(more: Circle.browserSettings(#", python: "/nowhere/python3""#)) { circle in
            let ada = try circle.person()
            try circle.addPush(ada, "json://127.0.0.1:1/")
            try circle.addBrowser(ada, circle.browser(of: ada, at: service), ["kinds": ["goal-reached"]])
            try circle.tell(ada, "goal-reached", "one")
            try service.wait(for: 1)
            let listed = try circle.pushes(ada) { $0[1]["waiting"] == 0 }
            // The first address also hears of the second.
            #expect(listed[0]["waiting"] == 2 && listed[1]["sent"] != nil)
        }
    }

    @Test("lead nowhere where only this machine can go, and to nothing that is no browser")
    func refused() throws {
        let service = try PushService()
        let settings = #"push: { schemes: ["webpush", "json"] },"#
        try Circle.with(more: settings) { circle in
            let ada = try circle.person()
            let whole = try circle.browser(of: ada, at: service)
            func refusal(_ endpoint: String, _ p256dh: String? = nil, _ auth: String? = nil) throws -> ReplyError {
                let said = fields(endpoint, p256dh ?? whole.p256dh, auth ?? whole.auth)
                return try circle.refused(ada, "push/browser", said)
            }
            let endpoints: [String] = [
                whole.endpoint, "https://127.0.0.1/x", "https://[::1]/x", "https://localhost/x", "https://10.0.0.1/",
                "https://169.254.169.254/x", "https://2130706433/", "https://printer.local/",
                "https://broker.internal/",
                "http://push.example.net/", "ftp://push.example.net/", "file:///etc/passwd", "", "https://",
                "https://push.example.net/ x", "https://a:b@push.example.net/", "https://push/",
                "https://push.example.net/\(String(repeating: "a", count: 1024))",
            ]
            for endpoint in endpoints {
                let error = try refusal(endpoint)
                #expect(
                    error.field == "endpoint" && [.invalid, .badRequest].contains(error.code), "\(endpoint): \(error)")
            }
            let good = "https://push.example.net/x"
            #expect(try refusal(good, "AAAA").field == "p256dh")
            #expect(try refusal(good, String(repeating: "A", count: 200)).field == "p256dh")
            #expect(try refusal(good, nil, "AAAA").field == "auth")
            let partly: JSON = ["endpoint": .string(good), "p256dh": .string(whole.p256dh)]
            #expect(try circle.refused(ada, "push/browser", partly).field == "auth")
            // As an address that is typed, it is none: nobody can add what is kept.
            let kept = "webpush:\(whole.auth).\(whole.p256dh).\(good)"
            #expect(try circle.refused(ada, "push/add", ["address": .string(kept)]).field == "address")
            #expect(try circle.refused(ada, "push/add", ["address": "webpush://push.example.net/"]).field == "address")
            #expect(service.messages.isEmpty)
        }
    }

    @Test("go to browsers only where the operator wants that; the key stays the same over a restart")
    func wanted() throws {
        var key: String?
        try Circle.with(more: Circle.browserSettings(), otherMore: Circle.pushSettings) { circle in
            let ada = try circle.person()
            let found = try circle.done(ada, "push/key").text("key")
            #expect(try circle.done(circle.person(), "push/key").text("key") == found && found.utf8.count == 87)
            key = found
        } then: { circle in
            let ada = try circle.person()
            let error = try circle.refused(ada, "push/key")
            #expect(error.code == .notSupported && error.field == "push" && error.message.contains("webpush"))
            #expect(try circle.refused(ada, "push/browser").code == .notSupported)
            let again = try circle.onDelivery { Base64URL.text(try $0.keyForBrowsers().publicKey) }
            #expect(again == key)
        }
    }

    @Test(
        "end with the device that the browser was signed in as, and with no other",
        arguments: ["devices/revoke", "account/sign-out"])
    func signedOut(verb: String) throws {
        let service = try PushService()
        try AccountService.with(more: Circle.browserSettings()) { accounts in
            let signedUp = try accounts.signUp("ada@example.org")
            let phone = try accounts.device(signedUp)
            let guest = try accounts.guest()
            let browsing = try guest.done(
                "sign-in", ["email": "ada@example.org", "password": .string(AccountService.password)])
            let tablet = try accounts.device(browsing)
            defer { for asker in [guest, phone, tablet] { asker.stop() } }
            let key = try phone.done("push/key").text("key")
            for device in [signedUp["device"], browsing["device"]] {
                try phone.done(
                    "push/browser", service.subscription(to: key).said(["device": device ?? .null]))
            }
            // Neither somebody else's device, nor one that nobody has.
            let eve = try accounts.signUp("eve@example.org")
            for device in [eve["device"], "q4kz7m2xw6ab3c5d"] {
                let said = try service.subscription(to: key).said(["device": device ?? .null])
                let refusal = try phone.refused("push/browser", said)
                #expect(refusal.code == .notFound && refusal.field == "device")
            }
            let before = try elements(phone.done("push/list"), "addresses")
            #expect(before.count == 2)
            try (verb == "account/sign-out" ? tablet : phone).done(verb, ["device": browsing["device"] ?? .null])
            let after = try elements(phone.done("push/list"), "addresses")
            #expect(after.map { $0["push"] } == [before[0]["push"]])
        }
    }
}
