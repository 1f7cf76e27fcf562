import Fitness
import Foundation
import HouseholdSupport
import MQTT
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import vitals_consumer

@Suite("What is retained of the day", .timeLimit(.minutes(60)))
struct TodayTests {
    /// What the broker has kept under a filter.
    private func kept(_ circle: Circle, _ filter: String) throws -> [String: JSON] {
        let client = try Client(circle.broker, "vitals/v1/users/\(filter)", "vitals/v1/end")
        defer { client.stop() }
        circle.client.publish([1], to: "vitals/v1/end")
        var kept: [String: JSON] = [:]
        while true {
            let message = try client.wait("a kept message, or the end") { $0 }
            if message.topic == "vitals/v1/end" { return kept }
            guard message.retain else { continue }
            kept[String(message.topic.dropFirst("vitals/v1/users/".count))] = try JSON(payload: message.payload)
        }
    }

    @Test("comes again after a broker that has lost it, and what is not to be there is taken back by the next consumer")
    func reconnection() throws {
        var people: [ID] = []
        func stray() -> Set<String> {
            let (ada, bob, eve) = (people[0], people[1], people[2])
            return [
                "\(bob)/friends/\(eve)/today", "\(ada)/goals/energy", "gone/today", "gone/heart-rate",
                "gone/friends/\(ada)/today", "\(eve)/today",
            ]
        }
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            people = [ada, bob, try circle.person()]
            try circle.walk(ada, 0, 3000)
            try circle.befriend(ada, bob)
            try circle.wait(bob, "friends/\(ada)/today") { $0?["steps"] == 3000 }
            circle.broker.kill()
            circle.advance(1000)
            // Not persistent: what the broker had is gone.
            try circle.broker.start()
            try circle.wait(bob, "friends/\(ada)/today") {
                $0?["steps"] == 3000 && $0?["time"] == .integer(circle.now)
            }
        } between: { _, client in
            for topic in stray() {
                client.session.publish(
                    [0x7B, 0x7D], to: "vitals/v1/users/\(topic)", qos: .atLeastOnce, retain: true)
            }
        } then: { circle in
            var left = stray()
            while !left.isEmpty {
                let topic = try circle.client.wait("what is taken back") { message in
                    message.payload.isEmpty && message.topic.hasPrefix("vitals/v1/users/") ? message.topic : nil
                }
                left.remove(String(topic.dropFirst("vitals/v1/users/".count)))
            }
            let kept = try kept(circle, "+/friends/+/today")
            let (ada, bob) = (people[0], people[1])
            #expect(Set(kept.keys) == ["\(bob)/friends/\(ada)/today", "\(ada)/friends/\(bob)/today"])
        }
    }

    @Test("is of the new day after the person's midnight")
    func midnight() throws {
        try Circle.with { circle in
            let ada = try circle.person(name: "Ada")
            try circle.walk(ada, 0, 3000)
            try circle.wait(ada, "today") { $0?["day"] == "2026-11-21" && $0?["steps"] == 3000 }
            circle.advance(86_400_000)
            try circle.wait(ada, "today") { $0?["day"] == "2026-11-22" && $0?["steps"] == nil }
            try circle.wait(ada, "goals/steps") { $0?["day"] == "2026-11-22" && $0?["value"] == nil }
        }
    }

    @Test("goes with all that was the person's, on their topics and on those of friends, and so does the friendship")
    func forgetting() throws {
        try Circle.with { circle in
            let ada = try circle.person("ada@example.org", name: "Ada")
            let bob = try circle.person("bob@example.org", name: "Bob")
            try circle.walk(ada, 0, 12_000)
            try circle.walk(bob, 0, 500)
            try circle.befriend(ada, bob)
            try circle.done(bob, "friends/cheer", ["friend": .string(ada.text), "thumb": "up"])
            try circle.done(ada, "friends/cheer", ["friend": .string(bob.text), "thumb": "up"])
            let told = try circle.notifications(bob, all: true).filter { $0["from_name"] == "Ada" }
            #expect(try !told.isEmpty && told.allSatisfy { try $0.text("text").contains("Ada") }, "\(told)")
            try circle.wait(bob, "friends/\(ada)/today") { $0?["steps"] == 12_000 }
            try circle.wait(ada, "friends/\(bob)/today") { $0?["steps"] == 500 }
            // A friendship that has ended: neither list says anything of it.
            let eve = try circle.person("eve@example.org", name: "Eve")
            try circle.befriend(ada, eve)
            try circle.done(ada, "friends/cheer", ["friend": .string(eve.text), "thumb": "up"])
            try circle.done(ada, "friends/remove", ["friend": .string(eve.text)])
            let ended = try circle.notifications(eve, all: true)
            #expect(!ended.isEmpty && ended.allSatisfy { $0["from_name"] == "Ada" }, "\(ended)")
            let code = try circle.done(ada, "friends/code").text("code")
            let before = try circle.onSession { context in try context.store.personalRows(of: ada, upTo: 1) }
            for table in ["days", "documents", "notifications"] {
                #expect(before[table, default: 0] > 0, "\(table)")
            }
            let asked = try circle.done(ada, "reset-all/ask")
            let reply = try circle.done(ada, "reset-all/confirm", ["confirmation": asked["confirmation"] ?? .null])
            guard case .integer(let tried)? = reply["tried"] else { throw TestFailure("\(reply)") }
            // Days, notifications and what was answered are among what was tried.
            #expect(tried >= 8 && reply["opened"] == 0)
            for topic in ["today", "goals/steps", "friends/\(bob)/today"] { try circle.wait(ada, topic) { $0 == nil } }
            try circle.wait(bob, "friends/\(ada)/today") { $0 == nil }
            #expect(try kept(circle, "\(ada)/#").isEmpty)
            #expect(try circle.friends(bob).isEmpty && circle.friends(ada).isEmpty)
            #expect(try circle.notifications(ada, all: true).isEmpty)
            // The friend still knows what happened, and no longer with whom.
            let still = try circle.notifications(bob, all: true)
            #expect(told.map { $0["id"] }.allSatisfy { id in still.contains { $0["id"] == id } })
            #expect(
                try still.allSatisfy { notification in
                    try notification["from_name"] == nil && !notification.text("text").contains("Ada")
                }, "\(still)")
            let afterwards = try circle.notifications(eve, all: true)
            #expect(afterwards.map { $0["id"] } == ended.map { $0["id"] })
            #expect(
                try afterwards.allSatisfy { notification in
                    try notification["from_name"] == nil && !notification.text("text").contains("Ada")
                }, "\(afterwards)")
            #expect(try circle.refused(bob, "friends/invite", ["code": .string(code)]).code == .wrongCredentials)
            // What was answered since is sealed to the new secret.
            let left = try circle.onSession { context in try context.store.personalRows(of: ada, upTo: 1) }
            #expect(left.count == before.count && left.values.allSatisfy { $0 == 0 }, "\(left)")
            // What comes now is of somebody new.
            #expect(try circle.done(ada, "goals/get")["goals"]?["steps"]?["value"] == nil)
            #expect(
                try circle.onSession { context in
                    let findings = try CheckCommand.findings(context.store, context.keys)
                    return findings.unreadable == 0 && findings.damaged == 0
                })
        }
    }

}
