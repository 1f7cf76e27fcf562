import HouseholdSupport
import MQTT
import Records
import Telemetry
import TestSupport
import Testing

@testable import Guardians
@testable import vitals_consumer

@Suite("One's own place, and that of whom one looks at", .timeLimit(.minutes(60)))
struct PlaceTests {
    @Test("is what is stored when somebody asks: the last position, how old it is, its area's name, and how they move")
    func asked() throws {
        try Circle.with { circle in
            let family = try Family(circle, allowing: ["location"])
            let otto = family.otto
            try family.area()
            // Nobody sees anything of him: what is stored is read.
            try family.allow(family.grace, ["location"], false)
            #expect(try family.onSession { $0.watched[otto] == nil })
            // Out and back, at the pace of a walk.
            for metres in [0, 80, 160, 240, 160, 80] {
                family.walk(Double(metres))
                circle.advance(60_000)
            }
            family.walk(0)
            try family.settle()
            circle.advance(90_000)
            let place = try circle.done(otto, "place/get")
            #expect(place["position"]?["lat"] == .number(Family.home.lat) && place["position"]?["accuracy_m"] == 8)
            #expect(place["area"] == "Home" && place["recorded"] == true && place["published"] == false)
            #expect((90...91).contains(place["age_s"]?.double ?? 0), "\(place)")
            #expect(place["state"] == "walking" && place["dependent"] == nil, "\(place)")
            #expect((place["exercise_min"]?.double ?? 0) >= 1, "\(place)")
            // Far away, no area has a name.
            family.walk(5000)
            try family.settle()
            #expect(try circle.done(otto, "place/get")["area"] == nil)
            #expect(!circle.client.hasReceived { $0.topic.hasSuffix("/place") })
        }
    }

    @Test("and how far they went today, if they let their guardian see that, as they have it themselves")
    func today() throws {
        try Circle.with { circle in
            let family = try Family(circle, allowing: ["location", "motion"])
            let (grace, otto): (ID, JSON) = (family.grace, .string(family.otto.text))
            try circle.walk(family.otto, 100, 5100)
            try family.settle()
            func refused() throws -> ReplyError { try circle.refused(grace, "dependents/today", ["dependent": otto]) }
            #expect(try refused().code == .notAllowed && refused().field == "steps")
            try family.allow(grace, ["steps"], true)
            let seen = try circle.done(grace, "dependents/today", ["dependent": otto])
            let own = try circle.done(family.otto, "statistics/today")
            #expect(seen["steps"] == 5000 && seen["steps"] == own["steps"] && seen["distance_m"] == own["distance_m"], "\(seen) \(own)")
            #expect(seen["day"] == own["day"] && seen["heart_rate"] == nil && seen["goals"] == nil)
            try family.allow(grace, ["steps"], false)
            #expect(try refused().code == .notAllowed)
            // Nobody else is a guardian.
            #expect(try circle.refused(family.otto, "dependents/today", ["dependent": .string(grace.text)]).code == .notFound)
        }
    }

    @Test("is on the person's own topic for as long as they want it and agree that positions are recorded")
    func published() throws {
        try Circle.with { circle in
            let family = try Family(circle, allowing: nil)
            let (grace, otto) = (family.grace, family.otto)
            let refusal = try circle.refused(grace, "place/publish", ["published": true])
            #expect(refusal.code == .notAllowed && refusal.message.hasPrefix("Location Services Disabled"))
            #expect(try circle.refused(otto, "place/publish", ["published": 1]).field == "published")
            family.walk(0)
            try family.settle()
            try circle.done(otto, "place/publish", ["published": true])
            try circle.wait(otto, "place") { $0?["position"]?["lat"] == .number(Family.home.lat) }
            circle.advance(60_000)
            family.walk(500)
            try circle.wait(otto, "place") { $0?["position"]?["time"] == .integer(circle.now / 1000 * 1000) }
            #expect(try circle.done(otto, "place/get")["published"] == true)
            // Nobody else has it.
            #expect(!circle.client.hasReceived { $0.topic.contains("/\(grace)/") && $0.topic.hasSuffix("/place") })
            try circle.done(otto, "consent/set", ["record_location": false])
            try circle.wait(otto, "place") { $0 == nil }
            // A person who consents again must also choose again to publish their place.
            try circle.done(otto, "consent/set", ["record_location": true])
            let place = try circle.done(otto, "place/get")
            #expect(place["recorded"] == true && place["published"] == false)
            // Of one person, what is stored is read once a minute.
            try family.onSession { $0.loaded = [:] }
            try circle.done(otto, "place/publish", ["published": true])
            try circle.wait(otto, "place") { $0 != nil }
            try circle.done(otto, "place/publish", ["published": false])
            try circle.wait(otto, "place") { $0 == nil }
            #expect(try circle.done(otto, "place/get")["position"] != nil)
        }
    }

