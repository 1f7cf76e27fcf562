import Files
import HouseholdSupport
import MQTT
import Records
import Telemetry
import TestSupport
import Testing
import Whereabouts

@testable import Guardians
@testable import vitals_consumer

@Suite("Alerts of guardians", .timeLimit(.minutes(60)))
struct AlertTests {
    @Test("come once for each time an area is left or entered, over a restart, and only where both want it")
    func areas() throws {
        var people: Family.People?
        try Circle.with { circle in
            let first = try Family(circle)
            people = first.people
            try first.area(["enter": true])
            for metres in [0.0, 10, 0] { try first.step(metres) }
            // One bad fix, and drift at the border.
            for metres in [900.0, 0, 195, 205, 195] { try first.step(metres) }
            #expect(try first.alerts(first.grace) == [])
            for metres in [400.0, 500] { try first.step(metres) }
            #expect(try first.alerts(first.grace) == ["left-area"])
            let told = try circle.notifications(first.grace)[0]
            #expect(try told.text("text").hasPrefix("Otto left Home at "))
            #expect(told["from"] == .string(first.otto.text) && told["alert"] != nil)
        } then: { circle in
            guard let people else { throw TestFailure("nobody") }
            let family = Family(circle, people)
            for metres in [600.0, 500] { try family.step(metres) }
            #expect(try family.alerts(family.grace) == ["left-area"])
            for metres in [20.0, 10] { try family.step(metres) }
            #expect(try family.alerts(family.grace) == ["left-area", "entered-area"])
            // Without consent there is no alert, and the rule waits.
            try family.allow(family.grace, ["location"], false)
            for metres in [900.0, 1000] { try family.step(metres) }
            #expect(try family.alerts(family.grace) == ["left-area", "entered-area"])
        }
    }

    @Test("of what happened before the stored day was read come when it is, however often the service is killed")
    func beforeTheDayIsRead() throws {
        try Circle.with { circle in
            let family = try Family(circle)
            try family.area(["enter": true])
            for metres in [0.0, 10] { try family.step(metres) }
            try family.beginAgain()
            for metres in [400.0, 500] { try family.step(metres) }
            #expect(try family.alerts(family.grace) == [])
            try family.beginAgain()
            for metres in [20.0, 10] { try family.step(metres) }
            #expect(try family.alerts(family.grace) == [])
            try family.readDay()
            #expect(try family.alerts(family.grace) == ["left-area", "entered-area"])
        }
    }

    @Test("are not of positions that came late, even if the service begins again before it has kept what it knows")
    func lateBeforeRestart() throws {
        try Circle.with { circle in
            let family = try Family(circle)
            try family.area()
            for metres in [0.0, 10] { try family.step(metres) }
            // What is known is kept now, and then not for a minute.
            try family.look()
            let before = circle.now
            circle.advance(300_000)
            family.walk(10)
            try family.settle()
            for (index, metres) in [400.0, 500, 600].enumerated() {
                family.walk(metres, at: before + Int64(index + 1) * 61_000)
            }
            try family.settle()
            #expect(try family.alerts(family.grace) == [])
            try family.look()
            try family.beginAgain()
            try family.readDay()
            #expect(try family.alerts(family.grace) == [])
            // What comes after them counts.
            for metres in [400.0, 500] { try family.step(metres) }
            #expect(try family.alerts(family.grace) == ["left-area"])
        }
    }

    @Test("come of an area that has just been set up, which knows at once where the dependent is")
    func justSetUp() throws {
        try Circle.with { circle in
            let family = try Family(circle)
            try family.area()
            for metres in [0.0, 10] { try family.step(metres) }
            try family.look()
            let area = try family.area()
            for metres in [400.0, 500] {
                circle.advance(5000)
                family.walk(metres)
            }
            try family.settle()
            #expect(try family.alerts(family.grace) == ["left-area", "left-area"])
            // One that is changed begins again, and knows as much.
            for metres in [20.0, 10] { try family.step(metres) }
            try family.area(["area": area["area"] ?? .null])
            for metres in [400.0, 500] {
                circle.advance(5000)
                family.walk(metres)
            }
            try family.settle()
            #expect(try family.alerts(family.grace).count == 4)
        }
    }

