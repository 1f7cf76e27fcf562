import Daemon
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

@Suite("People in Home Assistant", .timeLimit(.minutes(60)))
struct HomeAssistantTests {
    private func with(_ body: (Circle, Wall) throws -> Void) throws {
        try Circle.with(more: Wall.more, rules: Wall.rules) { circle in try body(circle, Wall(circle)) }
    }

    private func targets(_ device: JSON?) -> [String] {
        guard case .object(let members)? = device?["cmps"] else { return [] }
        return members.filter { $0.value["stat_t"] != nil }.map(\.name).filter { $0.hasSuffix("_goal") }
    }

    @Test("appear when they agree, with their day as it goes on, and nobody else does")
    func agreeing() throws {
        try with { circle, wall in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.walk(ada, 0, 3000)
            try circle.walk(bob, 0, 100)
            try circle.wait(ada, "today") { $0?["steps"] == 3000 }
            #expect(try circle.done(ada, "consent/get")["home_assistant"] == false)
            try circle.done(bob, "consent/set", ["steps": true])
            try wall.agree(ada)
            let device = try #require(try wall.next(wall.device(ada)))
            #expect(device["dev"]?["name"] == "Ada" && targets(device) == ["steps_goal"])
            // The values come first: as soon as there is a device, they are read.
            let kept = try wall.kept()
            #expect(Set(kept.keys) == [wall.device(ada), wall.day(ada)])
            let day = try #require(kept[wall.day(ada)])
            #expect(day["day"] == "2026-11-21" && day["steps"] == 3000 && day["goals"]?["steps"]?["percent"] == 30)
            #expect(day["temperature_c"] == nil && day["heart_rate"] == nil && day["step_counts_left_out"] == nil)
            try circle.walk(ada, 0, 3000, 5000)
            try wall.wait(wall.day(ada)) { $0?["steps"] == 5000 && $0?["goals"]?["steps"]?["percent"] == 50 }
            try circle.done(ada, "goals/set", ["steps": .null, "distance_m": 10_000])
            try wall.wait(wall.device(ada)) { targets($0) == ["distance_goal"] }
            try wall.wait(wall.day(ada)) {
                $0?["goals"]?["steps"] == nil && $0?["goals"]?["distance_m"]?["percent"] != nil
            }
            #expect(!wall.waiting.contains { $0.contains(bob.text) })
        }
    }

    @Test("are gone at once when they no longer agree: the device first, then what it showed")
    func withdrawing() throws {
        try with { circle, wall in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            for person in [ada, bob] {
                try circle.walk(person, 0, 3000)
                try wall.agree(person)
                _ = try wall.next(wall.device(person))
                _ = try wall.next(wall.day(person))
            }
            try wall.agree(ada, false)
            #expect(try wall.next(wall.device(ada)) == nil && wall.next(wall.day(ada)) == nil)
            #expect(try Set(wall.kept().keys) == [wall.device(bob), wall.day(bob)])
            // Nothing comes of what is recorded afterwards; the other's does.
            try circle.walk(ada, 0, 3000, 4000)
            try circle.walk(bob, 0, 3000, 4000)
            try wall.wait(wall.day(bob)) { $0?["steps"] == 4000 }
            #expect(!wall.waiting.contains { $0.contains(ada.text) })
            try wall.agree(ada)
            #expect(try wall.next(wall.device(ada))?["dev"]?["name"] == "Ada")
        }
    }

    @Test("have a name that is only a name, of which no topic, id or template is made")
    func names() throws {
        try with { circle, wall in
            let ada = try circle.person(name: "{{ 1 + 1 }} \"/#+ <b>")
            try wall.agree(ada)
            let device = try #require(try wall.next(wall.device(ada)))
            #expect(device["dev"]?["name"] == "{{ 1 + 1 }} \"/#+ <b>")
            #expect(device["dev"]?["ids"] == [.string("vitals-person_\(ada)")])
            // Somebody who has no name yet has their id.
            let nameless = try circle.person()
            try wall.agree(nameless)
            #expect(try wall.next(wall.device(nameless))?["dev"]?["name"] == .string(nameless.text))
        }
    }

    @Test("begin a new day at their midnight, of which nothing is known yet")
    func midnight() throws {
        try with { circle, wall in
            let ada = try circle.person(name: "Ada")
            try circle.walk(ada, 0, 3000)
            try wall.agree(ada)
            try wall.wait(wall.day(ada)) { $0?["steps"] == 3000 }
            circle.advance(86_400_000)
            try wall.wait(wall.day(ada)) { $0?["day"] == "2026-11-22" && $0?["steps"] == nil }
        }
    }

    @Test("are gone when all that is theirs is deleted, and do not come back by themselves", arguments: [false, true])
    func forgetting(withAccount: Bool) throws {
        try with { circle, wall in
            let ada = try circle.person("ada@example.org", name: "Ada")
            try circle.walk(ada, 0, 3000)
            try wall.agree(ada)
            _ = try wall.next(wall.device(ada))
            #expect(try Set(wall.kept().keys) == [wall.device(ada), wall.day(ada)])
            if withAccount {
                let gone = Record<Bool>()
                try circle.onSession { context in
                    context.doors.forget(ada, keepingAccount: false, telling: nil) { result in
                        if case .success = result { gone.append(true) } else { gone.append(false) }
                    }
                }
                #expect(try gone.wait(for: 1) == [true])
            } else {
                let asked = try circle.done(ada, "reset-all/ask")
                try circle.done(ada, "reset-all/confirm", ["confirmation": asked["confirmation"] ?? .null])
                #expect(try circle.done(ada, "consent/get")["home_assistant"] == false)
            }
            try wall.wait(wall.device(ada)) { $0 == nil }
            try wall.wait(wall.day(ada)) { $0 == nil }
            #expect(try wall.kept().isEmpty)
        }
    }

