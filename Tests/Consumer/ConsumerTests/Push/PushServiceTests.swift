import Daemon
import Files
import Foundation
import HouseholdSupport
import Reactor
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import Push
@testable import vitals_consumer

@Suite("Notifications that are brought to an address", .timeLimit(.minutes(60)))
struct PushServiceTests {
    @Test(
        "go to each address once, under their id, and say only what kind of thing has happened, in the person's language"
    )
    func once() throws {
        let receiver = try PushReceiver()
        try Circle.withPush { circle in
            let ada = try circle.person(name: "Ada", locale: "de-AT")
            let web = try circle.addPush(ada, "json://ada:secret@\(receiver.place)/web")
            let ntfy = try circle.addPush(ada, "ntfy://\(receiver.place)/topic", kinds: ["goal-reached"])
            // Whoever had the first address hears of the second.
            let added = try #require(try receiver.wait(for: 1).first)
            #expect(added.path == "/web" && receiver.texts[0].contains("auch an eine andere Adresse"))
            #expect(!added.body.contains("127.0.0.1"))
            let id = try circle.tell(ada, "goal-reached", "12.345 Schritte, mit Grace in Graz")[0]
            let requests = try receiver.wait(for: 3)
            #expect(Set(requests.map(\.path)) == ["/web", "/"])
            for text in receiver.texts.dropFirst() {
                #expect(text == "Vitals hat Neuigkeiten für dich: Du hast ein Ziel erreicht.")
            }
            #expect(
                requests.first { $0.path == "/web" && $0.body.contains("Ziel") }?.headers["vitals-notification"] == id)
            // Another kind goes to the first only, in its own words once the person says so.
            #expect(try circle.done(ada, "push/set", ["details": true]) == ["details": true])
            try circle.tell(ada, "thumbs-up", "Grace gibt dir einen Daumen hoch!")
            #expect(try receiver.wait(for: 4)[3].path == "/web")
            #expect(receiver.texts[3] == "Grace gibt dir einen Daumen hoch!")
            let listed = try circle.waitForDelivery(ada)
            #expect(listed.map { $0["push"] } == [.string(web), .string(ntfy)])
            #expect(
                listed[0]["address"] == "json://127.0.0.1/…" && listed[0]["sent"] != nil && listed[0]["failed"] == nil)
            #expect(listed[1]["kinds"] == ["goal-reached"])
            // Nobody else's go there.
            let bob = try circle.person()
            try circle.tell(bob, "goal-reached", "Bob's")
            try circle.done(ada, "push/test", ["push": .string(web)])
            #expect(receiver.requests.count == 5 && receiver.texts[4].hasPrefix("Das ist ein Test"))
        }
    }

    @Test("are tried again until the receiver takes them, and come once each by their id")
    func again() throws {
        let receiver = try PushReceiver()
        try receiver.answers("status 500")
        try Circle.withPush { circle in
            let ada = try circle.person()
            let push = try circle.addPush(ada, "json://\(receiver.place)/")
            let ids = try circle.tell(ada, "goal-reached", "one", "two")
            let failed = try circle.pushes(ada) { $0[0]["failed"] != nil }
            #expect(failed[0]["problem"] == "the receiver was not reached, or did not take it")
            #expect(failed[0]["waiting"] == 2)
            try receiver.wait(for: 2)
            try receiver.answers("status 200")
            try circle.waitForDelivery(ada)
            let taken = receiver.requests.map { $0.headers["vitals-notification"] }
            // All the tries that failed are of the first, and each was taken once.
            #expect(
                taken.count >= 4 && taken.dropLast() == taken.dropLast().map { _ in ids[0] } && taken.last == ids[1])
            try circle.done(ada, "push/test", ["push": .string(push)])
            #expect(receiver.requests.count == taken.count + 1)
        }
    }

    @Test("are tried again after longer and longer pauses, from five seconds to an hour, and given up after a day")
    func pauses() throws {
        let receiver = try PushReceiver()
        try receiver.answers("status 500")
        try Circle.with(more: Circle.pushSettings) { circle in
            let spans = try circle.onDelivery { delivery in
                [1, 2, 3, 10, 11, 1000].map { delivery.backoff.longest(afterFailures: $0) / .seconds(1) }
            }
            #expect(spans == [5, 10, 20, 2560, 3600, 3600])
            let ada = try circle.person()
            try circle.addPush(ada, "json://\(receiver.place)/")
            try circle.tell(ada, "goal-reached", "one")
            _ = try circle.pushes(ada) { $0[0]["failed"] != nil }
            circle.advance(86_399_000)
            try circle.tell(ada, "goal-reached", "two")
            #expect(try circle.pushRows(ada) == 2)
            circle.advance(1001)
            try circle.tell(ada, "goal-reached", "three")
            _ = try circle.pushes(ada) { $0[0]["waiting"] == 2 }
        }
    }

    @Test("wait for what is urgent: an alert goes first, at once, and is marked")
    func alerts() throws {
        let receiver = try PushReceiver()
        try receiver.answers("status 500")
        try Circle.with(more: Circle.pushSettings) { circle in
            let ada = try circle.person()
            try circle.addPush(ada, "json://\(receiver.place)/")
            let first = try circle.tell(ada, "goal-reached", "one")[0]
            // It is left alone for five seconds now.
            _ = try circle.pushes(ada) { $0[0]["failed"] != nil }
            let second = try circle.tell(ada, "goal-reached", "two")[0]
            try receiver.answers("status 200")
            let alert = try circle.tell(ada, "left-area", "Bob has left the school")[0]
            let requests = try receiver.wait(for: 4)
            #expect(requests.map { $0.headers["vitals-notification"] } == [first, alert, first, second])
            #expect(
                try requests.map { try JSON(payload: Array($0.body.utf8)).text("type") } == [
                    "info", "warning", "info", "info",
                ])
            #expect(receiver.texts[1] == "Vitals has an alert for you. Please look at it.")
        }
    }

    @Test("do not wait for the receivers of others, however slow these are")
    func turns() throws {
        let (slow, quick) = (try PushReceiver(), try PushReceiver())
        try slow.answers("hang")
        try Circle.withPush { circle in
            let (ada, bob) = (try circle.person(), try circle.person())
            for number in 1...3 { try circle.addPush(ada, "json://\(slow.place)/\(number)") }
            try circle.addPush(bob, "json://\(quick.place)/")
            try circle.tell(ada, "left-area", "1", "2", "3")
            try slow.wait(for: 1)
            try circle.tell(bob, "goal-reached", "bob's")
            try quick.wait(for: 1)
            // Apprise waits four seconds for an answer. One of a person's messages is under way at a time.
            #expect(slow.requests.count <= 2)
        }
    }

    @Test("go nowhere once their person has confirmed them, or they are gone, or the address is")
    func gone() throws {
        let receiver = try PushReceiver()
        try receiver.answers("status 500")
        try Circle.with(more: Circle.pushSettings) { circle in
            let ada = try circle.person()
            let push = try circle.addPush(ada, "json://\(receiver.place)/")
            let ids = try circle.tell(ada, "goal-reached", "one", "two", "three")
            _ = try circle.pushes(ada) { $0[0]["failed"] != nil }
            try circle.done(ada, "notifications/confirm", ["ids": .array([.string(ids[0])])])
            _ = try circle.onSession { context in
                try context.store.change(ada) { () throws(VaultError) in
                    try context.store.database.execute("DELETE FROM notifications WHERE id = ?", [.text(ids[1])])
                }
            }
            try receiver.answers("status 200")
            try circle.waitForDelivery(ada)
            // The first was tried before; the others were to be five seconds later.
            #expect(receiver.requests.map { $0.headers["vitals-notification"] } == [ids[0], ids[2]])
            try receiver.answers("status 500")
            try circle.tell(ada, "goal-reached", "four")
            _ = try circle.pushes(ada) { $0[0]["failed"] != nil }
            #expect(try circle.pushRows(ada) == 1)
            #expect(try circle.done(ada, "push/remove", ["push": .string(push)]) == ["push": .string(push)])
            #expect(try circle.pushRows(ada) == 0)
            #expect(try circle.done(ada, "push/list")["addresses"] == [])
        }
    }

    @Test("go with their person: nothing is left on its way, and nothing of the addresses")
    func erased() throws {
        let receiver = try PushReceiver()
        try receiver.answers("status 500")
        try Circle.withPush { circle in
            let (ada, bob) = (try circle.person(), try circle.person())
            for user in [ada, bob] { try circle.addPush(user, "json://\(receiver.place)/the-secret") }
            try circle.tell(ada, "goal-reached", "one", "two")
            try circle.tell(bob, "goal-reached", "bob's")
            _ = try circle.pushes(ada) { $0[0]["failed"] != nil }
            let exported = try circle.onSession { context -> String? in
                let source = ExportSource(
                    ada, context.settings, store: context.store, keys: context.keys, now: start)
                let section = try #require(Feature.push.exports.first)
                return try section.part(source, ExportPosition(section: section.name))?.text
            }
            let text = try #require(exported)
            #expect(text.contains("json://127.0.0.1/…") && !text.contains("the-secret") && text.contains("\"details\""))
            let before = try circle.onSession { try $0.store.personalRows(of: ada) }
            #expect(before["push_queue"] == 2 && before["documents"] == 1)
            let isOver = Record<Bool>()
            try circle.onSession { context in
                context.doors.forget(ada, keepingAccount: false, telling: nil) { result in
                    isOver.append((try? result.get().opened) == 0)
                }
            }
            #expect(try isOver.wait(for: 1) == [true])
            let after = try circle.onSession { try $0.store.personalRows(of: ada) }
            #expect(after["push_queue"] == 0 && after["documents"] == 0)
            #expect(try circle.pushRows(bob) == 1)
        }
    }

    @Test("are at most a hundred on their way to a person, of which alerts stay")
    func bounded() throws {
        let receiver = try PushReceiver()
        try receiver.answers("status 500")
        try Circle.with(more: Circle.pushSettings) { circle in
            let ada = try circle.person()
            try circle.addPush(ada, "json://\(receiver.place)/")
            try circle.tell(ada, "left-area", "an alert")
            for number in 1...120 { try circle.tell(ada, "goal-reached", "\(number)") }
            #expect(try circle.pushRows(ada) == 100)
            let urgent = try circle.onSession { context in
                try context.store.database.first("SELECT sum(urgent) FROM push_queue", row: Row.int)
            }
            #expect(urgent == 1)
        }
    }

    @Test(
        "are some thousands at most on their way to all people, where whoever has most makes room, and alerts have more"
    )
    func crowded() throws {
        try Circle.with(more: Circle.pushSettings) { circle in
            let (ada, bob) = (try circle.person(), try circle.person())
            try circle.onSession { context in
                let queue = PushQueue(store: context.store)
                let addresses = try (1...5).map { _ in try drawnID() }
                func rows(_ person: ID?) throws -> Int64? {
                    let condition = person.map { "WHERE person = '\($0.text)'" } ?? ""
                    return try context.store.database.first(
                        "SELECT count(*) FROM push_queue \(condition)", row: Row.int)
                }
                func add(_ notification: String, _ person: ID, isUrgent: Bool = false) throws -> Bool {
                    try context.store.change(person) { () throws(VaultError) in
                        try queue.add(notification, for: addresses, of: person, isUrgent: isUrgent, now: start)
                    }
                }
                for number in 0..<(PushQueue.most - PushQueue.reserve) / 100 {
                    let person = number == 0 ? ada : try drawnID()
                    for notification in 0..<20 { #expect(try add("\(number) \(notification)", person)) }
                }
                #expect(try rows(nil) == 8000 && rows(ada) == 100)
                // Nobody has more than she does.
                #expect(try !add("one more", ada) && rows(nil) == 8000)
                for notification in 0..<9 { #expect(try add("of Bob \(notification)", bob)) }
                #expect(try rows(nil) == 8000 && rows(bob) == 45)
                // Alerts take nobody's places, and nothing else takes theirs.
                #expect(try add("an alert", ada, isUrgent: true) && rows(ada) == 100)
                for number in 0..<41 {
                    let person = try drawnID()
                    for alert in 0..<8 { _ = try add("\(number) alert \(alert)", person, isUrgent: true) }
                }
                let alerts = try context.store.database.first("SELECT sum(urgent) FROM push_queue", row: Row.int)
                let carol = try drawnID()
                #expect(try add("of Carol", carol) && add("of Carol, too", carol) && rows(carol) == 10)
                #expect(try context.store.database.first("SELECT sum(urgent) FROM push_queue", row: Row.int) == alerts)
            }
        }
    }

    @Test("go nowhere without Apprise: that is said, and they wait for it")
    func noApprise() throws {
        let settings = #"push: { python: "/nowhere/python3", schemes: ["json"], private_hosts: ["127.0.0.1"] },"#
        try Circle.with(more: settings) { circle in
            let ada = try circle.person()
            let push = try circle.addPush(ada, "json://127.0.0.1:1/")
            try circle.tell(ada, "goal-reached", "one")
            let error = try circle.refused(ada, "push/test", ["push": .string(push)])
            #expect(
                error.code == .notSupported && error.field == "push" && error.message.contains("apt install apprise"))
            let listed = try circle.done(ada, "push/list")
            #expect(try elements(listed, "addresses")[0]["waiting"] == 1)
        }
    }

    @Test("tell nobody which names lead into a private network: they are as those where nobody is")
    func privateNames() throws {
        let settings = #"push: { schemes: ["json"], private_hosts: ["127.0.0.2"] },"#
        try Circle.with(more: settings) { circle in
            let ada = try circle.person()
            let errors = try ["json://localhost:1/", "json://127.0.0.2:1/"].map { address in
                try circle.refused(ada, "push/test", ["push": .string(circle.addPush(ada, address))])
            }
            #expect(errors[0] == errors[1] && errors[0].code == .refused, "\(errors)")
            let listed = try elements(circle.done(ada, "push/list"), "addresses").map { $0["problem"] }
            #expect(listed[0] != nil && listed[0] == listed[1])
        }
    }

    @Test("say, without readings, names and places, what kind of thing has happened: each kind has such words")
    func neutral() {
        for kind in Feature.all.flatMap(\.notifications) {
            #expect(kind.neutral != .neutralNews, "\(kind.name)")
            #expect(!kind.neutral.english.contains("{") && !kind.neutral.german.contains("{"))
        }
        #expect(Feature.all.kind("of-a-later-version") == nil)
        #expect(Feature.all.kind("help-wanted")?.isAlert == true && Feature.all.kind("goal-reached")?.isAlert == false)
    }
}