    @Test("are of at most a hundred areas and alerts of one dependent, whoever has set them up")
    func limit() throws {
        try Circle.with { circle in
            let family = try Family(circle)
            let area = try family.area()
            let (otto, most) = (family.otto, WatchRules.mostOfDependent)
            // Those of other guardians, each of whom may have twenty.
            try circle.onSession { context in
                let rules = WatchRules(store: context.store, keys: context.keys)
                try context.store.change(otto) { () throws(VaultError) in
                    for number in 0..<most - 2 {
                        guard let guardian = try? ID("guardian-\(number / 20)") else { continue }
                        let kind = WatchRule.Kind.silence(SilenceWatch(minutes: 60))
                        try rules.write(WatchRule(id: drawnID(), dependent: otto, guardian: guardian, kind: kind))
                    }
                }
            }
            try family.area()
            let fields: JSON = ["dependent": .string(otto.text), "kind": "silence", "minutes": 60]
            let refusal = try circle.refused(family.grace, "alerts/set", fields)
            #expect(refusal.code == .notAllowed && refusal.message.contains("100 areas and alerts"), "\(refusal)")
            // Changing one needs no room, and removing one makes it.
            try family.area(["area": area["area"] ?? .null, "enter": true])
            try circle.done(family.grace, "areas/remove", ["area": area["area"] ?? .null])
            try circle.done(family.grace, "alerts/set", fields)
        }
    }

    @Test(
        "of an area that is set up, replaced or removed: no other rule is read again, and what is watched is what is kept"
    )
    func ruleByRule() throws {
        try Circle.with { circle in
            let family = try Family(circle)
            let (otto, phone) = (family.otto, family.phone)
            let areas = try (0..<6).map { _ in try family.area()["area"] ?? .null }
            #expect(try family.watchedRules() == family.keptRules())
            try family.look()
            for metres in [0.0, 10.0] { try family.step(metres) }
            try family.area(["area": areas[3], "enter": true])
            try circle.done(family.grace, "areas/remove", ["area": areas[1]])
            #expect(try family.watchedRules() == family.keptRules())
            // What is known of the others is still known, though their rows cannot be read any more.
            let known = try family.onSession { guardians in
                guardians.watched[otto]?.rules.map { $0.judged["phones/\(phone)"] ?? 0 }
            }
            #expect(known == Array(repeating: circle.now / 1000 * 1000, count: 5))
            try circle.onSession { context in
                _ = try context.store.database.execute("UPDATE watch_rules SET sealed = x'00'")
            }
            try family.area()
            #expect(try family.watchedRules().count == 6)
            #expect(try family.keptRules().count == 1)
        }
    }

    @Test("wait where a day cannot be read, twice; then they do without what is stored")
    func unreadable() throws {
        try Circle.with { circle in
            let family = try Family(circle)
            try family.area()
            try family.look()
            for metres in [0.0, 10] { try family.step(metres) }
            try family.beginAgain()
            for failure in 1...3 {
                try family.failToRead()
                for metres in [20.0, 10, 400, 500] { try family.step(metres) }
                #expect(try family.alerts(family.grace) == (failure < 3 ? [] : ["left-area"]), "\(failure)")
            }
            try family.readDay()
            #expect(try family.alerts(family.grace) == ["left-area"])
        }
    }

    @Test("of a region of the phone's own: its report and our positions are one")
    func regions() throws {
        try Circle.with { circle in
            let family = try Family(circle)
            family.say(
                #"{"_type":"waypoints","waypoints":[{"desc":"Garden","lat":52.5,"lon":13.4,"rad":200,"tst":1}]}"#,
                "/waypoints")
            try circle.done(family.otto, "guardians/list")
            let list = try circle.done(family.grace, "areas/list")
            #expect(try elements(list, "regions")[0]["region"] == "Garden")
            let unknown: JSON = ["dependent": .string(family.otto.text), "region": "Moon"]
            #expect(try circle.refused(family.grace, "areas/set", unknown).field == "region")
            let area = try circle.done(
                family.grace, "areas/set", ["dependent": .string(family.otto.text), "region": "Garden"])
            #expect(area["name"] == "Garden" && area["circle"]?["radius_m"] == 200)
            for metres in [0.0, 10] { try family.step(metres) }
            circle.advance(5000)
            family.say(
                "{\"_type\":\"transition\",\"event\":\"leave\",\"desc\":\"Garden\",\"tst\":\(circle.now / 1000)}",
                "/event")
            for metres in [400.0, 500, 600] { try family.step(metres) }
            #expect(try family.alerts(family.grace) == ["left-area"])
        }
    }

