import Files
import Fitness
import Guardians
import HouseholdSupport
import MQTT
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Accounts
@testable import Features
@testable import vitals_consumer

@Suite("Notifications", .timeLimit(.minutes(60)))
struct NotificationTests {
    private func add(_ circle: Circle, _ texts: [String], to user: ID) throws {
        try add(
            circle,
            texts.enumerated().map { Notification(kind: .thumbsUp, time: start + Int64($0), text: $1) }, to: user)
    }

    private func add(_ circle: Circle, _ notifications: [Notification], to user: ID) throws {
        try circle.onSession { context in
            try context.store.change(user) { () throws(VaultError) in
                for notification in notifications { try context.notifications.add(notification, to: user) }
            }
        }
    }

    /// The texts of all that are kept of a person, the latest first.
    private func kept(_ circle: Circle, of user: ID) throws -> [String] {
        try circle.onSession { context in
            try context.notifications.list(of: user, withConfirmed: true, limit: 2 * Notifications.mostKept)
                .notifications.map(\.notification.text)
        }
    }

    @Test("are published once, in order, and are in the list under the same ids until they are confirmed, and after")
    func published() throws {
        try Circle.with { circle in
            let ada = try circle.person()
            let texts = (1...150).map { "number \($0)" }
            try add(circle, texts, to: ada)
            var ids: [String] = []
            for text in texts {
                let message = try #require(try circle.next(ada, "notifications"))
                #expect(message["text"] == .string(text) && message["kind"] == "thumbs-up")
                #expect(message["confirmed"] == false)
                ids.append(try message.text("id"))
            }
            var listed: [String] = []
            var before: String?
            repeat {
                let data = try circle.done(
                    ada, "notifications/list", .object(present: ["before": before.map(JSON.string), "limit": 60]))
                let part = try elements(data, "notifications")
                listed += try part.map { try $0.text("id") }
                before = data["more"] == true ? listed.last : nil
            } while before != nil
            #expect(listed == ids.reversed())
            let some: JSON = ["ids": .array([.string(ids[149]), .string(ids[3]), "unknown"])]
            #expect(try circle.done(ada, "notifications/confirm", some)["confirmed"] == 2)
            #expect(try circle.done(ada, "notifications/confirm", some)["confirmed"] == 0)
            #expect(try circle.notifications(ada).first?["id"] == .string(ids[148]))
            #expect(try circle.notifications(ada, all: true).first?["confirmed"] == true)
            // Those of others are not there.
            let bob = try circle.person()
            #expect(try circle.done(bob, "notifications/confirm", some)["confirmed"] == 0)
            #expect(try circle.notifications(bob, all: true).isEmpty)
            #expect(
                try elements(
                    circle.done(bob, "notifications/list", ["before": .string(ids[9])]), "notifications"
                ).isEmpty)
            #expect(try circle.done(ada, "notifications/confirm", ["all": true])["confirmed"] == 148)
            #expect(try circle.notifications(ada).isEmpty)
            #expect(!circle.client.hasReceived { $0.topic.hasSuffix("/notifications") })
            let left = try circle.onSession { try $0.notifications.unpublished(atMost: 10).count }
            #expect(left == 0)
        }
    }

    @Test("wait for a consumer that was killed before it could publish them, and are told by the next one, in order")
    func restart() throws {
        var person: ID?
        try Circle.with { circle in
            let ada = try circle.person()
            try add(circle, ["first"], to: ada)
            _ = try circle.next(ada, "notifications")
            person = ada
        } between: { settings, _ in
            let ada = try #require(person)
            let (keys, store) = (
                try Keys(settings, .write), try Store(folder: settings.state, adding: Feature.all.schema)
            )
            let notifications = Notifications(store, keys)
            try store.change(ada) { () throws(VaultError) in
                for text in ["second", "third"] {
                    try notifications.add(Notification(kind: .thumbsUp, time: start, text: text), to: ada)
                }
            }
        } then: { circle in
            let ada = try #require(person)
            var told = try circle.next(ada, "notifications")
            // It may have been stopped before it had noted that the broker has the first.
            if told?["text"] == "first" { told = try circle.next(ada, "notifications") }
            #expect(told?["text"] == "second")
            #expect(try circle.next(ada, "notifications")?["text"] == "third")
            #expect(try circle.notifications(ada).count == 3)
            #expect(!circle.client.hasReceived { $0.topic.hasSuffix("/notifications") })
        }
    }

    @Test("are at most five hundred a person's; those that are confirmed go first")
    func bounded() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(), try circle.person())
            try add(circle, ["bob's"], to: bob)
            try add(circle, (1...500).map { "\($0)" }, to: ada)
            let newest = try circle.notifications(ada)[0]
            #expect(newest["text"] == "500")
            #expect(
                try circle.done(ada, "notifications/confirm", ["ids": .array([newest["id"] ?? .null])])["confirmed"]
                    == 1)
            try add(circle, ["501", "502"], to: ada)
            let (kept, bobs) = try circle.onSession { context in
                (
                    try context.notifications.list(of: ada, withConfirmed: true, limit: 1000).notifications,
                    try context.notifications.list(of: bob, withConfirmed: true, limit: 1000).notifications.count
                )
            }
            let texts = kept.map(\.notification.text)
            #expect(texts.count == 500 && texts.first == "502" && texts[2] == "499" && texts.last == "2")
            #expect(bobs == 1)
        }
    }

    @Test(
        "of alerts, five hundred are kept besides the others: nothing ordinary pushes one out, nor the other way round")
    func alertsApart() throws {
        try Circle.with { circle in
            let ada = try circle.person()
            // As one is told at once, and as one that was read again is told to the next guardian.
            try add(
                circle,
                [
                    Notification(kind: .leftArea, time: start, text: "left"),
                    Notification(kind: .init(kept: "left-area"), time: start, alert: try drawnID(), text: "told later"),
                ], to: ada)
            try add(circle, (1...501).map { "\($0)" }, to: ada)
            let ordinary = try kept(circle, of: ada)
            #expect(ordinary.count == 502 && ordinary.suffix(3) == ["2", "told later", "left"])
            try add(
                circle, (1...499).map { Notification(kind: .enteredArea, time: start, text: "entered \($0)") }, to: ada)
            let both = try kept(circle, of: ada)
            #expect(both.count == 1000 && both.contains("2") && both.suffix(2) == ["2", "told later"])
        }
    }

    @Test("have every phrase in every language, with the same to fill in", arguments: Language.all.map(\.tag))
    func languages(tag: String) throws {
        let language = try #require(Language.all.first { $0.tag == tag })
        #expect(language.months.count == 12)
        func blanks(_ text: String) -> Set<Substring> {
            Set(text.split(separator: "{").dropFirst().compactMap { $0.split(separator: "}").first })
        }
        for phrase in try ConsumerSources().phrases() {
            #expect(!language.words(phrase).isEmpty, "\(phrase)")
            #expect(blanks(language.words(phrase)) == blanks(phrase.english), "\(phrase)")
        }
        #expect(Language.of(locale: "\(tag)-AT").tag == tag && Language.of(locale: "x").tag == "en")
    }

    @Test("fill in what they are given, and do not look into it again; numbers and days are written as in the language")
    func phrases() throws {
        #expect(
            Language.english(.friendRequest, ["name": "{name} {x}"]) == "{name} {x} would like to be your friend.")
        #expect(Language.english.number(1_234_567.891, decimals: 2) == "1,234,567.89")
        #expect(Language.german.number(10_000) == "10.000" && Language.german.number(-0.5, decimals: 1) == "−0,5")
        #expect(Language.english.number(999.5) == "1,000" && Language.english.number(.nan) == "–")
        let day = try #require(CalendarDay("2026-03-01"))
        #expect(Language.english.date(day) == "1 March 2026" && Language.german.date(day) == "1. März 2026")
    }
}
