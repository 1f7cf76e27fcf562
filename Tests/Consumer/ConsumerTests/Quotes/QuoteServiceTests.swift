import Files
import Fitness
import Foundation
import Glibc
import HouseholdSupport
import MQTT
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import Quotes
@testable import vitals_consumer

@Suite("Quotes, at a running service", .timeLimit(.minutes(60)))
struct QuoteServiceTests {
    private let folder: TemporaryFolder
    /// What the settings say.
    private let settings: String
    private let catalogue: QuoteCatalogue

    init() throws {
        folder = try TemporaryFolder()
        let path = try folder.write(Self.file(0..<7), to: "quotes.json")
        settings = #"quotes: { catalogue: "\#(path)" },"#
        catalogue = try QuoteCatalogue(files: [path])
    }

    private static func file(_ numbers: Range<Int>) -> String {
        "["
            + numbers.map { #"{"quote": "q\#($0)", "en": "English \#($0).", "de": "Deutsch \#($0)."}"# }.joined(
                separator: ",\n")
            + "]"
    }

    /// The id of the quote of a day.
    private func quote(_ day: String) throws -> JSON {
        let day = try #require(CalendarDay(day))
        return .string(try #require(catalogue.quote(of: day)).id.text)
    }

    @Test(
        "are the same for everybody on a day, each in their language, and retained from midnight to midnight of theirs")
    func midnights() throws {
        try Circle.with(more: settings) { circle in
            let (ada, ben) = (try circle.person(name: "Ada"), try circle.person(name: "Ben", locale: "de-AT"))
            try circle.move(ben, to: "Asia/Tokyo", locale: "de-AT")
            let first = try quote("2026-11-21")
            try circle.wait(ada, "quote") { $0?["quote"] == first && $0?["language"] == "en" }
            // It is nine in the morning, and six in the evening in Tokyo.
            try circle.wait(ben, "quote") { $0?["language"] == "de" && $0?["day"] == "2026-11-21" }
            let (adas, bens) = (try circle.done(ada, "quotes/today"), try circle.done(ben, "quotes/today"))
            #expect(adas["quote"] == first && bens["quote"] == first && adas["liked"] == false)
            #expect(try adas.text("text").hasPrefix("English ") && bens.text("text").hasPrefix("Deutsch "))

            // Midnight in Tokyo is at three in the afternoon.
            circle.advance(6 * 3_600_000 - 1)
            #expect(try circle.done(ben, "quotes/today") == bens)
            circle.advance(1)
            let second = try quote("2026-11-22")
            #expect(second != first)
            try circle.wait(ben, "quote") { $0?["day"] == "2026-11-22" && $0?["quote"] == second }
            #expect(try circle.done(ada, "quotes/today") == adas)
            circle.advance(9 * 3_600_000)
            try circle.wait(ada, "quote") { $0?["day"] == "2026-11-22" && $0?["quote"] == second }
            #expect(try circle.done(ben, "quotes/today")["quote"] == second)
        }
    }

    @Test("are liked and un-liked, which the topic shows, and nobody sees what others like")
    func likes() throws {
        try Circle.with(more: settings) { circle in
            let (ada, ben) = (try circle.person(name: "Ada"), try circle.person(name: "Ben"))
            let today = try quote("2026-11-21")
            try circle.wait(ada, "quote") { $0?["liked"] == false }
            #expect(try circle.done(ada, "quotes/like", ["quote": today]) == ["liked": true, "quote": today])
            try circle.wait(ada, "quote") { $0?["liked"] == true && $0?["quote"] == today }
            #expect(try circle.done(ada, "quotes/today")["liked"] == true)
            #expect(try circle.done(ben, "quotes/today")["liked"] == false)
            circle.advance(1000)
            // Liking it again changes nothing, and any quote may be liked.
            try circle.done(ada, "quotes/like", ["quote": today])
            let other = try quote("2026-11-23")
            try circle.done(ada, "quotes/like", ["quote": other])
            let liked = try elements(circle.done(ada, "quotes/liked"), "quotes")
            #expect(liked.map { $0["quote"] } == [other, today])
            #expect(liked.map { $0["time"] } == [.integer(start + 1000), .integer(start)])
            #expect(try liked[0].text("text").hasPrefix("English "))
            #expect(try circle.done(ben, "quotes/liked") == ["quotes": []])
            for verb in ["like", "unlike"] {
                let wrong = try circle.refused(ada, "quotes/\(verb)", ["quote": "q99"])
                #expect(wrong.code == .notFound && wrong.field == "quote")
            }
            #expect(try circle.done(ada, "quotes/unlike", ["quote": today]) == ["liked": false, "quote": today])
            try circle.wait(ada, "quote") { $0?["liked"] == false }
            #expect(try circle.done(ada, "quotes/unlike", ["quote": today])["liked"] == false)
            #expect(try elements(circle.done(ada, "quotes/liked"), "quotes").count == 1)
        }
    }

    @Test("are liked up to a limit, and listed page by page; a cursor that is none is refused")
    func limits() throws {
        try Circle.with(more: settings) { circle in
            let ada = try circle.person(name: "Ada")
            try circle.onSession { context in
                try context.store.change(ada) { () throws(VaultError) in
                    for number in 0..<LikedQuotes.most {
                        let name = "old-\(number)"
                        guard let id = decoded({ () throws(MalformedValue) in try ID(name) }) else { continue }
                        try LikedQuotes(context.store, context.keys).add(
                            Quote(id: id, english: "Old \(number).", german: "Alt \(number)."), of: ada,
                            now: start + Int64(number / 3))
                    }
                }
            }
            let full = try circle.refused(ada, "quotes/like", ["quote": quote("2026-11-21")])
            #expect(full.code == .notAllowed && full.message.contains("500 quotes"), "\(full)")
            var (seen, after): ([JSON], JSON?) = ([], nil)
            repeat {
                let page = try circle.done(ada, "quotes/liked", .object(present: ["after": after]))
                let quotes = try elements(page, "quotes")
                #expect(quotes.count == 50)
                seen += quotes.compactMap { $0["quote"] }
                after = page["next"]
            } while after != nil
            #expect(seen.count == 500 && Set(seen).count == 500 && seen.first == "old-499")
            for wrong in ["x", "-1-q", "1", ""] as [JSON] {
                #expect(try circle.refused(ada, "quotes/liked", ["after": wrong]).field == "after", "\(wrong)")
            }
            // One that was un-liked in the meantime ends no list.
            let first = try circle.done(ada, "quotes/liked")
            let last = try #require(elements(first, "quotes").last?["quote"])
            try circle.done(ada, "quotes/unlike", ["quote": last])
            let second = try circle.done(ada, "quotes/liked", ["after": first["next"] ?? .null])
            #expect(try elements(second, "quotes").first?["quote"] == seen[50])
        }
    }

    @Test("that the operator has removed stay liked with their words, and others follow; without any there is no topic")
    func removed() throws {
        var people: [ID] = []
        let others = try folder.write(Self.file(3..<20), to: "others.json")
        let today = try quote("2026-11-21")
        let none = try folder.write("[]", to: "none.json")
        try Circle.with(more: settings, otherMore: #"quotes: { catalogue: "\#(none)", files: ["\#(others)"] },"#) {
            circle in
            people = [try circle.person(name: "Ada"), try circle.person(name: "Ben", locale: "de")]
            for number in 0..<7 { try circle.done(people[1], "quotes/like", ["quote": .string("q\(number)")]) }
            try circle.wait(people[0], "quote") { $0?["quote"] == today }
        } then: { circle in
            let liked = try elements(circle.done(people[1], "quotes/liked"), "quotes")
            #expect(Set(liked.map { $0["text"] }) == Set((0..<7).map { .string("Deutsch \($0).") }))
            let next = try QuoteCatalogue(files: [others])
            let day = try #require(CalendarDay("2026-11-21"))
            let id = try #require(next.quote(of: day)).id
            #expect(try circle.done(people[0], "quotes/today")["quote"] == .string(id.text))
            #expect(try circle.done(people[1], "quotes/unlike", ["quote": "q0"])["liked"] == false)
            #expect(try circle.refused(people[1], "quotes/like", ["quote": "q0"]).code == .notFound)
        }
        try Circle.with(more: settings, otherMore: #"quotes: { catalogue: "\#(none)" },"#) { circle in
            people = [try circle.person(name: "Ada")]
            try circle.wait(people[0], "quote") { $0?["quote"] == today }
        } then: { circle in
            try circle.wait(people[0], "quote") { $0 == nil }
            let nothing = try circle.refused(people[0], "quotes/today")
            #expect(nothing.code == .notSupported && nothing.field == "quotes")
        }
    }

    @Test("are of another file as soon as a running service has read its settings again, and nothing liked is lost")
    func reloaded() throws {
        let others = try folder.write(Self.file(3..<20), to: "others.json")
        let (today, day) = (try quote("2026-11-21"), try #require(CalendarDay("2026-11-21")))
        let id = JSON.string(try #require(try QuoteCatalogue(files: [others]).quote(of: day)).id.text)
        #expect(id != today)
        try Circle.with(more: settings) { circle in
            let ada = try circle.person(name: "Ada")
            try circle.wait(ada, "quote") { $0?["quote"] == today }
            try circle.done(ada, "quotes/like", ["quote": "q0"])
            try circle.reload(#"quotes: { catalogue: "\#(others)" },"#)
            try circle.wait(ada, "quote") { $0?["quote"] == id }
            #expect(try circle.done(ada, "quotes/today")["quote"] == id)
            #expect(try circle.refused(ada, "quotes/like", ["quote": "q1"]).code == .notFound)
            #expect(try elements(circle.done(ada, "quotes/liked"), "quotes").map { $0["quote"] } == ["q0"])
        }
    }

    @Test("go with everything else of a person: the rows and the topic, and what an earlier run has left")
    func forgetting() throws {
        var user: ID?
        let stranger = try ID("stranger")
        try Circle.with(more: settings) { circle in
            let ada = try circle.person("ada@example.org", name: "Ada")
            user = ada
            try circle.done(ada, "quotes/like", ["quote": quote("2026-11-21")])
            try circle.wait(ada, "quote") { $0?["liked"] == true }
            let before = try circle.onSession { context in try context.store.personalRows(of: ada, upTo: 1) }
            #expect(before["liked_quotes"] == 1)
            let asked = try circle.done(ada, "reset-all/ask")
            try circle.done(ada, "reset-all/confirm", ["confirmation": asked["confirmation"] ?? .null])
            try circle.wait(ada, "quote") { $0 == nil }
            let after = try circle.onSession { context in try context.store.personalRows(of: ada) }
            #expect(after["liked_quotes"] == 0)
            // Nothing is retained for somebody of whom nothing is known; they may ask.
            #expect(try circle.done(ada, "quotes/today")["liked"] == false)
            #expect(try circle.keptQuotes().isEmpty)
        } between: { _, client in
            for user in [user, stranger] {
                let topic = "vitals/v1/users/\(user?.text ?? "-")/quote"
                client.session.publish(Array("{}".utf8), to: topic, qos: .atLeastOnce, retain: true)
            }
        } then: { circle in
            for user in [user, stranger] { try circle.wait(#require(user), "quote") { $0 == nil } }
            _ = try circle.done(#require(user), "quotes/today")
            #expect(try circle.keptQuotes().isEmpty)
        }
    }
}

extension Circle {
    /// The topics of quotes on which the broker keeps something.
    fileprivate func keptQuotes() throws -> [String] {
        let late = try Client(broker, "vitals/v1/users/+/quote", "vitals/v1/end")
        defer { late.stop() }
        client.publish([1], to: "vitals/v1/end")
        var kept: [String] = []
        while true {
            let topic = try late.wait("a kept message, or the end") { $0.topic }
            guard topic != "vitals/v1/end" else { return kept }
            kept.append(topic)
        }
    }

    fileprivate func move(_ user: ID, to zone: String, locale: String) throws {
        try done(
            user, "profile/set",
            [
                "name": "Ben", "date_of_birth": "1990-12-10", "gender": "male", "height_cm": 170, "weight_kg": 64,
                "time_zone": .string(zone), "locale": .string(locale),
            ])
    }
}

@Suite("The quote of the day when the consumer is killed", .timeLimit(.minutes(60)))
struct QuoteKillTests {
    @Test("is the same afterwards, and nobody is shown another one")
    func killed() throws {
        let household = try Household()
        try Broker.with { broker in
            let more =
                #"accounts: {}, broker_rules: {}, quotes: { catalogue: "\#(projectFolder)/deploy/quotes/quotes.json" },"#
            let settings = try household.settings(people: "demo: {}", port: broker.port, more: more)
            _ = try Keys(settings, .create)
            let client = try Client(broker, "vitals/v1/users/#")
            defer { client.stop() }
            func started(_ count: Int) throws -> RunningProgram {
                let program = try RunningProgram("vitals-consumer", ["--settings", household.settingsFile])
                try broker.waitForLog("vitals/v1/users/+/quote (QoS 1)", times: count)
                return program
            }
            func quote() throws -> JSON {
                try client.wait("the quote") { message in
                    message.topic == "vitals/v1/users/demo/quote" ? try JSON(payload: message.payload) : nil
                }
            }
            // It is about noon there, so that the day does not end in between.
            let offset = Int(Date().timeIntervalSince1970) / 3600 % 24 - 12
            let zone = offset == 0 ? "UTC" : "Etc/GMT\(offset > 0 ? "+" : "")\(offset)"
            func setProfile(locale: JSON) {
                let profile: JSON = [
                    "name": "Ada", "date_of_birth": "1990-12-10", "gender": "female", "height_cm": 170, "weight_kg": 64,
                    "locale": locale, "time_zone": .string(zone),
                ]
                client.session.publish(
                    profile.bytes, to: "vitals/v1/users/demo/requests/profile/set", qos: .atLeastOnce)
            }
            var consumer = try started(1)
            defer { consumer.end(SIGKILL) }
            setProfile(locale: "en")
            let first = try quote()
            consumer.end(SIGKILL)
            consumer = try started(2)
            // What is seen in German was worked out by the second run.
            setProfile(locale: "de")
            var shown = try quote()
            while shown["language"] != "de" {
                #expect(shown == first)
                shown = try quote()
            }
            #expect(shown["quote"] == first["quote"] && shown["day"] == first["day"])
            // A client that comes now sees one quote.
            let late = try Client(broker, "vitals/v1/users/demo/quote")
            defer { late.stop() }
            let kept = try late.wait("the retained quote") { try JSON(payload: $0.payload) }
            #expect(kept == shown)
        }
    }
}