    @Test("are passed on to the next guardian until somebody confirms them, and help is asked of all at once")
    func escalated() throws {
        try Circle.with { circle in
            let family = try Family(circle)
            let (hugo, ida) = (try circle.person(name: "Hugo"), try circle.person(name: "Ida"))
            for guardian in [hugo, ida] { try family.connect(guardian) }
            for guardian in [hugo, ida] { try family.allow(guardian, ["location"], true) }
            try family.area(["escalate_min": 5])
            for metres in [0.0, 10, 400, 500] { try family.step(metres) }
            #expect(try family.alerts(family.grace) == ["left-area"])
            #expect(try family.alerts(hugo) == [])
            circle.advance(5 * 60_000)
            try family.look()
            #expect(try family.alerts(hugo) == ["left-area"])
            #expect(try family.alerts(ida) == [])
            let alert = try elements(circle.done(hugo, "alerts/list"), "alerts")[0]
            let id = try alert.text("alert")
            // Whose rule it is knows which one; the others know how it goes on.
            #expect(alert["rule"] == nil && alert["told"] == 2 && alert["escalate_min"] == 5)
            #expect(alert["next"] == .integer(circle.now + 5 * 60_000) && alert["confirmed"] == nil)
            let first = try elements(circle.done(family.grace, "alerts/list"), "alerts")[0]
            let rules = try elements(circle.done(family.grace, "areas/list"), "areas").map { $0["area"] }
            #expect(first["rule"] != nil && rules.contains(first["rule"]))
            func open(_ guardian: ID) throws -> [JSON] {
                let dependents = try elements(circle.done(guardian, "dependents/list"), "dependents")
                return try elements(dependents[0], "alerts")
            }
            #expect(try open(family.grace) == [first] && open(hugo) == [alert] && open(ida).isEmpty)
            #expect(try circle.refused(ida, "alerts/confirm", ["alert": .string(id)]).code == .notFound)
            try circle.done(hugo, "alerts/confirm", ["alert": .string(id)])
            circle.advance(5 * 60_000)
            try family.look()
            #expect(try family.alerts(ida) == [])
            let seen = try elements(circle.done(family.grace, "alerts/list"), "alerts")[0]
            #expect(seen["confirmed"]?["by"] == .string(hugo.text) && seen["confirmed"]?["own"] == false)
            #expect(seen["confirmed"]?["name"] == "Hugo" && seen["next"] == nil)
            let own = try elements(circle.done(hugo, "alerts/list"), "alerts")[0]
            #expect(own["confirmed"]?["own"] == true)
            #expect(try open(family.grace).isEmpty && open(hugo).isEmpty)
            #expect(try circle.done(family.otto, "guardians/help", ["text": "at the bus stop"])["told"] == 3)
            for guardian in [family.grace, hugo, ida] { #expect(try family.alerts(guardian).last == "help-wanted") }
            #expect(try circle.notifications(ida)[0].text("text") == "Otto needs help: at the bus stop")
            for _ in 0..<4 { try circle.done(family.otto, "guardians/help") }
            #expect(try circle.refused(family.otto, "guardians/help").code == .rateLimited)
        }
    }

    @Test("come where nothing comes: no position, an empty battery")
    func silence() throws {
        try Circle.with { circle in
            let family = try Family(circle)
            let otto = JSON.string(family.otto.text)
            try circle.done(family.grace, "alerts/set", ["dependent": otto, "kind": "silence", "minutes": 30])
            try circle.done(family.grace, "alerts/set", ["dependent": otto, "kind": "battery", "below": 20])
            try family.step(0)
            family.walk(5, battery: 19, at: circle.now + 1000)
            circle.advance(29 * 60_000)
            try family.look()
            #expect(try family.alerts(family.grace) == ["battery-low"])
            circle.advance(2 * 60_000)
            for _ in 0..<2 { try family.look() }
            #expect(try family.alerts(family.grace) == ["battery-low", "no-position"])
            family.walk(5, battery: 18)
            try circle.done(family.otto, "guardians/list")
            circle.advance(31 * 60_000)
            try family.look()
            #expect(try family.alerts(family.grace) == ["battery-low", "no-position", "no-position"])
        }
    }

    @Test("What cannot be watched is refused, with the field that is wrong")
    func refused() throws {
        try Circle.with { circle in
            let family = try Family(circle, allowing: ["location"])
            let otto = JSON.string(family.otto.text)
            let wrong: [(String, JSON, String)] = [
                ("areas/set", ["dependent": otto, "name": ""], "name"),
                ("areas/set", ["dependent": otto, "name": "Home"], "circle"),
                (
                    "areas/set",
                    ["dependent": otto, "name": "Home", "circle": ["lat": 91, "lon": 0, "radius_m": 100]], "circle"
                ),
                (
                    "areas/set", ["dependent": otto, "name": "Home", "circle": ["lat": 1, "lon": 0, "radius_m": 5]],
                    "circle"
                ),
                ("areas/set", ["dependent": otto, "name": "Home", "polygon": [[0, 0], [1, 1]]], "polygon"),
                (
                    "areas/set",
                    [
                        "dependent": otto, "name": "Home",
                        "polygon": [[0, 0], [.number(0.1), .number(0.1)], [0, .number(0.1)], [.number(0.1), 0]],
                    ], "polygon"
                ),
                ("alerts/set", ["dependent": otto, "kind": "weather"], "kind"),
                ("alerts/set", ["dependent": otto, "kind": "silence", "minutes": 4], "minutes"),
                ("alerts/set", ["dependent": otto, "kind": "battery", "below": 0], "below"),
                ("alerts/set", ["dependent": otto, "kind": "heart-rate"], "below"),
                ("alerts/set", ["dependent": otto, "kind": "heart-rate", "below": 120, "above": 60], "below"),
                ("alerts/set", ["dependent": otto, "kind": "stillness", "at": "25:00"], "at"),
                ("alerts/set", ["dependent": otto, "kind": "stillness", "at": "09:00"], "motion"),
                ("alerts/set", ["dependent": otto, "kind": "silence", "escalate_min": 0], "escalate_min"),
            ]
            for (verb, fields, field) in wrong {
                #expect(try circle.refused(family.grace, verb, fields).field == field, "\(verb) \(fields)")
            }
            for number in 1...WatchRules.most { try family.area(["escalate_min": .integer(Int64(number))]) }
            let circleFields: JSON = ["lat": 1, "lon": 1, "radius_m": 100]
            let more: JSON = ["dependent": otto, "name": "Home", "circle": circleFields]
            #expect(try circle.refused(family.grace, "areas/set", more).code == .notAllowed)
        }
    }
}

extension Family {
    /// Has the service know nothing of Otto but what is kept, as after a kill, until his day is read.
    fileprivate func beginAgain() throws {
        let otto = otto
        try wait { guardians in
            // What is being read now would be there after a moment, as it is not after a kill.
            guard guardians.loading == nil, let one = guardians.watched[otto] else { return false }
            guardians.watched[otto] = Watched(ties: one.ties, day: one.day, begins: one.dayBegins, ends: one.dayEnds)
            guardians.attempt(otto) { () throws(VaultError) in try guardians.loadRules(of: otto, knowing: []) }
            guardians.toLoad = []
            return guardians.watched[otto]?.rules.isEmpty == false
        }
    }