    @Test("is read no more often because somebody has it published again and again")
    func again() throws {
        try Circle.with { circle in
            let family = try Family(circle, allowing: nil)
            let otto = family.otto
            try circle.done(otto, "place/publish", ["published": true])
            try family.wait { guardians in
                guardians.loadNext()
                return guardians.watched[otto]?.isLoaded == true
            }
            try family.onSession { guardians in guardians.loaded[otto] = guardians.clock() + 3_600_000 }
            for isPublished in [false, true, false, true] {
                try circle.done(otto, "place/publish", ["published": .bool(isPublished)])
            }
            let waiting = try family.onSession { guardians in
                guardians.loadNext()
                return (toLoad: guardians.toLoad, loading: guardians.loading)
            }
            #expect(waiting.toLoad == [otto] && waiting.loading == nil)
            try circle.done(otto, "place/publish", ["published": false])
            #expect(try family.onSession { $0.toLoad }.isEmpty)
        }
    }

    @Test("is a dependent's once that one is chosen, as far as the dependent lets it be seen, until the tie ends")
    func chosen() throws {
        try Circle.with { circle in
            let family = try Family(circle, allowing: ["motion"])
            let (grace, otto) = (family.grace, family.otto)
            for step in 0..<6 {
                family.walk(Double(step) * 80)
                circle.advance(60_000)
            }
            try circle.wait(grace, "dependents/\(otto)/motion") { $0?["state"] == "walking" }
            try family.settle()
            #expect(try circle.done(grace, "place/get")["dependent"] == nil)
            try circle.done(grace, "dependents/choose", ["dependent": .string(otto.text)])
            let motion = try circle.done(grace, "place/get")
            #expect(
                motion["dependent"] == .string(otto.text) && motion["name"] == "Otto" && motion["state"] == "walking")
            #expect(
                motion["position"] == nil && motion["area"] == nil && motion["not_shown"] == ["location"], "\(motion)")
            try family.allow(grace, ["location"], true)
            try family.allow(grace, ["motion"], false)
            try family.area()
            let place = try circle.done(grace, "place/get")
            #expect(place["position"] != nil && place["state"] == nil && place["exercise_min"] == nil, "\(place)")
            #expect(place["not_shown"] == ["motion"] && place["recorded"] == nil, "\(place)")
            // The dependent sees that somebody has looked.
            let guardians = try elements(circle.done(otto, "guardians/list"), "guardians")
            #expect(try !elements(guardians[0], "looked").isEmpty)
            // Oneself is there all the time, and a stranger never.
            #expect(try circle.done(grace, "place/get", ["dependent": .null])["dependent"] == nil)
            let eve = try circle.person(name: "Eve")
            #expect(try circle.refused(eve, "place/get", ["dependent": .string(otto.text)]).code == .notFound)
            try circle.done(otto, "guardians/remove", ["guardian": .string(grace.text)])
            #expect(try circle.done(grace, "place/get")["dependent"] == nil)
            #expect(try circle.done(grace, "dependents/list")["chosen"] == nil)
        }
    }
}