    @Test("are described again when Home Assistant was born, however often it says so, at most every ten seconds")
    func births() throws {
        try with { circle, wall in
            let ada = try circle.person(name: "Ada")
            try wall.agree(ada)
            let device = try #require(try wall.next(wall.device(ada)))
            wall.beBorn()
            #expect(try wall.next(wall.device(ada)) == device)
            let begin = ContinuousClock.now
            for _ in 0..<500 { wall.beBorn() }
            #expect(try wall.next(wall.device(ada)) == device)
            #expect(ContinuousClock.now - begin > .seconds(9))
            // A request that is answered comes after all of them.
            try circle.done(ada, "consent/get")
            #expect(!wall.waiting.contains(wall.device(ada)))
        }
    }
}

// MARK: Restarts

extension HomeAssistantTests {
    @Test("are described again to a broker that has forgotten everything")
    func amnesia() throws {
        try with { circle, wall in
            let ada = try circle.person(name: "Ada")
            try wall.agree(ada)
            let device = try #require(try wall.next(wall.device(ada)))
            circle.broker.kill()
            try circle.broker.start()
            #expect(try wall.next(wall.device(ada)) == device)
            #expect(try Set(wall.kept().keys) == [wall.device(ada), wall.day(ada)])
        }
    }

    @Test("who are gone when the next consumer starts are taken back, and another household's people are left alone")
    func strays() throws {
        var wall: Wall?
        var (ada, device) = (try ID("none"), JSON.null)
        let (gone, theirs) = (try ID("gone"), try ID("theirs"))
        try Circle.with(more: Wall.more, rules: Wall.rules) { circle in
            wall = try Wall(circle)
            ada = try circle.person(name: "Ada")
            try wall?.agree(ada)
            device = try #require(try wall?.next(wall?.device(ada) ?? ""))
        } between: { _, _ in
            let wall = try #require(wall)
            func described(_ user: ID, root: String) throws -> [UInt8] {
                DiscoveryPayload(
                    person: user, called: nil, with: [], try Topics(root: root),
                    presence: try .presence(of: StoreID(high: 0, low: 1)), version: "1"
                ).bytes
            }
            try wall.keep(described(gone, root: "vitals/v1"), at: wall.device(gone))
            try wall.keep([0x7B, 0x7D], at: wall.day(gone))
            try wall.keep(described(theirs, root: "other/v1"), at: wall.device(theirs))
        } then: { _ in
            let wall = try #require(wall)
            try wall.wait(wall.device(gone)) { $0 == nil }
            try wall.wait(wall.day(gone)) { $0 == nil }
            let kept = try wall.kept()
            #expect(Set(kept.keys) == [wall.device(ada), wall.day(ada), wall.device(theirs)])
            #expect(kept[wall.device(ada)] == device)
        }
    }

    @Test("are taken back when the settings no longer have it, or have another prefix", arguments: [nil, "ha"])
    func switchedOff(prefix: String?) throws {
        var (wall, circles): (Wall?, [ID]) = (nil, [])
        let other = prefix.map { "home_assistant: { discovery_prefix: \"\($0)\" }" } ?? ""
        try Circle.with(
            more: Wall.more, rules: Wall.rules, otherMore: prefix == nil ? "" : "\(other),", otherRules: other
        ) { circle in
            wall = try Wall(circle)
            circles = [try circle.person(name: "Ada")]
            try wall?.agree(circles[0])
            _ = try wall?.next(wall?.device(circles[0]) ?? "")
            _ = try wall?.next(wall?.day(circles[0]) ?? "")
        } then: { circle in
            let (wall, ada) = (try #require(wall), circles[0])
            try wall.wait(wall.device(ada)) { $0 == nil }
            guard let prefix else {
                try wall.wait(wall.day(ada)) { $0 == nil }
                return #expect(try wall.kept().isEmpty)
            }
            let other = try Wall(circle, prefix: prefix)
            #expect(try other.next(other.device(ada))?["dev"]?["name"] == "Ada")
            #expect(try Set(wall.kept().keys) == [wall.day(ada)])
        }
    }
}

@Suite("Home Assistant in the settings")
struct HomeAssistantSettingsTests {
    @Test(
        "is refused where it would lead nowhere",
        arguments: [
            ("home_assistant: { people: [\"nobody\"] },", "home_assistant.people"),
            ("home_assistant: { discovery_prefix: \"vitals\" },", "home_assistant.discovery_prefix"),
            ("home_assistant: {}, accounts: {}, broker_rules: {},", "home_assistant"),
            (
                "home_assistant: {}, accounts: {}, broker_rules: { home_assistant: { discovery_prefix: \"ha\" } },",
                "home_assistant"
            ),
            ("home_assistant: { persons: [] },", "home_assistant.persons"),
        ])
    func refused(text: String, key: String) throws {
        let error = thrown(SettingsError.self) { try Household().settings(more: text) }
        #expect(error?.description.contains("\(key): ") == true, "\(String(describing: error))")
    }

    @Test("is taken for people of the settings, and with the broker's rules")
    func taken() throws {
        let settings = try Household().settings(more: "home_assistant: { people: [\"demo\"] },")
        let demo = try ID("demo")
        #expect(settings[HomeAssistantSettings.self].people == [demo])
        let ruled = try Household().settings(
            more: "home_assistant: {}, accounts: {}, broker_rules: { home_assistant: {} },")
        #expect(ruled[HomeAssistantSettings.self].topics?.prefix == "homeassistant")
        #expect(try Household().settings()[HomeAssistantSettings.self].topics == nil)
    }
}