    /// Reading Otto's day fails.
    fileprivate func failToRead() throws {
        let otto = otto
        try circle.onSession { context in
            _ = try context.store.database.execute("ALTER TABLE streams RENAME TO hidden_streams")
        }
        try onSession { guardians in
            guardians.loaded[otto] = nil
            guardians.toLoad = [otto]
            guardians.loadNext()
        }
        try wait { guardians in guardians.loading == nil }
        try circle.onSession { context in
            _ = try context.store.database.execute("ALTER TABLE hidden_streams RENAME TO streams")
        }
        try onSession { guardians in guardians.toLoad = [] }
    }

    /// The ids of the rules that are watched, and of those that are kept and can be read.
    fileprivate func watchedRules() throws -> [ID] {
        let otto = otto
        return try onSession { guardians in guardians.watched[otto]?.rules.map(\.rule.id) ?? [] }
    }

    fileprivate func keptRules() throws -> [ID] {
        let otto = otto
        return try circle.onSession { context in
            try WatchRules(store: context.store, keys: context.keys).rules(for: otto).map(\.id)
        }
    }

    /// Has Otto's day read.
    fileprivate func readDay() throws {
        let otto = otto
        try onSession { guardians in
            guardians.loaded[otto] = nil
            guardians.loadAgain(otto)
        }
        try look()
    }
}
