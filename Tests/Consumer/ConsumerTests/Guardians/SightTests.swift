import HouseholdSupport
import MQTT
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Guardians
@testable import vitals_consumer

@Suite("What guardians see", .timeLimit(.minutes(60)))
struct SightTests {
    @Test(
        "is where the dependent is, what they do and how their phone is, as far and as long as the dependent allows it")
    func seen() throws {
        try Circle.with { circle in
            let family = try Family(circle, allowing: [])
            let (grace, otto) = (family.grace, family.otto)
            family.walk(0, battery: 80)
            #expect(try circle.done(grace, "dependents/list")["dependents"] != nil)
            try family.allow(grace, ["location"], true)
            // What was stored before is read, and shown.
            let first = try #require(try family.seen("location"))
            #expect(first["lat"] == .number(Family.home.lat) && first["accuracy_m"] == 8 && first["name"] == "Otto")
            #expect(first["time"] == .integer(circle.now / 1000 * 1000))
            circle.advance(60_000)
            family.walk(500, battery: 79)
            try circle.wait(grace, "dependents/\(otto)/location") { $0?["time"] == .integer(circle.now / 1000 * 1000) }
            try circle.wait(grace, "dependents/\(otto)/status") { $0?["battery_percent"] == 79 }
            #expect(try family.told(grace) == ["dependent-consent"])
            let listed = try elements(circle.done(grace, "dependents/list"), "dependents")
            #expect(listed[0]["position"]?["time"] == .integer(circle.now / 1000 * 1000) && listed[0]["state"] == nil)
            let day = try circle.done(grace, "dependents/day", ["dependent": .string(otto.text)])
            #expect(try elements(day, "points").count == 2 && day["exercise_min"] == nil)
            // The dependent sees who has looked.
            let guardians = try elements(circle.done(otto, "guardians/list"), "guardians")
            let looks = try elements(guardians[0], "looked")
            #expect(looks.count == 1 && looks[0]["times"] != 0)

            try family.allow(grace, ["location"], false)
            for topic in ["location", "path", "status"] {
                try circle.wait(grace, "dependents/\(otto)/\(topic)") { $0 == nil }
            }
            #expect(try elements(circle.done(grace, "dependents/list"), "dependents")[0]["position"] == nil)
            circle.advance(60_000)
            family.walk(600)
            try circle.done(otto, "guardians/list")
            #expect(!circle.client.hasReceived { $0.topic.contains("/dependents/\(otto)/") && !$0.payload.isEmpty })
        }
    }

    @Test("is motion by speed, and by the phone's own sensors")
    func motion() throws {
        try Circle.with { circle in
            let family = try Family(circle, allowing: ["motion"])
            for step in 0..<6 {
                family.walk(Double(step) * 80)
                circle.advance(60_000)
            }
            try circle.wait(family.grace, "dependents/\(family.otto)/motion") {
                $0?["state"] == "walking" && ($0?["exercise_min"]?.double ?? 0) >= 1
            }
            circle.advance(60_000)
            let time = circle.now / 1000
            family.say(
                "{\"_type\":\"location\",\"lat\":52.51,\"lon\":13.4,\"acc\":8,\"tst\":\(time),\"motionactivities\":[\"automotive\"]}"
            )
            try circle.wait(family.grace, "dependents/\(family.otto)/motion") { $0?["state"] == "driving" }
            // Where it was is not theirs to see.
            #expect(!circle.client.hasReceived { $0.topic.hasSuffix("/location") && $0.topic.contains("/dependents/") })
        }
    }

    @Test("is whether sensors are on, as their gateway says, for as long as they are the dependent's")
    func sensors() throws {
        try Circle.with { circle in
            let family = try Family(circle, allowing: ["motion"])
            let (grace, otto) = (family.grace, family.otto)
            let strap = try Strap(of: otto, circle)
            defer { strap.stop() }
            func isShown(_ isOn: Bool, after say: () -> Void) throws {
                // Nothing waits for its pause.
                try family.onSession { $0.watched[otto]?.made = [:] }
                say()
                let sensor: JSON = ["online": .bool(isOn), "sensor": .string(Strap.name)]
                try circle.wait(grace, "dependents/\(otto)/status") { $0?["sensors"] == [sensor] }
            }
            strap.say(isGatewayOn: true)
            try isShown(true) { strap.say(isOn: true) }
            try isShown(false) { strap.say(isOn: false) }
            try isShown(true) { strap.say(isOn: true) }
            // What a gateway has said that is gone now, it says no longer.
            try isShown(false) { strap.say(isGatewayOn: false) }
            try isShown(true) { strap.say(isGatewayOn: true) }
            try family.allow(grace, ["motion"], false)
            try circle.wait(grace, "dependents/\(otto)/status") { $0 == nil }
            try isShown(true) { try? family.allow(grace, ["motion"], true) }
            try circle.done(otto, "sensors/release", ["gateway": "home", "sensor": "belt"])
            try circle.wait(grace, "dependents/\(otto)/status") { $0 == nil }
        }
    }

    @Test("comes again after a restart, and what is no longer allowed is taken back by the next consumer")
    func restart() throws {
        var people: Family.People?
        try Circle.with { circle in
            let first = try Family(circle, allowing: ["location"])
            first.walk(0)
            #expect(try first.seen("location") != nil)
            people = first.people
        } between: { _, client in
            guard let family = people else { throw TestFailure("nobody") }
            let stray = [
                "users/\(family.grace)/dependents/eve/location", "users/\(family.otto)/dependents/\(family.grace)/path",
            ]
            for topic in stray {
                client.session.publish([0x7B, 0x7D], to: "vitals/v1/\(topic)", qos: .atLeastOnce, retain: true)
            }
        } then: { circle in
            guard let people else { throw TestFailure("nobody") }
            let family = Family(circle, people)
            try circle.wait(family.grace, "dependents/eve/location") { $0 == nil }
            try circle.wait(family.otto, "dependents/\(family.grace)/path") { $0 == nil }
            circle.advance(10_000)
            family.walk(400)
            try circle.wait(family.grace, "dependents/\(family.otto)/location") {
                $0?["lat"] != .number(Family.home.lat) && $0 != nil
            }
            let points = try elements(
                circle.done(family.grace, "dependents/day", ["dependent": .string(family.otto.text)]), "points")
            #expect(points.count == 2)
        }
    }

    @Test("goes with the dependent, and there was something before")
    func erased() throws {
        try Circle.with { circle in
            let family = try Family(circle)
            let (grace, otto) = (family.grace, family.otto)
            family.walk(0, battery: 50)
            for topic in ["location", "status"] { try circle.wait(grace, "dependents/\(otto)/\(topic)") { $0 != nil } }
            try family.area()
            try circle.done(otto, "guardians/help")
            let rows = { (user: ID) in
                try circle.onSession { context in
                    try ["watch_rules", "alerts"].map { table in
                        try context.store.database.first(
                            "SELECT count(*) FROM \(table) WHERE person = ?", [.text(user.text)], row: Row.int) ?? 0
                    }
                }
            }
            #expect(try rows(otto) == [1, 1])
            let ended = Record<Bool>()
            try circle.onSession { context in
                context.doors.forget(otto, keepingAccount: false, telling: nil) { result in
                    ended.append((try? result.get()) != nil)
                }
            }
            #expect(try ended.wait(for: 1) == [true])
            for topic in ["location", "status"] { try circle.wait(grace, "dependents/\(otto)/\(topic)") { $0 == nil } }
            #expect(try rows(otto) == [0, 0])
            #expect(try elements(circle.done(grace, "dependents/list"), "dependents") == [])
            #expect(try elements(circle.done(grace, "alerts/list"), "alerts") == [])
        }
    }
}
